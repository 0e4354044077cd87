"""Gold Action Recall next to accuracy, from the result and score files of BFCL multi-turn runs.

>>> from gar_metrics import Outcome, wilson
>>> Outcome.of(gold_emitted=False, passed=True).value
'masked_pass'
>>> wilson(0, 0)
(0.0, 0.0)
"""

from gar_metrics.__about__ import __version__
from gar_metrics.cases import Listed, select_cases
from gar_metrics.discover import discover
from gar_metrics.errors import GarError
from gar_metrics.export import case_record, cases_csv, cases_jsonl, render_csv, render_json, run_records
from gar_metrics.load import load_cell, load_runs
from gar_metrics.outcomes import Outcome
from gar_metrics.read import emissions, read_results, read_score
from gar_metrics.records import CATEGORIES, Case, CategoryFiles, Cell, Results, Row, Run, RunFiles, Score
from gar_metrics.render import render_combined, render_markdown, render_text
from gar_metrics.stats.intervals import wilson
from gar_metrics.table import build_cell, build_run

__all__ = [
    "CATEGORIES",
    "Case",
    "CategoryFiles",
    "Cell",
    "GarError",
    "Listed",
    "Outcome",
    "Results",
    "Row",
    "Run",
    "RunFiles",
    "Score",
    "__version__",
    "build_cell",
    "build_run",
    "case_record",
    "cases_csv",
    "cases_jsonl",
    "discover",
    "emissions",
    "load_cell",
    "load_runs",
    "read_results",
    "read_score",
    "render_combined",
    "render_csv",
    "render_json",
    "render_markdown",
    "render_text",
    "run_records",
    "select_cases",
    "wilson",
]

"""Gold Action Recall next to accuracy, from the result and score files of BFCL multi-turn runs.

>>> from gar_metrics import Outcome, wilson
>>> Outcome.of(gold_emitted=False, passed=True).value
'masked_pass'
>>> wilson(0, 0)
(0.0, 0.0)
"""

import importlib
from typing import TYPE_CHECKING

from gar_metrics.__about__ import __version__
from gar_metrics.audit import Audit, AuditCase, LabelAgreement, LabelRate, StratumAgreement, audit_cases
from gar_metrics.audit_reading import read_audit
from gar_metrics.cases import Listed, select_cases
from gar_metrics.comparing import Adjusted, ComparedCell, Comparison, Family, compare_many, compare_runs
from gar_metrics.confusion import Confusion, read_confusion
from gar_metrics.corrected import Corrected, corrected_gold_turn_gar
from gar_metrics.discover import discover
from gar_metrics.errors import GarError, one_line
from gar_metrics.export import case_record, cases_csv, cases_jsonl, render_csv, render_json, run_records
from gar_metrics.export_audit import audit_record, render_audit_json
from gar_metrics.export_comparison import comparison_record, render_comparison_csv, render_comparison_json
from gar_metrics.gold_turns import read_gold_turns
from gar_metrics.load import load_cell, load_runs
from gar_metrics.outcomes import Outcome
from gar_metrics.read import emissions, read_results, read_score
from gar_metrics.records import CATEGORIES, Case, CategoryFiles, Cell, Results, Row, Run, RunFiles, Score
from gar_metrics.render import aligned, render_combined, render_markdown, render_text
from gar_metrics.render_audit import render_audit_latex, render_audit_markdown, render_audit_text
from gar_metrics.render_comparison import (
    render_comparison_latex,
    render_comparison_markdown,
    render_comparison_text,
)
from gar_metrics.render_latex import render_latex
from gar_metrics.report import render_report
from gar_metrics.shifts import Shift
from gar_metrics.stats.agreement import cohen_kappa, observed_agreement
from gar_metrics.stats.bootstrap import cluster_bootstrap
from gar_metrics.stats.combining import mover_mean
from gar_metrics.stats.intervals import wilson
from gar_metrics.stats.multiplicity import holm
from gar_metrics.stats.paired import mcnemar_exact, tango
from gar_metrics.stats.prevalence import Prevalence, rogan_gladen
from gar_metrics.table import build_cell, build_run

if TYPE_CHECKING:
    from gar_metrics import tau2

__all__ = [
    "CATEGORIES",
    "Adjusted",
    "Audit",
    "AuditCase",
    "Case",
    "CategoryFiles",
    "Cell",
    "ComparedCell",
    "Comparison",
    "Confusion",
    "Corrected",
    "Family",
    "GarError",
    "LabelAgreement",
    "LabelRate",
    "Listed",
    "Outcome",
    "Prevalence",
    "Results",
    "Row",
    "Run",
    "RunFiles",
    "Score",
    "Shift",
    "StratumAgreement",
    "__version__",
    "aligned",
    "audit_cases",
    "audit_record",
    "build_cell",
    "build_run",
    "case_record",
    "cases_csv",
    "cases_jsonl",
    "cluster_bootstrap",
    "cohen_kappa",
    "compare_many",
    "compare_runs",
    "comparison_record",
    "corrected_gold_turn_gar",
    "discover",
    "emissions",
    "holm",
    "load_cell",
    "load_runs",
    "mcnemar_exact",
    "mover_mean",
    "observed_agreement",
    "one_line",
    "read_audit",
    "read_confusion",
    "read_gold_turns",
    "read_results",
    "read_score",
    "render_audit_json",
    "render_audit_latex",
    "render_audit_markdown",
    "render_audit_text",
    "render_combined",
    "render_comparison_csv",
    "render_comparison_json",
    "render_comparison_latex",
    "render_comparison_markdown",
    "render_comparison_text",
    "render_csv",
    "render_json",
    "render_latex",
    "render_markdown",
    "render_report",
    "render_text",
    "rogan_gladen",
    "run_records",
    "select_cases",
    "tango",
    "tau2",
    "wilson",
]


def __getattr__(name: str) -> object:
    """The sub-package `tau2`, imported when it is first asked for: the command `gar` does without."""
    if name == "tau2":
        return importlib.import_module("gar_metrics.tau2")
    message = f"module 'gar_metrics' has no attribute {name!r}"
    raise AttributeError(message)

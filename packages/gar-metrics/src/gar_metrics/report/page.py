"""The report as one HTML page: no request leaves it, and no text from a model can become markup or script in it."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import TYPE_CHECKING

import jinja2

import action_classifier
from gar_metrics.__about__ import __version__
from gar_metrics.errors import one_line
from gar_metrics.outcomes import Outcome
from gar_metrics.records import CATEGORIES
from gar_metrics.render import run_labels
from gar_metrics.report import charts
from gar_metrics.report.comparisons import comparison_views
from gar_metrics.report.document import case_document
from gar_metrics.report.overview import difference, findings, interval, rate, run_view
from gar_metrics.report.packing import TEXT_LIMIT, packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gar_metrics.records import Run

STYLES = ("report.css", "browser.css", "print.css")
SCRIPTS = ("data.js", "filter.js", "case.js", "browser.js")
"""In the order in which they lean on each other."""


def render_page(runs: Sequence[Run]) -> str:
    """The page, complete and the same for the same runs.

    Text reaches it in two ways: through Jinja2 with every value escaped, and as base64 that the page's scripts decode
    and put into text nodes only. A content security policy lets nothing run or load but the page's own styles and
    scripts, named by their hashes.

    Raises:
        GarError: A file of the runs can't be read any more.
    """
    labels = run_labels(runs)
    document, notes = case_document(runs, labels)
    styles, scripts = _assets(STYLES), _assets(SCRIPTS)
    views = [run_view(number, run, label) for number, (run, label) in enumerate(zip(runs, labels, strict=True))]
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            policy=_policy(styles, scripts),
            styles=styles,
            scripts=scripts,
            runs=views,
            categories=[c for c in CATEGORIES if any(cell.category == c for view in views for cell in view.cells)],
            with_gold_turn=any(cell.gold_turn_gar is not None for run in runs for cell in run.cells),
            cases=sum(cell.n for view in views for cell in view.cells),
            findings=findings(runs, labels),
            series=[charts.series(view.number) for view in views],
            scatters=charts.scatters(runs),
            bar_charts=charts.bar_charts(runs),
            mosaics=[charts.mosaic(run) for run in runs],
            comparisons=comparison_views(runs),
            outcomes=tuple(Outcome),
            classes=document["classes"],
            reading_notes=[one_line(note) for note in notes],
            packed=packed(document),
            text_limit=TEXT_LIMIT,
            versions={"gar-metrics": __version__, "action-classifier": action_classifier.__version__},
        )
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gar_metrics.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["charts"] = charts
    environment.filters.update(rate=rate, difference=difference, interval=interval, words=_words, at=_at)
    return environment


def _words(name: str) -> str:
    """``masked pass`` of ``masked_pass``."""
    return name.replace("_", " ")


def _at(number: float) -> str:
    """A coordinate with two decimals at most."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _assets(names: Sequence[str]) -> list[str]:
    folder = resources.files("gar_metrics.report") / "assets"
    return [(folder / name).read_text(encoding="utf-8") for name in names]


def _policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """The content security policy: these styles and scripts, no other, and no request at all."""
    return (
        f"default-src 'none'; style-src {_hashes(styles)}; script-src {_hashes(scripts)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hashes(texts: Sequence[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in texts)

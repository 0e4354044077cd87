"""The statistics of an audit for people: aligned text, Markdown and LaTeX, shares 0 to 1 with three decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.audit import LABELS, PRIMARY
from gar_metrics.errors import one_line
from gar_metrics.grids import Grid, grid_latex, grid_markdown, grid_text
from gar_metrics.render import noted

if TYPE_CHECKING:
    from gar_metrics.audit import Audit

NOTES = (
    "raters A and B and the adjudicator of the released labels were automated: kappa is agreement of programs there",
    "agreement and kappa leave out cases that either rater marked n.a.; the strata count n.a. as a value",
    "all shares are 0 to 1, with Wilson 95% intervals (z = 1.959964); - is what can't be measured",
)
_ABSENT = "-"


def render_audit_text(audit: Audit) -> str:
    """Heading, four aligned tables, notes. Ends with a line end."""
    lines = [_heading(audit)]
    for grid in _grids(audit):
        lines += ["", *grid_text(grid)]
    return "\n".join([*lines, "", _summary(audit), *noted(NOTES)]) + "\n"


def render_audit_markdown(audit: Audit) -> str:
    """Heading, four pipe tables under their titles, and the notes as a list."""
    lines = [_heading(audit)]
    for grid in _grids(audit):
        lines += ["", *grid_markdown(grid)]
    return "\n".join([*lines, "", _summary(audit), "", *(f"- {note}" for note in NOTES)]) + "\n"


def render_audit_latex(audit: Audit) -> str:
    """Four tabulars for the package booktabs, each under a comment with its title; heading and notes are comments."""
    lines = [f"% {_heading(audit)}"]
    for grid in _grids(audit):
        lines += ["", *grid_latex(grid)]
    return "\n".join([*lines, "", f"% {_summary(audit)}", *(f"% {note}" for note in NOTES)]) + "\n"


def _heading(audit: Audit) -> str:
    return f"main split: n = {audit.cases} (pilot, left out: n = {audit.pilot})"


def _summary(audit: Audit) -> str:
    macro, lowest = _decimal(audit.primary_macro_kappa, 4), _decimal(audit.primary_min_kappa, 4)
    return f"kappa of the primary labels {' '.join(PRIMARY)}: mean {macro}, minimum {lowest}"


def _grids(audit: Audit) -> tuple[Grid, ...]:
    labels = tuple(
        (label, str(found.n), _decimal(found.agreement), _decimal(found.kappa)) for label, found in audit.labels.items()
    )
    rates = tuple(
        (name, str(rate.k), str(rate.n), _decimal(rate.rate), *_bounds(rate.ci95)) for name, rate in audit.rates.items()
    )
    strata = tuple(
        (one_line(name), str(stratum.n), *(_decimal(stratum.agreement[label]) for label in LABELS))
        for name, stratum in audit.strata.items()
    )
    return (
        _grid("agreement of raters A and B", ("label", "n", "agreement", "kappa"), labels),
        _grid("rates after adjudication", ("label", "k", "n", "rate", "low", "high"), rates),
        _grid("agreement by stratum", ("stratum", "n", *LABELS), strata),
        _grid("B7 after adjudication", ("cause", "n"), tuple((cause, str(n)) for cause, n in audit.b7.items())),
    )


def _grid(title: str, head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Grid:
    """A table whose first column is text; the others are numbers without a unit."""
    return Grid(title, head, [""] * len(head), rows, text_columns=1)


def _bounds(interval: tuple[float, float] | None) -> tuple[str, str]:
    low, high = interval or (None, None)
    return _decimal(low), _decimal(high)


def _decimal(value: float | None, digits: int = 3) -> str:
    if value is None:
        return _ABSENT
    # Rounded first, and 0.0 added, so that a tiny negative number doesn't print as -0.000.
    return f"{round(value, digits) + 0.0:.{digits}f}"

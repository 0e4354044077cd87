"""The statistics of an audit for people: aligned text, Markdown and LaTeX, shares 0 to 1 with three decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gar_metrics.audit import LABELS, PRIMARY
from gar_metrics.errors import one_line
from gar_metrics.render import aligned, escaped, noted

if TYPE_CHECKING:
    from gar_metrics.audit import Audit

NOTES = (
    "raters A and B and the adjudicator of the released labels were automated: kappa is agreement of programs there",
    "agreement and kappa leave out cases that either rater marked n.a.; the strata count n.a. as a value",
    "all shares are 0 to 1, with Wilson 95% intervals (z = 1.959964); - is what can't be measured",
)
_ABSENT = "-"
_LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}",
        "<": r"\textless{}", ">": r"\textgreater{}", **{char: f"\\{char}" for char in "&%$#_{}"},
    }
)  # fmt: skip


class _Table(NamedTuple):
    """A table of texts; its first column is text, the others are numbers."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def render_audit_text(audit: Audit) -> str:
    """Heading, four aligned tables, notes. Ends with a line end."""
    lines = [_heading(audit)]
    for table in _tables(audit):
        lines += ["", table.title, *aligned([table.head, *table.rows], text_columns=1)]
    return "\n".join([*lines, "", _summary(audit), *noted(NOTES)]) + "\n"


def render_audit_markdown(audit: Audit) -> str:
    """Heading, four pipe tables under their titles, and the notes as a list."""
    lines = [_heading(audit)]
    for table in _tables(audit):
        rule = ("---", *("---:" for _ in table.head[1:]))
        rows = (table.head, rule, *table.rows)
        lines += ["", f"**{table.title}**", ""]
        lines += ["| " + " | ".join(escaped(text) for text in row) + " |" for row in rows]
    return "\n".join([*lines, "", _summary(audit), "", *(f"- {note}" for note in NOTES)]) + "\n"


def render_audit_latex(audit: Audit) -> str:
    """Four tabulars for the package booktabs, each under a comment with its title; heading and notes are comments."""
    lines = [f"% {_heading(audit)}"]
    for table in _tables(audit):
        head, *rows = (" & ".join(_latex(text) for text in row) + r" \\" for row in (table.head, *table.rows))
        lines += ["", f"% {table.title}", rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}", r"\toprule", head]
        lines += [r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, "", f"% {_summary(audit)}", *(f"% {note}" for note in NOTES)]) + "\n"


def _heading(audit: Audit) -> str:
    return f"main split: n = {audit.cases} (pilot, left out: n = {audit.pilot})"


def _summary(audit: Audit) -> str:
    macro, lowest = _decimal(audit.primary_macro_kappa, 4), _decimal(audit.primary_min_kappa, 4)
    return f"kappa of the primary labels {' '.join(PRIMARY)}: mean {macro}, minimum {lowest}"


def _tables(audit: Audit) -> tuple[_Table, ...]:
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
        _Table("agreement of raters A and B", ("label", "n", "agreement", "kappa"), labels),
        _Table("rates after adjudication", ("label", "k", "n", "rate", "low", "high"), rates),
        _Table("agreement by stratum", ("stratum", "n", *LABELS), strata),
        _Table("B7 after adjudication", ("cause", "n"), tuple((cause, str(n)) for cause, n in audit.b7.items())),
    )


def _bounds(interval: tuple[float, float] | None) -> tuple[str, str]:
    low, high = interval or (None, None)
    return _decimal(low), _decimal(high)


def _decimal(value: float | None, digits: int = 3) -> str:
    if value is None:
        return _ABSENT
    # Rounded first, and 0.0 added, so that a tiny negative number doesn't print as -0.000.
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _latex(text: str) -> str:
    inert = text.translate(_LATEX_ESCAPES)
    # A minus sign, not a hyphen, before a number.
    return f"$-${inert[1:]}" if text[:1] == "-" and text[1:2].isdigit() else inert

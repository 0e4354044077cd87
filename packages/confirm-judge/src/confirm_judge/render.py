"""Results for people: aligned text, Markdown and LaTeX, one decimal, units stated, notes below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confirm_judge.agreement import LABELS
from gar_metrics import aligned, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from confirm_judge.agreement import Agreement
    from confirm_judge.table import TableRow

COLUMNS = ("model", "domain", "n", "GAR", "Wilson", "cluster", "Acc", "Wilson", "cluster", "GAR-Acc", "cluster")
UNITS = ("", "", "", "%", "%", "%", "%", "%", "%", "pp", "pp")
TEXT_COLUMNS = 2

EXPLANATION = (
    "GAR: writes that the user confirmed first; Acc: writes whose trajectory passed; of the n writes with a verdict",
    "intervals: 95%, of the rate to their left; cluster resamples whole simulations, as their writes hang together",
)
_ABSENT = "-"
_LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}",
        "<": r"\textless{}", ">": r"\textgreater{}", **{char: f"\\{char}" for char in "&%$#_{}"},
    }
)  # fmt: skip


def render_table_text(rows: Sequence[TableRow], notes: Sequence[str] = ()) -> str:
    """An aligned table, then the notes. Ends with a line end."""
    lines = aligned(
        [COLUMNS, tuple(unit and f"({unit})" for unit in UNITS), *map(_cells, rows)], text_columns=TEXT_COLUMNS
    )
    return "\n".join([*lines, "", "notes", *(f"  {note}" for note in _notes(notes))]) + "\n"


def render_table_markdown(rows: Sequence[TableRow], notes: Sequence[str] = ()) -> str:
    """A pipe table, then the notes as a list."""
    lines = _piped(_head(), map(_cells, rows), TEXT_COLUMNS)
    return "\n".join([*lines, "", *(f"- {_escaped(note)}" for note in _notes(notes))]) + "\n"


def render_table_latex(rows: Sequence[TableRow], notes: Sequence[str] = ()) -> str:
    """A tabular for the package booktabs; the notes are comments."""
    head, *body = (" & ".join(_latex(text) for text in row) + r" \\" for row in (_head(), *map(_cells, rows)))
    columns = "l" * TEXT_COLUMNS + "r" * (len(COLUMNS) - TEXT_COLUMNS)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule"]
    return "\n".join([*lines, r"\end{tabular}", *(f"% {note}" for note in _notes(notes))]) + "\n"


def render_agreement_text(agreement: Agreement) -> str:
    """Counts, agreement and kappa, then the confusion table. Ends with a line end."""
    return "\n".join([*_summary(agreement), "", *aligned(_confusion(agreement), text_columns=1)]) + "\n"


def render_agreement_markdown(agreement: Agreement) -> str:
    """Counts, agreement and kappa as a list, then the confusion table."""
    head, *body = _confusion(agreement)
    return "\n".join([*(f"- {line}" for line in _summary(agreement)), "", *_piped(head, body, 1)]) + "\n"


def _summary(agreement: Agreement) -> list[str]:
    lines = [
        f"n          {agreement.n} writes with a verdict in both files",
        f"agreement  {_decimal(agreement.agreement, 3)} (share, 0 to 1)",
        f"kappa      {_decimal(agreement.kappa, 3)}",
    ]
    if agreement.only_first or agreement.only_second:
        lines.append(f"unpaired   {agreement.only_first} in A, {agreement.only_second} in B")
    return lines


def _confusion(agreement: Agreement) -> list[tuple[str, ...]]:
    names = [name.replace("_", " ") for name in LABELS.values()]
    head = ("A / B", *names)
    rows = zip(names, agreement.confusion.values(), strict=True)
    return [head, *((name, *map(str, row.values())) for name, row in rows)]


def _head() -> tuple[str, ...]:
    return tuple(f"{name} ({unit})" if unit else name for name, unit in zip(COLUMNS, UNITS, strict=True))


def _cells(row: TableRow) -> tuple[str, ...]:
    return (
        one_line(row.model),
        one_line(row.domain),
        str(row.n),
        *(_decimal(row.gar), _bounds(row.gar_ci95), _bounds(row.gar_ci95_cluster)),
        *(_decimal(row.acc), _bounds(row.acc_ci95), _bounds(row.acc_ci95_cluster)),
        *(_decimal(row.delta, sign="+"), _bounds(row.delta_ci95_cluster)),
    )


def _notes(notes: Sequence[str]) -> tuple[str, ...]:
    return (*EXPLANATION, *map(one_line, notes))


def _bounds(interval: tuple[float, float] | None) -> str:
    return _ABSENT if interval is None else f"{_decimal(interval[0])} to {_decimal(interval[1])}"


def _decimal(value: float | None, digits: int = 1, sign: str = "") -> str:
    """The number, with a sign if one is asked for and it isn't zero; - where there is none."""
    if value is None:
        return _ABSENT
    # Rounded first, and 0.0 added, so that a tiny negative number doesn't print as -0.0.
    rounded = round(value, digits) + 0.0
    return format(rounded, f"{sign if rounded else ''}.{digits}f")


def _piped(head: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int) -> list[str]:
    """The rows as a Markdown table."""
    rule = ["---" if place < text_columns else "---:" for place in range(len(head))]
    return ["| " + " | ".join(_escaped(text) for text in row) + " |" for row in (head, rule, *rows)]


def _escaped(text: str) -> str:
    """The text as it stands in a cell of a Markdown table."""
    return text.replace("|", "\\|")


def _latex(text: str) -> str:
    inert = text.translate(_LATEX_ESCAPES)
    # A minus sign, not a hyphen, before a number.
    return f"$-${inert[1:]}" if text[:1] == "-" and text[1:2].isdigit() else inert

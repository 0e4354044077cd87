"""Tables for people: aligned text and Markdown, one decimal, units stated, notes below."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gar_metrics.corrected import corrected_gold_turn_gar
from gar_metrics.errors import one_line, shown
from gar_metrics.records import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gar_metrics.confusion import Confusion
    from gar_metrics.records import Cell, Run

_ABSENT = "-"


class Column(NamedTuple):
    """A column of the table: its name, its unit if it has one, and what stands in it for a cell."""

    name: str
    unit: str
    text: Callable[[Cell], str]


TEXT_COLUMNS = 2
"""How many columns, from the left, hold text."""

COLUMNS = (
    Column("category", "", lambda cell: cell.category),
    Column("gold", "", lambda cell: cell.gold.name),
    Column("n", "", lambda cell: str(cell.n)),
    Column("GAR", "%", lambda cell: decimal(cell.gar)),
    Column("Acc", "%", lambda cell: decimal(cell.acc)),
    Column("GAR-Acc", "pp", lambda cell: decimal(cell.gar_minus_acc, sign="+")),
    Column("masked", "%", lambda cell: decimal(cell.masked_share)),
)
GOLD_TURN_COLUMN = Column("gold-turn", "%", lambda cell: decimal(cell.gold_turn_gar))


def table_columns(*, gold_turn: bool = False, confusion: Confusion | None = None) -> tuple[Column, ...]:
    """`COLUMNS`, with gold-turn GAR beside GAR if asked for, and its corrected rate if there is a confusion table."""
    if not gold_turn:
        return COLUMNS
    place = 1 + next(place for place, column in enumerate(COLUMNS) if column.name == "GAR")
    return (*COLUMNS[:place], GOLD_TURN_COLUMN, *_corrected_columns(confusion), *COLUMNS[place:])


def render_text(runs: Iterable[Run], *, gold_turn: bool = False, confusion: Confusion | None = None) -> str:
    """One block per run: heading, table, overall Acc, notes. Ends with a line end.

    Args:
        runs: The runs.
        gold_turn: Whether gold-turn GAR stands beside GAR.
        confusion: What its corrected rate, beside it, is corrected by; none without.
    """
    columns = table_columns(gold_turn=gold_turn, confusion=confusion)
    return "\n".join(_block(run, columns, correction_notes(run, confusion)) for run in runs)


def render_combined(runs: Sequence[Run]) -> str:
    """One table for several runs, the model in its first column, then each run's overall Acc and notes."""
    labels = run_labels(runs)
    cells = [(label, *_row(cell, COLUMNS)) for label, run in zip(labels, runs, strict=True) for cell in run.cells]
    rulesets = ", ".join(dict.fromkeys(run.ruleset for run in runs))
    head, units = _head(COLUMNS)
    lines = [f"ruleset {rulesets}", "", *aligned([("model", *head), ("", *units), *cells], text_columns=3), ""]
    lines += [f"overall Acc  {label}  {overall(run)}" for label, run in zip(labels, runs, strict=True)]
    notes = [f"{label}, {note}" for label, run in zip(labels, runs, strict=True) for note in run_notes(run)]
    return "\n".join([*lines, *noted(notes)]) + "\n"


def render_markdown(runs: Sequence[Run], *, gold_turn: bool = False, confusion: Confusion | None = None) -> str:
    """One pipe table with a row per run and category, then each run's overall Acc and notes as a list.

    ``gold_turn`` and ``confusion`` as in `render_text`.
    """
    columns = table_columns(gold_turn=gold_turn, confusion=confusion)
    labels = run_labels(runs)
    head = (
        "model",
        "ruleset",
        *(f"{column.name} ({column.unit})" if column.unit else column.name for column in columns),
    )
    rule = ("---", "---", *("---" if place < TEXT_COLUMNS else "---:" for place in range(len(columns))))
    rows = [
        (label, run.ruleset, *_row(cell, columns))
        for label, run in zip(labels, runs, strict=True)
        for cell in run.cells
    ]
    lines = ["| " + " | ".join(escaped(text) for text in row) + " |" for row in (head, rule, *rows)]
    lines.append("")
    for label, run in zip(labels, runs, strict=True):
        lines.append(f"- {escaped(label)}: overall Acc {overall(run)}")
        lines += [f"  - {escaped(note)}" for note in (*run_notes(run), *correction_notes(run, confusion))]
    return "\n".join(lines) + "\n"


def overall(run: Run) -> str:
    """Overall Acc with two decimals, and which categories it is the mean of if not all four."""
    present = [cell.category for cell in run.cells]
    if run.overall_acc is None:
        return f"{_ABSENT} (no score file for {', '.join(_unscored(run))})"
    partial = (
        "" if len(present) == len(CATEGORIES) else f" (mean of {len(present)} of 4 categories: {', '.join(present)})"
    )
    return f"{run.overall_acc:.2f}%{partial}"


def run_notes(run: Run) -> list[str]:
    """What the reader of a run's table must know, one line each."""
    unscored = _unscored(run)
    missing = [f"{', '.join(unscored)}: no score file, so Acc is left out"] if unscored else []
    return missing + [one_line(f"{cell.category}: {warning}") for cell in run.cells for warning in cell.warnings]


def correction_notes(run: Run, confusion: Confusion | None) -> list[str]:
    """Where the corrected rates come from, and why one isn't defined, one line each; none without a confusion table."""
    if confusion is None:
        return []
    corrected = {cell.category: corrected_gold_turn_gar(cell, confusion) for cell in run.cells}
    notes = [f"{category}: {found.note}" for category, found in corrected.items() if found.note]
    return [one_line(f"corrected by the confusion table of {confusion.source}"), *notes]


def run_labels(runs: Sequence[Run]) -> list[str]:
    """The model names, each with its folder where two runs share one."""
    models = [run.model for run in runs]
    return [
        one_line(run.model if models.count(run.model) == 1 else f"{run.model} ({shown(run.folder)})") for run in runs
    ]


def _block(run: Run, columns: Sequence[Column], notes: Sequence[str]) -> str:
    lines = [
        one_line(f"{run.model}, ruleset {run.ruleset}"),
        one_line(shown(run.folder)),
        "",
        *aligned([*_head(columns), *(_row(cell, columns) for cell in run.cells)], text_columns=TEXT_COLUMNS),
        "",
        f"overall Acc  {overall(run)}",
        *noted([*run_notes(run), *notes]),
    ]
    return "\n".join(lines) + "\n"


def _corrected_columns(confusion: Confusion | None) -> tuple[Column, ...]:
    if confusion is None:
        return ()

    def interval(cell: Cell) -> str:
        bounds = corrected_gold_turn_gar(cell, confusion).ci95
        return _ABSENT if bounds is None else " to ".join(map(decimal, bounds))

    return (
        Column("corrected", "%", lambda cell: decimal(corrected_gold_turn_gar(cell, confusion).rate)),
        Column("95% interval", "%", interval),
    )


def _row(cell: Cell, columns: Sequence[Column]) -> tuple[str, ...]:
    return tuple(column.text(cell) for column in columns)


def decimal(value: float | None, sign: str = "") -> str:
    """The number with one decimal, and with a sign if one is asked for and it isn't zero; - where there is none."""
    if value is None:
        return _ABSENT
    # Rounded first, and 0.0 added, so that a tiny negative number doesn't print as -0.0.
    return format(round(value, 1) + 0.0, f"{sign if round(value, 1) else ''}.1f")


def _head(columns: Sequence[Column]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The line of names and the line of units."""
    return tuple(name for name, _, _ in columns), tuple(f"({unit})" if unit else "" for _, unit, _ in columns)


def aligned(rows: Sequence[Sequence[str]], *, text_columns: int) -> list[str]:
    """The rows as lines: the first columns flush left, the numbers after them flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if place < text_columns else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def noted(notes: Sequence[str]) -> list[str]:
    """The notes as lines below a table."""
    return ["", "notes", *(f"  {note}" for note in notes)] if notes else []


def _unscored(run: Run) -> list[str]:
    return [cell.category for cell in run.cells if cell.score is None]


def escaped(text: str) -> str:
    """The text as it stands in a cell of a Markdown table: it ends no cell and begins no HTML tag."""
    return text.replace("|", "\\|").replace("<", "\\<")

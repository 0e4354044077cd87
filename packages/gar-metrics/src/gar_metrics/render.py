"""Tables for people: aligned text and Markdown, one decimal, units stated, notes below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.errors import one_line, shown
from gar_metrics.records import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gar_metrics.records import Cell, Run

COLUMNS = ("category", "gold", "n", "GAR", "Acc", "GAR-Acc", "masked")
UNITS = ("", "", "", "%", "%", "pp", "%")
_ABSENT = "-"


def render_text(runs: Iterable[Run]) -> str:
    """One block per run: heading, table, overall Acc, notes. Ends with a line end."""
    return "\n".join(_block(run) for run in runs)


def render_combined(runs: Sequence[Run]) -> str:
    """One table for several runs, the model in its first column, then each run's overall Acc and notes."""
    labels = run_labels(runs)
    cells = [(label, *_row(cell)) for label, run in zip(labels, runs, strict=True) for cell in run.cells]
    rulesets = ", ".join(dict.fromkeys(run.ruleset for run in runs))
    lines = [f"ruleset {rulesets}", "", *_aligned([("model", *COLUMNS), ("", *_units()), *cells], text_columns=3), ""]
    lines += [f"overall Acc  {label}  {overall(run)}" for label, run in zip(labels, runs, strict=True)]
    notes = [f"{label}, {note}" for label, run in zip(labels, runs, strict=True) for note in run_notes(run)]
    return "\n".join([*lines, *_noted(notes)]) + "\n"


def render_markdown(runs: Sequence[Run]) -> str:
    """One pipe table with a row per run and category, then each run's overall Acc and notes as a list."""
    labels = run_labels(runs)
    head = (
        "model",
        "ruleset",
        *(f"{name} ({unit})" if unit else name for name, unit in zip(COLUMNS, UNITS, strict=True)),
    )
    rule = ("---", "---", "---", "---", *("---:" for _ in COLUMNS[2:]))
    rows = [(label, run.ruleset, *_row(cell)) for label, run in zip(labels, runs, strict=True) for cell in run.cells]
    lines = ["| " + " | ".join(_escaped(text) for text in row) + " |" for row in (head, rule, *rows)]
    lines.append("")
    for label, run in zip(labels, runs, strict=True):
        lines.append(f"- {_escaped(label)}: overall Acc {overall(run)}")
        lines += [f"  - {_escaped(note)}" for note in run_notes(run)]
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


def run_labels(runs: Sequence[Run]) -> list[str]:
    """The model names, each with its folder where two runs share one."""
    models = [run.model for run in runs]
    return [
        one_line(run.model if models.count(run.model) == 1 else f"{run.model} ({shown(run.folder)})") for run in runs
    ]


def _block(run: Run) -> str:
    lines = [
        one_line(f"{run.model}, ruleset {run.ruleset}"),
        one_line(shown(run.folder)),
        "",
        *_aligned([COLUMNS, _units(), *(_row(cell) for cell in run.cells)], text_columns=2),
        "",
        f"overall Acc  {overall(run)}",
        *_noted(run_notes(run)),
    ]
    return "\n".join(lines) + "\n"


def _row(cell: Cell) -> tuple[str, ...]:
    return (
        cell.category,
        cell.gold.name,
        str(cell.n),
        _decimal(cell.gar),
        _decimal(cell.acc),
        _decimal(cell.gar_minus_acc, sign="+"),
        _decimal(cell.masked_share),
    )


def _decimal(value: float | None, sign: str = "") -> str:
    if value is None:
        return _ABSENT
    # Rounded first, and 0.0 added, so that a tiny negative number doesn't print as -0.0.
    return format(round(value, 1) + 0.0, f"{sign if round(value, 1) else ''}.1f")


def _units() -> tuple[str, ...]:
    return tuple(f"({unit})" if unit else "" for unit in UNITS)


def _aligned(rows: Sequence[Sequence[str]], *, text_columns: int) -> list[str]:
    """The rows as lines: the first columns flush left, the numbers after them flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if place < text_columns else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _noted(notes: Sequence[str]) -> list[str]:
    return ["", "notes", *(f"  {note}" for note in notes)] if notes else []


def _unscored(run: Run) -> list[str]:
    return [cell.category for cell in run.cells if cell.score is None]


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")

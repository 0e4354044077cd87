"""The table in LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.grids import Grid, Page, page_latex
from gar_metrics.render import TEXT_COLUMNS, correction_notes, overall, run_labels, run_notes, table_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gar_metrics.confusion import Confusion
    from gar_metrics.records import Run


def render_latex(runs: Sequence[Run], *, gold_turn: bool = False, confusion: Confusion | None = None) -> str:
    """One tabular for the package booktabs with a row per run and category; overall Acc and notes are comments.

    ``gold_turn`` and ``confusion`` as in `render_text`. Whatever LaTeX would take for a command is escaped.
    """
    columns = table_columns(gold_turn=gold_turn, confusion=confusion)
    labelled = list(zip(run_labels(runs), runs, strict=True))
    grid = Grid(
        title="",
        head=("model", *(column.name for column in columns)),
        units=("", *(column.unit for column in columns)),
        rows=[(label, *(column.text(cell) for column in columns)) for label, run in labelled for cell in run.cells],
        text_columns=1 + TEXT_COLUMNS,
    )
    notes = [
        f"{label}, {note}" for label, run in labelled for note in (*run_notes(run), *correction_notes(run, confusion))
    ]
    return page_latex(
        Page(
            heading=[("ruleset", name) for name in dict.fromkeys(run.ruleset for run in runs)],
            grids=[grid],
            lists=[("overall Acc", [f"{label}: {overall(run)}" for label, run in labelled])],
            notes=notes,
        )
    )

"""The cases behind a cell, chosen by category and outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gar_metrics.errors import GarError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gar_metrics.outcomes import Outcome
    from gar_metrics.records import Case, Cell, Run


class Listed(NamedTuple):
    """A case with the run and the cell it belongs to."""

    run: Run
    cell: Cell
    case: Case


def select_cases(
    runs: Iterable[Run], *, category: str | None = None, outcome: Outcome | None = None
) -> tuple[Listed, ...]:
    """The cases of the runs, in table order, that are of the category and the outcome asked for.

    Raises:
        GarError: No run has the category, or an outcome is asked for and some chosen cell has none to tell.
    """
    chosen = [(run, cell) for run in runs for cell in run.cells if category in (None, cell.category)]
    if category and not chosen:
        what = f"no results for category {category}"
        raise GarError(what)
    for _, cell in chosen:
        if outcome and cell.outcomes is None:
            reason = "the score file contradicts the result rows" if cell.score else "no score file belongs to it"
            what = f"outcomes aren't known: {reason}"
            raise GarError(what, path=cell.results)
    return tuple(
        Listed(run, cell, case) for run, cell in chosen for case in cell.cases if outcome in (None, case.outcome)
    )

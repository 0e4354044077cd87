"""The first run against every other that shares cases with it, as the texts that the page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics.comparing import MEASURES, compare_many
from gar_metrics.outcomes import Outcome
from gar_metrics.report.overview import difference, rate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gar_metrics.comparing import Adjusted, ComparedCell, Comparison
    from gar_metrics.records import Run
    from gar_metrics.shifts import Shift

SMALLEST_P = 0.001
LINE_REACH = 50
"""How far the line that a shift is drawn on reaches to either side of zero."""


@dataclass(frozen=True, slots=True)
class ShiftView:
    """One measure in one category, or in all of them.

    ``marks`` holds where the low end, the shift and the high end stand on the line from -`LINE_REACH` to `LINE_REACH`,
    which all rows of the comparison share.
    """

    category: str
    measure: str
    n: int
    baseline: str
    treatment: str
    shift: str
    interval: str
    p: str
    adjusted_p: str
    gained: int
    lost: int
    marks: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class FlipView:
    """The cases of one category that flipped in one direction."""

    category: str
    measure: str
    direction: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A run against the first; ``transitions`` holds a row of counts for each outcome of the first, or nothing."""

    treatment: int
    shifts: tuple[ShiftView, ...]
    flips: tuple[FlipView, ...]
    transitions: tuple[tuple[Outcome, tuple[int, ...]], ...]
    warnings: tuple[str, ...]


def comparison_views(runs: Sequence[Run]) -> tuple[ComparisonView, ...]:
    """A comparison for each run after the first that shares cases with it, p values adjusted for their number."""
    sharing = [number for number in range(1, len(runs)) if _share_cases(runs[0], runs[number])]
    if not sharing:
        return ()
    family = compare_many(runs[0], [runs[number] for number in sharing])
    return tuple(
        _view(number, comparison, adjusted if len(sharing) > 1 else {})
        for number, comparison, adjusted in zip(sharing, family.comparisons, family.adjusted, strict=True)
    )


def _share_cases(baseline: Run, treatment: Run) -> bool:
    return not _case_ids(baseline).isdisjoint(_case_ids(treatment))


def _case_ids(run: Run) -> set[str]:
    return {case.id for cell in run.cells for case in cell.cases}


def _view(number: int, comparison: Comparison, adjusted: Mapping[str, Adjusted]) -> ComparisonView:
    cells = (*comparison.cells, comparison.overall)
    farthest = max((abs(end) for cell in cells for shift in cell.shifts.values() for end in shift.ci95), default=0.0)
    unit = LINE_REACH / (farthest or 1.0)
    return ComparisonView(
        treatment=number,
        shifts=tuple(
            _shift(cell, key, shift, adjusted.get(key) if cell is comparison.overall else None, unit)
            for cell in cells
            for key, shift in cell.shifts.items()
        ),
        flips=tuple(
            FlipView(cell.category, MEASURES[key].name, direction, ids)
            for cell in comparison.cells
            for key, shift in cell.shifts.items()
            for direction, ids in (("gained", shift.gained), ("lost", shift.lost))
            if ids
        ),
        transitions=tuple(
            (before, tuple(after[outcome] for outcome in Outcome))
            for before, after in (comparison.overall.transitions or {}).items()
        ),
        warnings=comparison.warnings,
    )


def _shift(cell: ComparedCell, key: str, shift: Shift, adjusted: Adjusted | None, unit: float) -> ShiftView:
    low, high = shift.ci95
    return ShiftView(
        category=cell.category,
        measure=MEASURES[key].name,
        n=shift.n,
        baseline=rate(shift.baseline),
        treatment=rate(shift.treatment),
        shift=difference(shift.shift_pp),
        interval=f"{difference(low)} to {difference(high)}",
        p=_p(shift.conversation_p),
        adjusted_p=_p(adjusted.conversation_p) if adjusted else "",
        gained=len(shift.gained),
        lost=len(shift.lost),
        marks=(unit * low, unit * shift.shift_pp, unit * high),
    )


def _p(value: float) -> str:
    return f"< {SMALLEST_P}" if value < SMALLEST_P else f"{value:.3f}"

"""Warnings in plain words: what of two runs isn't compared, and where a rate isn't the one of the run's own table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.notes import counted
from gar_metrics.records import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gar_metrics.comparing import ComparedCell, Comparison
    from gar_metrics.records import Cell, Run

TOLERANCE = 1e-9
"""Percent points that two ways of rounding one rate may lie apart."""


def pair_notes(baseline: Run, treatment: Run, cells: Sequence[ComparedCell]) -> tuple[str, ...]:
    """What the reader of a comparison must know about the pair, one line each."""
    ours = {cell.category: cell for cell in baseline.cells}
    theirs = {cell.category: cell for cell in treatment.cells}
    compared = {cell.category: cell for cell in cells}
    notes = list(_ruleset_notes(baseline, treatment))
    for category in CATEGORIES:
        if category in compared:
            notes += _cell_notes(compared[category], ours[category], theirs[category])
        elif category in ours and category in theirs:
            notes.append(f"{category}: the runs have no case in common, so it isn't compared")
        elif category in ours or category in theirs:
            side = "baseline" if category in ours else "treatment"
            notes.append(f"{category}: only the {side} has it, so it isn't compared")
    return (*notes, *_overall_notes(cells))


def all_notes(comparison: Comparison) -> list[str]:
    """The warnings of a comparison, and those of the two runs."""
    return [
        *comparison.warnings,
        *coverage_notes("baseline", comparison.baseline, comparison.cells),
        *coverage_notes("treatment", comparison.treatment, comparison.cells),
    ]


def coverage_notes(side: str, run: Run, cells: Sequence[ComparedCell]) -> list[str]:
    """What the run's own table warns of, in the categories compared; each line names the side."""
    compared = {cell.category for cell in cells}
    return [
        f"{side}, {cell.category}: {warning}"
        for cell in run.cells
        if cell.category in compared
        for warning in cell.warnings
    ]


def _ruleset_notes(baseline: Run, treatment: Run) -> Iterator[str]:
    if baseline.ruleset != treatment.ruleset:
        yield (
            f"the rulesets differ, {baseline.ruleset} in the baseline and {treatment.ruleset} in the treatment: "
            "a shift of GAR may come from them alone"
        )


def _cell_notes(compared: ComparedCell, ours: Cell, theirs: Cell) -> Iterator[str]:
    category, n = compared.category, compared.n
    if n < max(ours.n, theirs.n):
        yield (
            f"{category}: compared over the {counted(n, 'common case')} only, which leaves out {ours.n - n} of the "
            f"baseline's {ours.n} and {theirs.n - n} of the treatment's {theirs.n}"
        )
    if "gold_turn_gar" not in compared.shifts and any(
        case.gold_turn_hit is not None for cell in (ours, theirs) for case in cell.cases
    ):
        yield f"{category}: gold-turn GAR isn't compared, since the gold turn of some case isn't known"
    if moved := _moved_gold_turns(ours, theirs):
        yield (
            f"{category}: the runs' indexes name different gold turns for {counted(moved, 'case')}: a shift of "
            "gold-turn GAR may come from that alone"
        )
    acc = compared.shifts.get("acc")
    if acc is None:
        reasons = [*_unsettled("baseline", ours), *_unsettled("treatment", theirs)]
        yield f"{category}: Acc isn't compared, since {' and '.join(reasons)}"
        return
    for side, cell, rate in (("baseline", ours, acc.baseline), ("treatment", theirs, acc.treatment)):
        if cell.acc is not None and abs(cell.acc - rate) > TOLERANCE:
            yield (
                f"{category}: Acc of the {side} is {rate:.1f}% over the common cases, {cell.acc:.1f}% by the head of "
                "its score file"
            )


def _moved_gold_turns(ours: Cell, theirs: Cell) -> int:
    """Number of common cases of which each run's index names another gold turn."""
    turns = {case.id: case.gold_turn for case in theirs.cases}
    return sum(case.gold_turn not in (None, turns[case.id]) for case in ours.cases if turns.get(case.id) is not None)


def _unsettled(side: str, cell: Cell) -> Iterator[str]:
    """Why the cell's cases don't tell whether they passed, if they don't."""
    if any(case.passed is None for case in cell.cases):
        yield f"the score file of the {side} contradicts its rows" if cell.score else f"the {side} has no score file"


def _overall_notes(cells: Sequence[ComparedCell]) -> Iterator[str]:
    names = [cell.category for cell in cells]
    if len(names) < len(CATEGORIES):
        yield f"overall is the mean of {len(names)} of {len(CATEGORIES)} categories: {', '.join(names)}"
    for key, name in (("acc", "Acc"), ("gold_turn_gar", "gold-turn GAR")):
        missing = [cell.category for cell in cells if key not in cell.shifts]
        if 0 < len(missing) < len(cells):
            yield f"overall {name} isn't compared, since {', '.join(missing)} lacks it"

"""Two runs of the same cases compared: how far each rate moved, how surely, and which cases flipped."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from gar_metrics.comparison_notes import pair_notes
from gar_metrics.errors import GarError, shown
from gar_metrics.outcomes import Outcome
from gar_metrics.shifts import category_shift, mean_shift
from gar_metrics.stats.multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gar_metrics.records import Case, Cell, Run
    from gar_metrics.shifts import Shift

    Hits = Mapping[str, tuple[bool, bool]]

OVERALL = "overall"
"""Stands for a category where all of them are meant."""


class Measure(NamedTuple):
    """What is counted of a case: its name in tables, and whether a case is a hit (None where its files don't tell)."""

    name: str
    of: Callable[[Case], bool | None]


MEASURES: dict[str, Measure] = {
    "acc": Measure("Acc", attrgetter("passed")),
    "gar": Measure("GAR", attrgetter("gold_emitted")),
    "gold_turn_gar": Measure("gold-turn GAR", attrgetter("gold_turn_hit")),
}
"""The measures by their key in files, in the order of every table; the third needs the gold turn of every case."""


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """One category of two runs, or all of them: ``category`` is then ``overall``, each rate the categories' mean.

    Attributes:
        category: One of `CATEGORIES`, or ``overall``.
        n: Number of common cases.
        shifts: By the key of `MEASURES`; a measure that some case doesn't tell is left out.
        transitions: Number of cases by the baseline's outcome and then the treatment's; None if one isn't known.
    """

    category: str
    n: int
    shifts: Mapping[str, Shift]
    transitions: Mapping[Outcome, Mapping[Outcome, int]] | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A treatment against a baseline: the categories that both have, all of them together, and what to beware of."""

    baseline: Run
    treatment: Run
    cells: tuple[ComparedCell, ...]
    overall: ComparedCell
    warnings: tuple[str, ...]


class Adjusted(NamedTuple):
    """The two p values of a measure's overall shift, Holm-adjusted over the family."""

    mcnemar_p: float
    conversation_p: float


@dataclass(frozen=True, slots=True)
class Family:
    """Several treatments against one baseline; ``adjusted`` holds for each of them the adjusted p by measure.

    What is adjusted for is the number of runs: per measure, the overall tests of all runs that have it. The tests of
    single categories stay as they are.
    """

    baseline: Run
    comparisons: tuple[Comparison, ...]
    adjusted: tuple[Mapping[str, Adjusted], ...]

    @property
    def sizes(self) -> dict[str, int]:
        """By measure, the number of tests that its p values are adjusted for."""
        counts = {key: sum(key in adjusted for adjusted in self.adjusted) for key in MEASURES}
        return {key: count for key, count in counts.items() if count}


def compare_runs(baseline: Run, treatment: Run) -> Comparison:
    """The treatment against the baseline, over the cases that both have.

    Rates are counted anew over those cases: they differ from those of `Cell` where a run has other cases too. What
    isn't compared, and why, is said in ``warnings``.

    Raises:
        GarError: The runs share no case.
    """
    treated = {cell.category: cell for cell in treatment.cells}
    both = [(cell, treated[cell.category]) for cell in baseline.cells if cell.category in treated]
    common = [(ours, theirs, pairs) for ours, theirs in both if (pairs := _pairs(ours, theirs))]
    if not common:
        what = f"shares no case with the baseline, {shown(baseline.folder)}"
        raise GarError(what, path=treatment.folder)
    hits = {ours.category: _hits(pairs) for ours, _, pairs in common}
    cells = tuple(
        ComparedCell(
            category=ours.category,
            n=len(pairs),
            shifts={key: category_shift(of_cases) for key, of_cases in hits[ours.category].items()},
            transitions=_transitions(pairs),
        )
        for ours, _, pairs in common
    )
    measured = [key for key in MEASURES if all(key in by_measure for by_measure in hits.values())]
    shifts = {key: mean_shift([by_measure[key] for by_measure in hits.values()]) for key in measured}
    overall = ComparedCell(OVERALL, sum(cell.n for cell in cells), shifts, _summed(cells))
    return Comparison(baseline, treatment, cells, overall, pair_notes(baseline, treatment, cells))


def compare_many(baseline: Run, treatments: Iterable[Run]) -> Family:
    """Each treatment against the baseline, and the p values of the overall shifts adjusted for their number.

    Raises:
        GarError: There is no treatment, or one shares no case with the baseline.
    """
    comparisons = tuple(compare_runs(baseline, run) for run in treatments)
    if not comparisons:
        what = "there is no run to compare with this baseline"
        raise GarError(what, path=baseline.folder)
    adjusted: tuple[dict[str, Adjusted], ...] = tuple({} for _ in comparisons)
    for key in MEASURES:
        members = [place for place, comparison in enumerate(comparisons) if key in comparison.overall.shifts]
        shifts = [comparisons[place].overall.shifts[key] for place in members]
        cases, conversations = holm([s.mcnemar_p for s in shifts]), holm([s.conversation_p for s in shifts])
        for place, case_p, conversation_p in zip(members, cases, conversations, strict=True):
            adjusted[place][key] = Adjusted(case_p, conversation_p)
    return Family(baseline, comparisons, adjusted)


def _pairs(ours: Cell, theirs: Cell) -> list[tuple[Case, Case]]:
    """The cases that both cells have, in the order of the baseline's."""
    treated = {case.id: case for case in theirs.cases}
    return [(case, treated[case.id]) for case in ours.cases if case.id in treated]


def _hits(pairs: Sequence[tuple[Case, Case]]) -> dict[str, Hits]:
    """By measure, whether baseline and treatment hit each case; without the measures that some case doesn't tell."""
    return {
        key: hits for key, measure in MEASURES.items() if len(hits := dict(_settled(pairs, measure.of))) == len(pairs)
    }


def _settled(
    pairs: Iterable[tuple[Case, Case]], hit: Callable[[Case], bool | None]
) -> Iterable[tuple[str, tuple[bool, bool]]]:
    for case, treated in pairs:
        before, after = hit(case), hit(treated)
        if before is not None and after is not None:
            yield case.id, (before, after)


def _transitions(pairs: Sequence[tuple[Case, Case]]) -> dict[Outcome, dict[Outcome, int]] | None:
    outcomes = [(case.outcome, treated.outcome) for case, treated in pairs]
    if any(None in pair for pair in outcomes):
        return None
    return {before: {after: outcomes.count((before, after)) for after in Outcome} for before in Outcome}


def _summed(cells: Sequence[ComparedCell]) -> dict[Outcome, dict[Outcome, int]] | None:
    parts = [cell.transitions for cell in cells if cell.transitions is not None]
    if len(parts) < len(cells):
        return None
    return {before: {after: sum(part[before][after] for part in parts) for after in Outcome} for before in Outcome}

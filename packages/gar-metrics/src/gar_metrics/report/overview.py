"""The figures of the page's table and of its opening sentences, as the texts that are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics.errors import one_line, shown
from gar_metrics.outcomes import Outcome
from gar_metrics.records import percent
from gar_metrics.render import overall, run_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gar_metrics.records import Cell, Run

ABSENT = "–"
MINUS = "−"


@dataclass(frozen=True, slots=True)
class CellView:
    """A row of the table; ``outcomes`` holds (outcome, number of cases), empty where they aren't known.

    ``measurable`` is False where no text was read that could show the gold class, as in `Cell`.
    """

    category: str
    gold: str
    n: int
    gar: str
    gar_interval: str
    acc: str
    acc_interval: str
    difference: str
    masked: str
    gold_turn_gar: str
    gold_turn_interval: str
    outcomes: tuple[tuple[Outcome, int], ...]
    measurable: bool


@dataclass(frozen=True, slots=True)
class RunView:
    """A run: its number, its names, its rows, its overall Acc and what must be known about it."""

    number: int
    label: str
    folder: str
    ruleset: str
    overall: str
    cells: tuple[CellView, ...]
    notes: tuple[str, ...]


def run_view(number: int, run: Run, label: str) -> RunView:
    """The run as the page shows it."""
    return RunView(
        number=number,
        label=label,
        folder=one_line(shown(run.folder)),
        ruleset=run.ruleset,
        overall=overall(run),
        cells=tuple(_cell_view(cell) for cell in run.cells),
        notes=tuple(run_notes(run)),
    )


def findings(runs: Sequence[Run], labels: Sequence[str]) -> tuple[str, ...]:
    """Sentences that say what the figures come to: masked passes, where most of them are, failures in execution."""
    known = [
        (label, cell, cell.outcomes)
        for label, run in zip(labels, runs, strict=True)
        for cell in run.cells
        if cell.outcomes
    ]
    if not known:
        return ("No score file settles which cases passed, so only GAR is measured.",)
    judged = [(label, cell.category, outcomes) for label, cell, outcomes in known if cell.measurable]
    blind = [f"{cell.category} of {label}" for label, cell, _ in known if not cell.measurable]
    left_out = f"No text was read that could show a question or a refusal, so this leaves out {', '.join(blind)}."
    return (*_sentences(judged), left_out) if blind else _sentences(judged)


def _sentences(judged: Sequence[tuple[str, str, dict[Outcome, int]]]) -> tuple[str, ...]:
    """Of cells that can be measured: the run's label, the category and the number of cases by outcome."""
    masked = sum(outcomes[Outcome.MASKED_PASS] for _, _, outcomes in judged)
    passes = masked + sum(outcomes[Outcome.CALIBRATED_PASS] for _, _, outcomes in judged)
    failed = sum(outcomes[Outcome.EXECUTION_FAILURE] for _, _, outcomes in judged)
    hits = failed + passes - masked
    sentences = []
    if masked:
        label, category, outcomes = max(judged, key=lambda cell: cell[2][Outcome.MASKED_PASS])
        share = f"{outcomes[Outcome.MASKED_PASS]:,} of its {_passes(outcomes):,} passes"
        sentences.append(
            f"Of {passes:,} passes, {masked:,} ({percent(masked, passes):.1f}%) are masked: "
            "the grader passed a case in which the model never did the right kind of thing."
        )
        sentences.append(f"The largest part of them: {category} of {label}, {share}.")
    elif passes:
        sentences.append(f"None of the {passes:,} passes is masked: in each the model did the right kind of thing.")
    if failed:
        sentences.append(
            f"Of {hits:,} cases with the right kind of action, {failed:,} ({percent(failed, hits):.1f}%) failed all "
            "the same: there the fault is in execution, not in the choice of action."
        )
    elif hits:
        sentences.append(f"All {hits:,} cases with the right kind of action passed.")
    return tuple(sentences)


def rate(value: float | None) -> str:
    """A percentage with one decimal, or a dash."""
    return ABSENT if value is None else f"{value:.1f}"


def difference(value: float | None) -> str:
    """Percent points with sign and one decimal, or a dash."""
    if value is None:
        return ABSENT
    rounded = round(value, 1)
    return f"{'+' if rounded > 0 else MINUS if rounded < 0 else ''}{abs(rounded):.1f}"


def interval(bounds: tuple[float, float] | None) -> str:
    """Two percentages, or nothing."""
    return "" if bounds is None else f"{bounds[0]:.1f}–{bounds[1]:.1f}"


def _cell_view(cell: Cell) -> CellView:
    return CellView(
        category=cell.category,
        gold=cell.gold.name,
        n=cell.n,
        gar=rate(cell.gar),
        gar_interval=interval(cell.gar_ci95),
        acc=rate(cell.acc),
        acc_interval=interval(cell.acc_ci95),
        difference=difference(cell.gar_minus_acc),
        masked=rate(cell.masked_share),
        gold_turn_gar=rate(cell.gold_turn_gar),
        gold_turn_interval=interval(cell.gold_turn_gar_ci95),
        outcomes=tuple((cell.outcomes or {}).items()),
        measurable=cell.measurable,
    )


def _passes(outcomes: dict[Outcome, int]) -> int:
    return outcomes[Outcome.CALIBRATED_PASS] + outcomes[Outcome.MASKED_PASS]

"""What passes between the modules: frozen records, from the files of a run up to its table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from action_classifier import GOLD_ACTIONS, PRIORITY
from gar_metrics.outcomes import Outcome
from gar_metrics.stats.intervals import wilson

if TYPE_CHECKING:
    from pathlib import Path

    from action_classifier import Action

CATEGORIES: tuple[str, ...] = tuple(GOLD_ACTIONS)
"""The BFCL multi-turn categories that have a gold class, in the order of every table."""


@dataclass(frozen=True, slots=True)
class CategoryFiles:
    """Where one category of a run is stored; ``score`` is None if the run wasn't scored."""

    category: str
    results: Path
    score: Path | None


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Where one model's results are stored: its folder, the files of each category, the index of gold turns if any."""

    model: str
    folder: Path
    files: tuple[CategoryFiles, ...]
    gold_turns: Path | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One result row, reduced to what the metrics need.

    Attributes:
        id: The case id.
        line: Line of the result file, counted from 1.
        emitted: The classes of all its emissions, over all turns.
        turns: The class of each turn: of the classes of its emissions the first in `action_classifier.PRIORITY`, None
            if it emitted nothing. Empty for an error row.
        error_row: Its result is an error message: nothing was emitted.
        texts: Number of its text emissions.
        unread_texts: Number of its emissions that hold text in a list, which the ruleset didn't read.
    """

    id: str
    line: int
    emitted: frozenset[Action]
    turns: tuple[Action | None, ...]
    error_row: bool
    texts: int
    unread_texts: int


@dataclass(frozen=True, slots=True)
class Results:
    """A result file: one row per case in the order of the case numbers, and what was odd about it."""

    path: Path
    category: str
    ruleset: str
    rows: tuple[Row, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A score file: how many of how many cases passed, and the ids of those that failed."""

    path: Path
    correct: int
    total: int
    failing: frozenset[str]


@dataclass(frozen=True, slots=True)
class Case:
    """One judged case.

    Attributes:
        id: The case id.
        line: Line of the result file, counted from 1.
        emitted: The classes of all its emissions, over all turns.
        error_row: Its result is an error message: nothing was emitted.
        gold_emitted: Some emission has the gold class.
        passed: Whether the grader passed it; None, as is ``outcome``, where no score file settles it.
        outcome: ``gold_emitted`` crossed with ``passed``.
        gold_turn: Index of the turn that calls for the gold class, from 0; None if no index tells.
        gold_turn_class: The class of that turn (see `Row.turns`); None if it emitted nothing, isn't there or isn't
            known.
        gold_turn_hit: That class is the gold class; None if the turn isn't known. A turn that isn't there is a miss.
    """

    id: str
    line: int
    emitted: frozenset[Action]
    error_row: bool
    gold_emitted: bool
    passed: bool | None
    outcome: Outcome | None
    gold_turn: int | None
    gold_turn_class: Action | None
    gold_turn_hit: bool | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One category of a run: its cases (at least one), and the rates that follow from them.

    Rates are percentages, differences percent points, neither rounded. What needs a score file is None without one;
    what needs the outcome of every case is None too when the score file and the result rows disagree, and what needs
    the gold turn of every case is None unless an index names each. ``measurable`` is False where the gold class shows
    in texts, and the result file holds none that the ruleset reads: GAR is then a lower bound of unknown distance.
    """

    category: str
    gold: Action
    results: Path
    measurable: bool
    cases: tuple[Case, ...] = field(repr=False)
    score: Score | None = field(repr=False)
    warnings: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of cases, error rows included."""
        return len(self.cases)

    @property
    def gar_hits(self) -> int:
        """Number of cases that emitted the gold class."""
        return sum(case.gold_emitted for case in self.cases)

    @property
    def error_rows(self) -> int:
        """Number of cases lost to an error; they are part of n and never hit."""
        return sum(case.error_row for case in self.cases)

    @property
    def classes(self) -> dict[Action, int]:
        """Number of cases that emitted each class."""
        return {action: sum(action in case.emitted for case in self.cases) for action in PRIORITY}

    @property
    def gar(self) -> float:
        """Gold Action Recall: share of the cases that emitted the gold class."""
        return percent(self.gar_hits, self.n)

    @property
    def gar_ci95(self) -> tuple[float, float]:
        """Wilson 95% interval of `gar`."""
        return percent_interval(self.gar_hits, self.n)

    @property
    def gar_answered(self) -> float | None:
        """GAR over the cases that aren't error rows; None if all are."""
        answered = self.n - self.error_rows
        return percent(self.gar_hits, answered) if answered else None

    @property
    def gold_turn_n(self) -> int | None:
        """Number of cases that gold-turn GAR is about: `n`, if the gold turn of each is known."""
        return None if any(case.gold_turn is None for case in self.cases) else self.n

    @property
    def gold_turn_hits(self) -> int | None:
        """Number of cases whose gold turn has the gold class; error rows and turns that aren't there are misses."""
        return None if self.gold_turn_n is None else sum(case.gold_turn_hit is True for case in self.cases)

    @property
    def gold_turn_gar(self) -> float | None:
        """Share of the cases whose gold turn has the gold class."""
        return None if self.gold_turn_hits is None else percent(self.gold_turn_hits, self.n)

    @property
    def gold_turn_gar_ci95(self) -> tuple[float, float] | None:
        """Wilson 95% interval of `gold_turn_gar`."""
        return None if self.gold_turn_hits is None else percent_interval(self.gold_turn_hits, self.n)

    @property
    def correct(self) -> int | None:
        """Number of cases that the grader passed, from the head of the score file."""
        return self.score.correct if self.score else None

    @property
    def acc(self) -> float | None:
        """The benchmark's accuracy, from the head of the score file."""
        return percent(self.score.correct, self.score.total) if self.score else None

    @property
    def acc_ci95(self) -> tuple[float, float] | None:
        """Wilson 95% interval of `acc`."""
        return percent_interval(self.score.correct, self.score.total) if self.score else None

    @property
    def gar_minus_acc(self) -> float | None:
        """GAR - Acc; where outcomes exist, exactly the shares execution_failure - masked_pass."""
        if self.score is None:
            return None
        # One division of integers: subtracting two rounded rates could miss the exact value by a bit.
        hits, n, correct, total = self.gar_hits, self.n, self.score.correct, self.score.total
        return percent(hits * total - correct * n, n * total)

    @property
    def outcomes(self) -> dict[Outcome, int] | None:
        """Number of cases with each outcome."""
        if any(case.outcome is None for case in self.cases):
            return None
        return {outcome: sum(case.outcome is outcome for case in self.cases) for outcome in Outcome}

    @property
    def strict_acc(self) -> float | None:
        """Share of the cases that passed and emitted the gold class."""
        return self._outcome_share(Outcome.CALIBRATED_PASS)

    @property
    def masked_share(self) -> float | None:
        """Share of the cases that passed without the gold class."""
        return self._outcome_share(Outcome.MASKED_PASS)

    def _outcome_share(self, outcome: Outcome) -> float | None:
        outcomes = self.outcomes
        return percent(outcomes[outcome], self.n) if outcomes else None


@dataclass(frozen=True, slots=True)
class Run:
    """One model's results in one configuration: its cells in the order of `CATEGORIES`."""

    model: str
    ruleset: str
    folder: Path
    cells: tuple[Cell, ...]

    @property
    def overall_acc(self) -> float | None:
        """Unweighted mean of the cells' Acc in percent; None if a cell has no Acc, or there is no cell."""
        accs = [cell.acc for cell in self.cells if cell.acc is not None]
        return math.fsum(accs) / len(accs) if accs and len(accs) == len(self.cells) else None


def percent(part: int, whole: int) -> float:
    """100 * part / whole, rounded once: 57 of 100 is exactly 57.0."""
    return 100 * part / whole


def percent_interval(part: int, whole: int) -> tuple[float, float]:
    """The Wilson 95% interval of part / whole, in percent."""
    low, high = wilson(part, whole)
    return 100 * low, 100 * high

"""Cases judged and counted: result rows and a score become a cell, cells become a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier import Action, gold_action
from gar_metrics.errors import GarError
from gar_metrics.notes import coverage_notes, disagreements
from gar_metrics.outcomes import Outcome
from gar_metrics.records import CATEGORIES, Case, Cell, Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from gar_metrics.records import Results, Row, Score


def build_cell(results: Results, score: Score | None, gold_turns: Mapping[str, int] | None = None) -> Cell:
    """One category's cell, with warnings about whatever makes its rates less than they seem.

    Acc always comes from the head of the score file. Cases get ``passed`` and ``outcome`` only when the score file
    and the result rows agree on which cases there are and how many of them passed.

    Args:
        results: The rows.
        score: The score file that belongs to them, if there is one.
        gold_turns: The gold turn of each case, from 0, by case id; a case that isn't named gets no gold turn.

    Raises:
        GarError: There is no row, or the category has no gold class.
    """
    gold = gold_action(results.category)
    if gold is None or not results.rows:
        what = "no rows to count" if gold else f"category {results.category!r} has no gold class"
        raise GarError(what, path=results.path)
    doubts = disagreements(results, score) if score else ()
    trusted = None if doubts else score
    return Cell(
        category=results.category,
        gold=gold,
        results=results.path,
        measurable=gold is Action.TOOL_CALL or any(row.texts for row in results.rows),
        cases=tuple(_judge(row, gold, trusted, (gold_turns or {}).get(row.id)) for row in results.rows),
        score=score,
        warnings=(*results.warnings, *coverage_notes(results, gold), *doubts),
    )


def build_run(model: str, ruleset: str, folder: Path, cells: Iterable[Cell]) -> Run:
    """A run of the given cells, put in the order of `CATEGORIES`."""
    ordered = sorted(cells, key=lambda cell: CATEGORIES.index(cell.category))
    return Run(model, ruleset, folder, tuple(ordered))


def _judge(row: Row, gold: Action, score: Score | None, gold_turn: int | None) -> Case:
    gold_emitted = gold in row.emitted
    passed = None if score is None else row.id not in score.failing
    outcome = None if passed is None else Outcome.of(gold_emitted=gold_emitted, passed=passed)
    # A turn that isn't there, because the model failed or was stopped, has no class and so is a miss.
    turn_class = row.turns[gold_turn] if gold_turn is not None and gold_turn < len(row.turns) else None
    return Case(
        id=row.id,
        line=row.line,
        emitted=row.emitted,
        error_row=row.error_row,
        gold_emitted=gold_emitted,
        passed=passed,
        outcome=outcome,
        gold_turn=gold_turn,
        gold_turn_class=turn_class,
        gold_turn_hit=None if gold_turn is None else turn_class is gold,
    )

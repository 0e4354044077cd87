"""The trajectories of a cell, read again from its result file: turns with their steps, logs beside them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from gar_metrics.jsonl import numbered_objects
from gar_metrics.report.logs import StepLog, TurnLog, turn_logs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gar_metrics.records import Case, Cell


@dataclass(frozen=True, slots=True)
class Step:
    """One emission, as the row holds it, and what the log tells of it."""

    emission: object
    log: StepLog


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user said, where the log has it, and the steps that followed."""

    users: tuple[str, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """All turns of a case; an error row has a message instead."""

    turns: tuple[Turn, ...]
    error: str | None = None


def transcripts(cell: Cell) -> Iterator[tuple[Case, Transcript]]:
    """Each case of the cell with its trajectory, in the order of the file; one row is in memory at a time.

    Raises:
        GarError: The result file can't be read (any more).
    """
    cases = {case.line: case for case in cell.cases}
    for line, record in numbered_objects(cell.results):
        if line in cases:  # a repeated row counts once, where it stands first
            yield cases[line], _transcript(record)


def _transcript(record: dict[str, object]) -> Transcript:
    result = record.get("result")
    if not isinstance(result, list):
        return Transcript((), str(result))
    logs = turn_logs(record.get("inference_log"))
    # A logged turn without a result ended before its first emission.
    return Transcript(tuple(_turn(turn, log or TurnLog()) for turn, log in zip_longest(result, logs)))


def _turn(turn: object, log: TurnLog) -> Turn:
    emissions = turn if isinstance(turn, list) else [] if turn is None else [turn]
    steps = (
        Step(emission, log.steps[place] if place < len(log.steps) else StepLog())
        for place, emission in enumerate(emissions)
    )
    return Turn(log.users, tuple(steps))

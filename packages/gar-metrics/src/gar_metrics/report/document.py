"""Every case with its trajectory, as the compact document that the page's scripts read.

Lists instead of objects, numbers instead of texts and names: the orders are spelled out at each function here and in
``assets/data.js``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from action_classifier import PRIORITY
from gar_metrics.errors import one_line
from gar_metrics.outcomes import Outcome
from gar_metrics.report.emissions import shown_emission
from gar_metrics.report.packing import Pool, browser_span
from gar_metrics.report.probe_events import read_events
from gar_metrics.report.transcripts import transcripts
from gar_metrics.report.verdicts import read_verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gar_metrics.records import Case, Run
    from gar_metrics.report.probe_events import ProbeEvent
    from gar_metrics.report.transcripts import Step, Transcript, Turn
    from gar_metrics.report.verdicts import Verdict

UNKNOWN = -1
"""Stands for what isn't measured, or isn't there."""

_CLASSES = tuple(PRIORITY)
_OUTCOMES = tuple(Outcome)


def case_document(runs: Sequence[Run], labels: Sequence[str]) -> tuple[dict[str, object], list[str]]:
    """The document, and notes about what couldn't be read for it.

    ``{"texts", "cuts", "runs": [label], "cells": [[run, category, gold class, file]], "cases": [case],
    "classes": [name], "outcomes": [value]}``.

    Raises:
        GarError: A file that the runs were read from can't be read any more.
    """
    pool = Pool()
    cells: list[list[object]] = []
    cases: list[list[object]] = []
    notes: list[str] = []
    for number, run in enumerate(runs):
        events, note = read_events(run.folder)
        notes += [] if note is None else [f"{labels[number]}: {note}"]
        for cell in run.cells:
            verdicts = read_verdicts(cell.score.path) if cell.score else {}
            cases += (
                _case(case, transcript, len(cells), run.ruleset, verdicts.get(case.id), events.get(case.id, []), pool)
                for case, transcript in transcripts(cell)
            )
            cells.append([number, cell.category, _CLASSES.index(cell.gold), one_line(cell.results.name)])
    document: dict[str, object] = {
        "texts": pool.texts,
        "cuts": pool.cuts,
        "runs": list(labels),
        "cells": cells,
        "cases": cases,
        "classes": [action.name for action in _CLASSES],
        "outcomes": [outcome.value for outcome in _OUTCOMES],
    }
    return document, notes


def _case(
    case: Case,
    transcript: Transcript,
    cell: int,
    ruleset: str,
    verdict: Verdict | None,
    events: Sequence[ProbeEvent],
    pool: Pool,
) -> list[object]:
    """``[cell, id, line, outcome, passed, classes as bits, gold turn, gold turn hit, error, verdict, turns, events]``.

    A verdict is ``[kind, message, details]``; the events are those that belong to no turn.
    """
    turns = [
        _turn(turn, ruleset, [event for event in events if event.turn == place], pool)
        for place, turn in enumerate(transcript.turns)
    ]
    stray = [event for event in events if not 0 <= event.turn < len(turns)]
    return [
        cell,
        pool.number(case.id),
        case.line,
        UNKNOWN if case.outcome is None else _OUTCOMES.index(case.outcome),
        UNKNOWN if case.passed is None else int(case.passed),
        sum(1 << place for place, action in enumerate(_CLASSES) if action in case.emitted),
        UNKNOWN if case.gold_turn is None else case.gold_turn,
        UNKNOWN if case.gold_turn_hit is None else int(case.gold_turn_hit),
        pool.number(transcript.error or ""),
        [pool.number(text) for text in (verdict.kind, verdict.message, verdict.details)] if verdict else [0, 0, 0],
        turns,
        _events(stray, pool),
    ]


def _turn(turn: Turn, ruleset: str, events: Sequence[ProbeEvent], pool: Pool) -> list[object]:
    """``[user texts, steps, events]``."""
    return [_numbers(turn.users, pool), [_step(step, ruleset, pool) for step in turn.steps], _events(events, pool)]


def _step(step: Step, ruleset: str, pool: Pool) -> list[object]:
    """``[text, class, rule, cue, span start, span end, calls that ran, results, notes]``.

    Calls that ran are given where the model wrote them as text: calls held as data are the text already.
    """
    emission = shown_emission(step.emission, ruleset)
    start, end = browser_span(emission.text, emission.span) if emission.span else (UNKNOWN, UNKNOWN)
    ran = step.log.calls if isinstance(step.emission, str) else ()
    return [
        pool.number(emission.text),
        UNKNOWN if emission.action is None else _CLASSES.index(emission.action),
        pool.number(emission.rule),
        pool.number(emission.cue),
        start,
        end,
        _numbers(ran, pool),
        _numbers(step.log.results, pool),
        _numbers(step.log.notes, pool),
    ]


def _events(events: Sequence[ProbeEvent], pool: Pool) -> list[list[int]]:
    """``[[name, details], ...]``."""
    return [[pool.number(event.name), pool.number(event.details)] for event in events]


def _numbers(texts: Sequence[str], pool: Pool) -> list[int]:
    return [pool.number(text) for text in texts]

"""What a row's ``inference_log`` tells of its turns: what the user said, which calls ran, what they returned."""

from __future__ import annotations

from dataclasses import dataclass

from gar_metrics.report.texts import as_list, as_text

TURN_START = "begin_of_turn_query"
STEP = "step_"
DECODED = "model_response_decoded"


@dataclass(frozen=True, slots=True)
class StepLog:
    """One step: the calls that ran, their results in the same order, and what the harness noted beside them."""

    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnLog:
    """One turn: the user's messages, and its steps."""

    users: tuple[str, ...] = ()
    steps: tuple[StepLog, ...] = ()


def turn_logs(log: object) -> tuple[TurnLog, ...]:
    """The turns of a log, in order; none for a log that is missing or of another shape.

    In BFCL's logs, v3 and v4 alike, a turn is an object ``{"begin_of_turn_query": [messages], "step_0": [messages],
    ...}`` and lists of state stand between the turns.
    """
    return tuple(_turn(entry) for entry in as_list(log) if isinstance(entry, dict) and TURN_START in entry)


def _turn(entry: dict[str, object]) -> TurnLog:
    users = tuple(as_text(message.get("content")) for message in _messages(entry[TURN_START]))
    steps = tuple(_step(messages) for key, messages in entry.items() if key.startswith(STEP))
    return TurnLog(users, steps)


def _step(messages: object) -> StepLog:
    calls: list[str] = []
    results: list[str] = []
    notes: list[str] = []
    for message in _messages(messages):
        if message.get("role") == "tool":
            results.append(as_text(message.get("content")))
        elif message.get("role") == "handler_log":
            decoded = as_list(message.get(DECODED))
            calls += map(as_text, decoded)
            if not decoded:
                why = message.get("error", message.get("reason"))
                note = as_text(message.get("content"))
                notes.append(note if why is None else f"{note} ({as_text(why)})")
    return StepLog(tuple(calls), tuple(results), tuple(notes))


def _messages(value: object) -> list[dict[str, object]]:
    return [message for message in as_list(value) if isinstance(message, dict)]

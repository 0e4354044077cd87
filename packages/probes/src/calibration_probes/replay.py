"""Scripted conversations played to the probes, and every decision that isn't the one expected.

A file holds one conversation a line, as the project's golden file does: ``case_id``, ``sri_mode``, ``sri_variant``,
``cri_mode``, ``cri_variant``, ``functions``, ``gold_turn``, ``missed_function``, ``function_calling_mode`` and
``turns``, each with ``user`` and ``steps``. A step has the ``response`` under the keys of BFCL's handlers, the
``results`` of its calls if they ran, and what is ``expected`` of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from calibration_probes.calls import read_calls
from calibration_probes.config import VARIABLES
from calibration_probes.cri import CRI
from calibration_probes.decisions import Proceed, Retry
from calibration_probes.errors import ProbeError, shown
from calibration_probes.lines import records
from calibration_probes.records import Case, Reply
from calibration_probes.results import is_error
from calibration_probes.settings import Limits, Settings
from calibration_probes.sri import SRI
from calibration_probes.stack import ProbeStack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from calibration_probes.interface import Probe
    from calibration_probes.lines import Record
    from calibration_probes.settings import Emit
    from calibration_probes.stack import Conversation

FIELDS = {
    "halt": ("seam", "retry", "suppressed_by_gate", "drop_reply"),
    "call": ("seam", "parsed_calls", "triggered", "reason", "detector", "snapshot", "errors"),
}
"""What can be expected of a step, by its seam."""


class Replayed(NamedTuple):
    """One decision, as expected and as made.

    Attributes:
        place: File and line, case, turn and step, for people.
        expected: What the file expects, by field.
        actual: What the probes did, by field.
    """

    place: str
    expected: Mapping[str, object]
    actual: Mapping[str, object]

    def differences(self) -> list[str]:
        """One line for each field that isn't as expected."""
        pairs = [(field, _json(value), _json(self.actual.get(field))) for field, value in self.expected.items()]
        return [f"{self.place}: {field}: expected {one}, got {other}" for field, one, other in pairs if one != other]


def replay(path: Path) -> Iterator[Replayed]:
    """Every decision in a file of scripted conversations.

    Raises:
        ProbeError: The file can't be read, holds no conversation, or a line isn't of the form above.
    """
    record = None
    for record in records(path):
        yield from _replay_conversation(record)
    if record is None:
        what = "no conversation to replay"
        raise ProbeError(what, path=path)


def _replay_conversation(record: Record) -> Iterator[Replayed]:
    events: list[Mapping[str, object]] = []
    probes = [_probe(record, name, factory, events.append) for name, factory in (("sri", SRI), ("cri", CRI))]
    case = Case(
        id=record.get("case_id", str),
        functions=[function.values for function in record.each("functions")],
        gold_turn=None if record.values.get("gold_turn") is None else record.get("gold_turn", int),
    )
    conversation = ProbeStack(probes, events.append).start_case(case)
    for index, turn in enumerate(record.each("turns")):
        conversation.start_turn([{"content": turn.get("user", str)}], _offered(record, index))
        for number, step in enumerate(turn.each("steps")):
            events.clear()
            place = f"{shown(record.path)}:{record.line}: {case.id}, turn {index}, step {number}"
            yield Replayed(place, _expected(step), _play(conversation, step, events))
    conversation.end_case()


def _probe(record: Record, name: str, factory: type[SRI | CRI], emit: Emit) -> Probe:
    modes = VARIABLES[name].modes
    mode = modes[record.one_of(f"{name}_mode", modes)]
    return factory(Settings(record.one_of(f"{name}_variant", factory.variants), mode, emit=emit))


def _offered(record: Record, turn: int) -> list[dict[str, object]]:
    """The tools offered at a turn: in function-calling mode those held out join when their turn comes."""
    functions = list(record.each("functions"))
    if record.get("function_calling_mode", bool):
        held_out = record.inner("missed_function")
        for key in sorted(held_out.values):
            if not key.isdecimal():
                raise held_out.error(key, "expected the index of a turn")
            functions += held_out.each(key) if int(key) <= turn else ()
    return [function.values for function in functions]


def _expected(step: Record) -> dict[str, object]:
    expected = step.inner("expected")
    known = FIELDS[expected.one_of("seam", FIELDS)]
    for field in expected.values:
        if field not in known:
            raise expected.error(field, f"none of {', '.join(known)}")
    return expected.values


def _play(conversation: Conversation, step: Record, events: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """What the probes make of a step."""
    response = step.inner("response")
    reply = Reply(
        response=response.values.get("model_responses"),
        decoded=tuple(response.get("model_responses_decoded", list, [])),
        message=response.values.get("model_responses_message_for_chat_history"),
    )
    calls = read_calls(reply)
    if not calls and not reply.decoded:
        decision = conversation.on_halt(reply)
        logged = events[-1] if events else {}
        return {
            "seam": "halt",
            "retry": isinstance(decision, Retry),
            "suppressed_by_gate": logged.get("suppressed_by_gate", False),
            "drop_reply": logged.get("drop_reply"),
        }
    decision = conversation.on_call(reply)
    logged = events[-1] if events else {}
    results = step.get("results", list, [])
    conversation.on_results(results)
    return {
        "seam": "call",
        "parsed_calls": [placed.call.as_dict() for placed in calls],
        "triggered": not isinstance(decision, Proceed),
        "reason": decision.reason,
        "detector": logged.get("detector", []),
        "snapshot": conversation.state.text(Limits().state_chars) if conversation.state.domains else None,
        "errors": [is_error(result) for result in results],
    }


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)

"""A small made-up conversation that brings every probe of the package to act, to show what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibration_probes.decisions import Abstain, Retry
from calibration_probes.records import Case, Reply
from calibration_probes.stack import ProbeStack

if TYPE_CHECKING:
    from calibration_probes.decisions import Decision
    from calibration_probes.interface import Probe

_FUNCTIONS: tuple[dict[str, object], ...] = tuple(
    {"name": name, "parameters": {}} for name in ("mv", "lockDoors", "send_message")
)
# The turn that acts is the gold turn, without which cri:bypass stays quiet.
_CASE = Case("multi_turn_miss_param_0", _FUNCTIONS, gold_turn=1)
_FIRST_REQUEST = "Move notes.txt into the folder archive, and lock the doors of my car."
_FIRST_CALLS = ("mv(source='notes.txt', destination='archive')", "lockDoors(unlock=False, door=['driver'])")
_SECOND_REQUEST = "Tell USR002 that the notes are in the archive, and post it too."
_SECOND_CALLS = ("send_message(receiver_id='USR002', message='The notes are in the archive.')",)
_SUSPECT_CALLS = ("post_tweet(content='The notes are in the archive.')",)


def said_in_sample(probe: Probe) -> list[str]:
    """What the probe brings into the sample conversation, at its halt and then at its suspect call; often one text."""
    conversation = ProbeStack([probe]).start_case(_CASE)
    for request, calls in ((_FIRST_REQUEST, _FIRST_CALLS), (_SECOND_REQUEST, _SECOND_CALLS)):
        conversation.start_turn([{"role": "user", "content": request}], _FUNCTIONS)
        conversation.on_call(Reply("", calls))
        conversation.on_results(["{}"] * len(calls))
    decisions = (
        conversation.on_halt(Reply("All done: USR002 knows.", decode_error=True)),
        conversation.on_call(Reply("", _SUSPECT_CALLS)),
    )
    conversation.end_case()
    return [text for decision in decisions if (text := _said(decision)) is not None]


def _said(decision: Decision) -> str | None:
    if isinstance(decision, Retry):
        return decision.instruction
    return decision.text if isinstance(decision, Abstain) else None

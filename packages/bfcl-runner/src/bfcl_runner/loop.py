"""One conversation: the loop over turns and steps that upstream runs, over any backend."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from bfcl_runner.benchmark import upstream
from bfcl_runner.decoding import is_empty
from bfcl_runner.environment import Environment
from bfcl_runner.errors import DecodeError
from calibration_probes import Abstain, ProbeStack, Proceed, Retry
from calibration_probes import Case as ProbedCase
from calibration_probes import Reply as ProbedReply

if TYPE_CHECKING:
    from bfcl_runner.backends.base import Backend, Dialogue, Message, Reply
    from bfcl_runner.dataset import Case
    from calibration_probes import Conversation as ObservedCase

Row = dict[str, Any]
"""One line of a result file."""


@dataclass
class _Turn:
    """What one turn adds to the result row."""

    replies: list[Reply] = field(default_factory=list)
    log: dict[str, Any] = field(default_factory=dict)
    out_of_steps: bool = False


def run_case(case: Case, backend: Backend, probes: ProbeStack | None = None) -> Row:
    """The result row of one conversation, with upstream's keys and the same `result` for the same replies.

    A turn ends with the first reply that holds no call; a case ends early when one turn takes more than
    upstream's limit of executed steps. State snapshots are left out of the log.

    Args:
        case: The case.
        backend: The model.
        probes: What may act between a reply and what the loop makes of it.
    """
    dialogue = backend.open(case)
    observed = (probes or ProbeStack(())).start_case(_probed(case))
    conversation = _Conversation(dialogue, Environment(case), observed)
    held_out: dict[str, list[dict[str, Any]]] = case.entry.get("missed_function", {})
    turns: list[_Turn] = []
    try:
        for index, question in enumerate(case.entry["question"]):
            messages = dialogue.hand_over(held_out[str(index)]) if str(index) in held_out else question
            turns.append(conversation.run_turn(messages))
            if turns[-1].out_of_steps:
                break
    finally:
        observed.end_case()
    return _row(case, turns)


def _probed(case: Case) -> ProbedCase:
    """The case as probes see it: only the categories that withhold something have a gold turn for them."""
    withholds = case.category in ("miss_func", "miss_param")
    return ProbedCase(case.id, case.entry["function"], case.gold_turn if withholds else None)


class _Outcome(Enum):
    """What came of a reply."""

    RAN = auto()
    ASKED_AGAIN = auto()
    ENDED = auto()


class _Conversation:
    """The parts that take turns: the model, the simulated APIs and the probes."""

    def __init__(self, dialogue: Dialogue, environment: Environment, observed: ObservedCase) -> None:
        self._dialogue = dialogue
        self._environment = environment
        self._observed = observed
        self._step_limit: int = upstream("constants.default_prompts").MAXIMUM_STEP_LIMIT

    def run_turn(self, messages: list[Message]) -> _Turn:
        """Asks the model until it makes no more calls."""
        entered = self._dialogue.add_user_turn(messages)
        self._observed.start_turn(entered, self._dialogue.offered)
        turn = _Turn(log={"begin_of_turn_query": entered})
        for steps in itertools.count(1):
            log: list[dict[str, Any]] = []
            turn.log[f"step_{steps - 1}"] = log
            outcome = self._step(turn, log)
            if outcome is _Outcome.ENDED:
                break
            # A reply that a probe answered counts as a step, but only a step that ran can be one too many.
            if outcome is _Outcome.RAN and steps > self._step_limit:
                turn.out_of_steps = True
                log.append(_handler_log(f"Model has been forced to quit after {self._step_limit} steps."))
                break
        return turn

    def _step(self, turn: _Turn, log: list[dict[str, Any]]) -> _Outcome:
        """What came of one more reply."""
        reply = self._dialogue.query()
        turn.replies.append(reply)
        log.append({"role": "assistant", "content": reply.emission})
        if reply.reasoning:
            log[-1]["reasoning_content"] = reply.reasoning
        calls, failed = _decode(self._dialogue, reply, log)
        halts = is_empty(calls)
        seam = self._observed.on_halt if halts else self._observed.on_call
        seen = ProbedReply(reply.emission, tuple(calls), self._dialogue.last_message, decode_error=failed)
        decision = seam(seen)
        if not isinstance(decision, Proceed):
            return self._follow(decision, turn, log, halts=halts)
        if halts:
            return _Outcome.ENDED
        results = [self._environment.execute(call) for call in calls]
        self._dialogue.add_results(calls, results)
        self._observed.on_results(results)
        log.extend({"role": "tool", "content": result} for result in results)
        return _Outcome.RAN

    def _follow(self, decision: Retry | Abstain, turn: _Turn, log: list[dict[str, Any]], *, halts: bool) -> _Outcome:
        """Does what a probe decided."""
        if not halts:
            # The scorer decodes and runs what stands in the record: a reply whose calls didn't run must leave it.
            turn.replies.pop()
        if isinstance(decision, Abstain):
            log.append(_handler_log("A probe ended the turn.", reason=decision.reason))
            self._dialogue.drop_reply()
            self._dialogue.add_message({"role": "assistant", "content": decision.text})
            return _Outcome.ENDED
        log.append(_handler_log("A probe asks again.", reason=decision.reason))
        if decision.drop_reply:
            self._dialogue.drop_reply()
        self._dialogue.add_message({"role": "system", "content": decision.instruction})
        return _Outcome.ASKED_AGAIN


def _decode(dialogue: Dialogue, reply: Reply, log: list[dict[str, Any]]) -> tuple[list[str], bool]:
    """The calls of a reply, and whether it can't be decoded; the log says so too."""
    try:
        calls = dialogue.decode(reply.emission)
    except DecodeError as error:
        log.append(_handler_log("Error decoding the model response. Proceed to next turn.", error=str(error)))
        return [], True
    log.append(_handler_log("Successfully decoded model response.", model_response_decoded=calls))
    if is_empty(calls):
        message = "Empty response from the model. Proceed to next turn."
        log.append(_handler_log(message, model_response_decoded=calls))
    return calls, False


def _handler_log(content: str, **details: object) -> dict[str, Any]:
    return {"role": "handler_log", "content": content, **details}


def _row(case: Case, turns: list[_Turn]) -> Row:
    row: Row = {
        "id": case.id,
        "result": [[reply.emission for reply in turn.replies] for turn in turns],
        "input_token_count": [[reply.input_tokens for reply in turn.replies] for turn in turns],
        "output_token_count": [[reply.output_tokens for reply in turn.replies] for turn in turns],
        "latency": [[reply.latency for reply in turn.replies] for turn in turns],
        "inference_log": [turn.log for turn in turns],
    }
    reasoning = [[reply.reasoning for reply in turn.replies] for turn in turns]
    if any(any(turn) for turn in reasoning):
        row["reasoning_content"] = reasoning
    return row

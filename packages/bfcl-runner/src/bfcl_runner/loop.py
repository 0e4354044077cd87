"""One conversation: the loop over turns and steps that upstream runs, over any backend."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bfcl_runner.benchmark import upstream
from bfcl_runner.decoding import is_empty
from bfcl_runner.environment import Environment
from bfcl_runner.errors import DecodeError

if TYPE_CHECKING:
    from bfcl_runner.backends.base import Backend, Dialogue, Message, Reply
    from bfcl_runner.dataset import Case

Row = dict[str, Any]
"""One line of a result file."""


@dataclass
class _Turn:
    """What one turn adds to the result row."""

    replies: list[Reply] = field(default_factory=list)
    log: dict[str, Any] = field(default_factory=dict)
    out_of_steps: bool = False


def run_case(case: Case, backend: Backend) -> Row:
    """The result row of one conversation, with upstream's keys and the same `result` for the same replies.

    A turn ends with the first reply that holds no call; a case ends early when one turn takes more than
    upstream's limit of executed steps. State snapshots are left out of the log.
    """
    dialogue = backend.open(case)
    environment = Environment(case)
    held_out: dict[str, list[dict[str, Any]]] = case.entry.get("missed_function", {})
    turns: list[_Turn] = []
    for index, question in enumerate(case.entry["question"]):
        messages = dialogue.hand_over(held_out[str(index)]) if str(index) in held_out else question
        turns.append(_run_turn(dialogue, environment, messages))
        if turns[-1].out_of_steps:
            break
    return _row(case, turns)


def _run_turn(dialogue: Dialogue, environment: Environment, messages: list[Message]) -> _Turn:
    turn = _Turn(log={"begin_of_turn_query": dialogue.add_user_turn(messages)})
    step_limit: int = upstream("constants.default_prompts").MAXIMUM_STEP_LIMIT
    executed_steps = 0
    while not turn.out_of_steps:
        log: list[dict[str, Any]] = []
        turn.log[f"step_{executed_steps}"] = log
        reply = dialogue.query()
        turn.replies.append(reply)
        log.append({"role": "assistant", "content": reply.emission})
        if reply.reasoning:
            log[-1]["reasoning_content"] = reply.reasoning
        calls = _decode(dialogue, reply, log)
        if is_empty(calls):
            break
        results = [environment.execute(call) for call in calls]
        dialogue.add_results(calls, results)
        log.extend({"role": "tool", "content": result} for result in results)
        executed_steps += 1
        if executed_steps > step_limit:
            turn.out_of_steps = True
            log.append(_handler_log(f"Model has been forced to quit after {step_limit} steps."))
    return turn


def _decode(dialogue: Dialogue, reply: Reply, log: list[dict[str, Any]]) -> list[str]:
    """The calls of a reply, none where it can't be decoded; the log says which."""
    try:
        calls = dialogue.decode(reply.emission)
    except DecodeError as error:
        log.append(_handler_log("Error decoding the model response. Proceed to next turn.", error=str(error)))
        return []
    log.append(_handler_log("Successfully decoded model response.", model_response_decoded=calls))
    if is_empty(calls):
        message = "Empty response from the model. Proceed to next turn."
        log.append(_handler_log(message, model_response_decoded=calls))
    return calls


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

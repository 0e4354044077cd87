"""The verdict on one result row: upstream's own checker, which gets to see literal calls only."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bfcl_runner.benchmark import upstream
from bfcl_runner.decoding import is_empty
from bfcl_runner.environment import public_methods
from bfcl_runner.errors import DecodeError
from bfcl_runner.literal_calls import RejectedCallError, parse_call
from bfcl_runner.quiet import no_warnings

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from bfcl_runner.dataset import Case

INSTANCE_STATES = ("model_instance_state", "ground_truth_instance_state")
"""Error details that repeat the whole state of a backend, half a megabyte a case; the differences stay."""

REJECTED_CALL = "call_rejected_by_the_guard"
"""What the checker evaluates in place of a call that isn't literal: a name that exists nowhere."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Upstream's verdict on a row.

    Attributes:
        valid: Whether the case passed.
        error: Upstream's error record (``error_type``, ``error_message``, details), empty if it passed.
        decoded: What was judged: call strings by turn and step, or for a single turn the calls as data.
    """

    valid: bool
    error: dict[str, Any]
    decoded: Any


def judge(case: Case, result: object, decode: Callable[[object], list[str]]) -> Verdict:
    """The verdict on what a model did in a case.

    Args:
        case: The case.
        result: The row's `result`: a list of turns of steps. An error text fails, and so does a list with
            another number of turns than the ground truth, which is how a case that ran out of steps looks.
        decode: Turns one step into call strings, raising DecodeError where it holds none.
    """
    if not isinstance(result, list):
        return _failed("inference_error", "The row holds an error text in place of the model's turns.")
    if len(result) != len(case.ground_truth):
        message = f"The row has {len(result)} turns, the ground truth {len(case.ground_truth)}."
        return _failed("force_terminated", message)
    functions = {name for class_name in case.involved_classes for name in public_methods(class_name)}
    decoded = [[_guarded(calls, functions) for calls in _decoded_steps(turn, decode)] for turn in result]
    error = _check(case, decoded)
    valid: bool = error.pop("valid")
    return Verdict(valid, error, decoded)


def describe(case: Case, result: object, verdict: Verdict) -> dict[str, Any]:
    """What a score file says of a failing conversation, in upstream's fields; the functions' documents are left out."""
    error = dict(verdict.error)
    if isinstance(details := error.get("details"), dict):
        error["details"] = {key: value for key, value in details.items() if key not in INSTANCE_STATES}
    return {
        "error": error,
        "prompt": {key: value for key, value in case.entry.items() if key != "function"},
        "model_result_raw": result,
        "model_result_decoded": verdict.decoded,
        "possible_answer": [list(turn) for turn in case.ground_truth],
    }


def _failed(error_type: str, message: str) -> Verdict:
    return Verdict(False, {"error_type": f"multi_turn:{error_type}", "error_message": [message]}, [])


def _decoded_steps(turn: object, decode: Callable[[object], list[str]]) -> list[list[str]]:
    """The calls of each step of a turn that has some; replies that hold none are not judged."""
    steps = []
    for emission in turn if isinstance(turn, list) else [turn]:
        try:
            calls = decode(emission)
        except DecodeError:
            continue
        if not is_empty(calls):
            steps.append(calls)
    return steps


def _guarded(calls: list[str], functions: Container[str]) -> list[str]:
    """The calls in a form that is safe to evaluate: rendered anew, or the rejected call."""
    guarded = []
    for call in calls:
        try:
            guarded.append(parse_call(call, functions).render())
        except (RejectedCallError, TypeError, RecursionError):  # nested too deeply to write; no text at all
            guarded.append(REJECTED_CALL)
    return guarded


def _check(case: Case, decoded: list[list[list[str]]]) -> dict[str, Any]:
    """Upstream's checker on a namespace of its own, which is emptied afterwards.

    The checker keeps backend instances as globals of its module, named after model and case: a second case or
    run under the same name would start from their leftovers.
    """
    namespace = f"judged_{uuid.uuid4().hex}"
    try:
        check = upstream("eval_checker.multi_turn_eval.multi_turn_checker").multi_turn_checker
        ground_truth = [list(turn) for turn in case.ground_truth]
        with no_warnings():
            answer: dict[str, Any] = check(decoded, ground_truth, case.entry, case.category, namespace)
    finally:
        instances = vars(upstream("eval_checker.multi_turn_eval.multi_turn_utils"))
        for name in [name for name in instances if name.startswith(namespace)]:
            del instances[name]
    return answer

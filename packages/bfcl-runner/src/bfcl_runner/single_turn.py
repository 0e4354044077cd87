"""The single-turn categories: one question, one reply, judged by the calls in it and not by what these would do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bfcl_runner.ast_checking import Question, check
from bfcl_runner.ast_decoding import ast_reading
from bfcl_runner.benchmark import upstream
from bfcl_runner.dataset import Case
from bfcl_runner.error_rows import is_error
from bfcl_runner.errors import DecodeError
from bfcl_runner.recordable import recordable
from bfcl_runner.scoring import Verdict

if TYPE_CHECKING:
    from bfcl_runner.ast_decoding import AstDecoder
    from bfcl_runner.backends.base import Backend
    from bfcl_runner.loop import Row

IRRELEVANCE = "irrelevance"
"""Here no function fits the question, and the right thing is to call none."""

AST_CATEGORIES = ("simple_python", "multiple", "parallel", "parallel_multiple")

SINGLE_TURN_CATEGORIES = (*AST_CATEGORIES, IRRELEVANCE)

NO_CALLS = "ast_decoder:decoder_failed"
NO_CALL_FORM = "ast_decoder:decoder_wrong_output_format"
NEEDLESS_CALL = "irrelevance_error:decoder_success"
NO_REPLY = "irrelevance_error:inference_error"


@dataclass(frozen=True, slots=True)
class SingleTurnCase(Case):
    """A question with the functions that may answer it.

    Attributes:
        possible_answers: A call per item, ``{name: {argument: [accepted values]}}``; none for irrelevance. There
            the one turn of `ground_truth` has no call strings, since several calls may be right.
    """

    possible_answers: tuple[dict[str, Any], ...]


@lru_cache(maxsize=len(SINGLE_TURN_CATEGORIES))
def load_single_turn_cases(category: str) -> tuple[SingleTurnCase, ...]:
    """All cases of a category, in numeric order, their functions described as upstream describes them to models.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version.
    """
    utils = upstream("utils")
    rows = [] if category == IRRELEVANCE else utils.load_ground_truth_entry(category)
    answers = {row["id"]: tuple(row["ground_truth"]) for row in rows}
    return tuple(
        SingleTurnCase(entry["id"], category, entry, ground_truth=((),), possible_answers=answers.get(entry["id"], ()))
        for entry in sorted(utils.load_dataset_entry(category), key=utils.sort_key)
    )


def run_single_turn(case: Case, backend: Backend) -> Row:
    """The result row of one reply, with the keys that upstream writes: `result` is the emission itself."""
    dialogue = backend.open(case)
    dialogue.add_user_turn(case.entry["question"][0])
    reply = dialogue.query()
    row: Row = {
        "id": case.id,
        "result": reply.emission,
        "input_token_count": reply.input_tokens,
        "output_token_count": reply.output_tokens,
        "latency": reply.latency,
    }
    if reply.reasoning:
        row["reasoning_content"] = reply.reasoning
    return row


def judge_single_turn(case: Case, result: object, decoder: str) -> Verdict:
    """Upstream's verdict on a reply.

    Args:
        case: A `SingleTurnCase`.
        result: The row's `result`.
        decoder: Name of the decoder by which replies are read.

    Raises:
        RunnerError: The checker's process has ended, or packages for upstream's handlers are missing.
        LookupError: There is no such decoder.
    """
    if not isinstance(case, SingleTurnCase):
        message = f"{case.id} is no single-turn case"
        raise TypeError(message)
    reading = ast_reading(decoder)
    if case.category == IRRELEVANCE:
        return _judge_irrelevance(result, reading.decode)
    try:
        calls = reading.decode(result)
    except DecodeError as error:
        return _failed(NO_CALLS, f"Invalid syntax. Failed to decode AST. {error}")
    if not upstream("utils").is_function_calling_format_output(calls):
        message = (
            "Did not output in the specified format. "
            "Note: the model_result is wrapped in a string to ensure json serializability."
        )
        return _failed(NO_CALL_FORM, message, str(recordable(calls)))
    answers = list(case.possible_answers)
    answer = check(Question(case.entry["function"], calls, answers, case.category, reading.underscored))
    if answer["valid"]:
        return Verdict(True, {}, recordable(calls))
    return Verdict(False, {"error": recordable(answer["error"]), "error_type": answer["error_type"]}, recordable(calls))


def _judge_irrelevance(result: object, decode: AstDecoder) -> Verdict:
    if is_error(result):
        # The one verdict that is not upstream's, which takes the text of an error for an answer without calls.
        return _failed(NO_REPLY, "No reply was to be had.")
    try:
        calls = decode(result)
    except DecodeError:
        return Verdict(True, {}, None)
    if upstream("utils").is_empty_output(calls):
        return Verdict(True, {}, recordable(calls))
    return _failed(NEEDLESS_CALL, "Valid syntax. Successfully decode AST when it should not.", recordable(calls))


def _failed(error_type: str, message: str, decoded: object = None) -> Verdict:
    return Verdict(False, {"error": [message], "error_type": error_type}, decoded)


def describe_single_turn(case: Case, result: object, verdict: Verdict) -> Row:
    """What a score file says of a failing reply, in upstream's fields."""
    if case.category == IRRELEVANCE:
        return {"prompt": case.entry, "model_result": result, "decoded_result": verdict.decoded, **verdict.error}
    wrong_form = verdict.error["error_type"] == NO_CALL_FORM
    line: Row = {**verdict.error, "prompt": case.entry, "model_result_raw": str(result) if wrong_form else result}
    if verdict.decoded is not None:
        line["model_result_decoded"] = verdict.decoded
    line["possible_answer"] = list(case.possible_answers) if isinstance(case, SingleTurnCase) else []
    return line

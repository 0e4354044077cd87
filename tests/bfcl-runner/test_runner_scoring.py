"""Verdicts on rows, and that nothing of one case reaches another."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import Case, decode_structured, judge, load_cases, make_agent, run_case
from bfcl_runner.backends.scripted import ScriptedBackend
from bfcl_runner.benchmark import upstream

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("benchmark")


def _oracle_result(case: Case) -> list[list[Any]]:
    result: list[list[Any]] = run_case(case, ScriptedBackend(make_agent("oracle")))["result"]
    return result


def test_error_row() -> None:
    """An error text in place of the turns fails as an inference error."""
    verdict = judge(load_cases("base")[0], "Error during inference: 500", decode_structured)
    assert (verdict.valid, verdict.error["error_type"]) == (False, "multi_turn:inference_error")


def test_missing_turns() -> None:
    """A row that ends early is one that was cut off."""
    case = load_cases("base")[0]
    verdict = judge(case, _oracle_result(case)[:-1], decode_structured)
    assert (verdict.valid, verdict.error["error_type"]) == (False, "multi_turn:force_terminated")


def test_empty_turn() -> None:
    """A turn without calls fails where the ground truth has some."""
    case = load_cases("base")[0]
    verdict = judge(case, [[""] for _ in case.ground_truth], decode_structured)
    assert (verdict.valid, verdict.error["error_type"]) == (False, "multi_turn:empty_turn_model_response")


def test_repeated_state_change() -> None:
    """Calls that change the state a second time fail."""
    case = load_cases("base")[0]
    result = _oracle_result(case)
    verdict = judge(case, [[result[0][0], [{"mkdir": '{"dir_name": "more"}'}], ""], *result[1:]], decode_structured)
    assert (verdict.valid, verdict.error["error_type"]) == (False, "multi_turn:instance_state_mismatch")


def test_verdicts_do_not_depend_on_what_was_judged_before() -> None:
    """The same row passes however often it is judged, and the checker's module holds no leftovers."""
    case = load_cases("base")[0]
    result = _oracle_result(case)
    before = set(vars(upstream("eval_checker.multi_turn_eval.multi_turn_utils")))
    assert [judge(case, result, decode_structured).valid for _ in range(3)] == [True] * 3
    assert before == set(vars(upstream("eval_checker.multi_turn_eval.multi_turn_utils")))


def test_verdicts_equal_those_in_other_peoples_files(shared_data: Path) -> None:
    """Structured results of another model, scored anew, fail in exactly the cases that its score file lists."""
    folder = shared_data / "bfcl_runs/gpt-oss-20b-v4"
    for category in ("base", "miss_func", "miss_param"):
        name = f"openai_gpt-oss-20b/multi_turn/BFCL_v4_multi_turn_{category}"
        rows = [json.loads(line) for line in (folder / f"result/{name}_result.json").read_bytes().splitlines()]
        score_lines = (folder / f"score/{name}_score.json").read_bytes().splitlines()[1:]
        listed = {json.loads(line)["id"] for line in score_lines}
        cases = {case.id: case for case in load_cases(category)}
        failing = {row["id"] for row in rows if not judge(cases[row["id"]], row["result"], decode_structured).valid}
        assert listed == failing, category

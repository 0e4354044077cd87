"""Guarded execution gives what upstream's `eval` gives, on honest calls, and nothing on hostile ones."""

from __future__ import annotations

import inspect
import json
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import CATEGORIES, Case, Environment, ScriptedBackend, decode_structured, judge, load_cases, run_case
from bfcl_runner.agents import Moment, play_oracle
from bfcl_runner.benchmark import upstream
from bfcl_runner.decoding import DecodeError
from bfcl_runner.environment import backend_class, public_methods

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bfcl_runner.backends.base import Emission

pytestmark = pytest.mark.usefixtures("benchmark")


@contextmanager
def _upstream_execution(case: Case) -> Iterator[Callable[[list[str]], list[str]]]:
    """Upstream's own execution of call strings in a case, on instances of its own."""
    utils = upstream("eval_checker.multi_turn_eval.multi_turn_utils")
    name = f"peer{uuid.uuid4().hex}"

    def execute(calls: list[str]) -> list[str]:
        results: list[str]
        results, _ = utils.execute_multi_turn_func_call(
            calls, case.entry["initial_config"], case.involved_classes, name, case.id, long_context=case.long_context
        )
        return results

    yield execute
    for key in [key for key in vars(utils) if key.startswith(name)]:
        del vars(utils)[key]


@pytest.mark.parametrize("category", CATEGORIES)
def test_ground_truth_gives_upstreams_results(category: str) -> None:
    """Every ground-truth call of all 800 cases, in order, positional arguments included."""
    executed = 0
    for case in load_cases(category):
        environment = Environment(case)
        with _upstream_execution(case) as execute:
            for turn in case.ground_truth:
                assert execute(list(turn)) == [environment.execute(call) for call in turn], case.id
                executed += len(turn)
    assert executed == {"base": 1142, "long_context": 1203, "miss_func": 1140, "miss_param": 1140}[category]


@pytest.mark.parametrize("model", ["openai_gpt-oss-20b", "claude-sonnet-4-5-20250929-FC"])
def test_calls_of_other_models_give_upstreams_results(shared_data: Path, model: str) -> None:
    """Thousands of calls as real models made them, with their wrong names, wrong arguments and broken JSON."""
    executed = 0
    files = sorted(shared_data.glob(f"bfcl_runs/*/result/{model}/multi_turn/*_result.json"))
    for file in files:
        category = next(category for category in CATEGORIES if f"_{category}_result" in file.name)
        cases = {case.id: case for case in load_cases(category)}
        for line in file.read_bytes().splitlines():
            executed += _compare_row(cases, json.loads(line))
    assert executed == {"openai_gpt-oss-20b": 4571, "claude-sonnet-4-5-20250929-FC": 97}[model]


def _compare_row(cases: dict[str, Case], row: dict[str, Any]) -> int:
    """The number of calls in a row, each of which gave upstream's result."""
    if isinstance(row["result"], str):
        return 0
    executed = 0
    environment = Environment(cases[row["id"]])
    with _upstream_execution(cases[row["id"]]) as execute:
        for emission in (emission for turn in row["result"] for emission in turn):
            try:
                calls = decode_structured(emission)
            except DecodeError:
                continue
            assert execute(calls) == [environment.execute(call) for call in calls], (row["id"], calls)
            executed += len(calls)
    return executed


@pytest.mark.parametrize(
    "call",
    [
        "cd(folder='nowhere')",
        "cd('document')",
        "cd()",
        "cd(folder='a', folder='b')",
        "cd(path='a')",
        "cd(1, 2)",
        "nope(x=1)",
        "GorillaFileSystem.cd(folder='document')",
        "cd(folder=nope)",
        "cd(folder={[]: 1})",
        "echo(content='a word (in) brackets', file_name='note.txt')",
        "echo (content='x')",
        "ls<|channel|>commentary(a=True)",
        "kill(1)",
        "a.unlink('x')",
        "exit",
        "ls(",
        "",
        "  ls()",
        "post_tweet(content='x', tags=['a'], mentions=[None, 1.5, {'k': (1,)}])",
        "ls(a=inf)",
        "cat(file_name='\x00')",
        "ｌｓ()",
        "(ls)()",
        "ﬁnd(path='.')",
        "\nls()",
    ],
)
def test_corner_cases_give_upstreams_results(call: str) -> None:
    """Calls that are wrong in ways that models are wrong, none of which upstream's `eval` does harm with."""
    case = load_cases("base")[0]
    with _upstream_execution(case) as execute:
        assert execute([call]) == [Environment(case).execute(call)]


def test_the_same_methods_can_be_called() -> None:
    """The names that the guard lets through are those that upstream binds to the instances, for every class."""
    for class_name in {
        name for category in CATEGORIES for case in load_cases(category) for name in case.involved_classes
    }:
        bound = inspect.getmembers(backend_class(class_name)(), predicate=inspect.ismethod)
        assert {name for name, _ in bound if not name.startswith("_")} == set(public_methods(class_name))


def test_conversations_share_no_state() -> None:
    """What one conversation does to its files, another of the same case doesn't see."""
    case = load_cases("base")[0]
    first, second = Environment(case), Environment(case)
    assert "error" not in first.execute("mkdir(dir_name='only_here')")
    assert "only_here" in first.execute("ls()")
    assert "only_here" not in second.execute("ls()")


def _payloads(canary: Path) -> list[str]:
    """Expressions that create the canary file when something evaluates them."""
    path = str(canary)
    return [
        f"open({path!r}, 'w')",
        f"__import__('pathlib').Path({path!r}).touch()",
        f"[open({path!r}, 'w') for _ in 'a']",
        f"(lambda: open({path!r}, 'w'))()",
        f"exec(\"open({path!r}, 'w')\")",
        f"str(open({path!r}, 'w'))",
    ]


def _hostile_emissions(payload: str) -> list[Emission]:
    """Replies that bring a payload in as a name, an argument's name and an argument."""
    return [
        [{payload: "{}"}],
        [{f"{payload} or cd": '{"folder": "document"}'}],
        [{f"cd(folder={payload}) or ls": "{}"}],
        [{"cd": json.dumps({f"folder={payload}, x": "document"})}],
        [{"cd": json.dumps({f"**{{}}, **{payload} or x": 1})}],
        [{"cd": json.dumps({"folder": f"'+{payload}+'"})}],
        [{"open": json.dumps({"file": payload.split("'")[1] if "'" in payload else payload, "mode": "w"})}],
        [{f"ls() if {payload} else ls": "{}"}],
    ]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_payloads_are_live(tmp_path: Path) -> None:
    """Evaluated, every payload does create its file: the tests below can fail."""
    for number, payload in enumerate(_payloads(tmp_path / "canary")):
        eval(payload)  # noqa: S307 (that is the point)
        assert (tmp_path / "canary").exists(), number
        (tmp_path / "canary").unlink()


class _OracleAfter:
    """An agent that first makes one reply of its own and then plays the ground truth."""

    def __init__(self, emission: Emission) -> None:
        self._emission = emission

    def play(self, case: Case, moment: Moment) -> list[Emission]:
        """The reply of its own comes before the first turn's calls."""
        turn = play_oracle(case, moment.turn)
        return turn if moment.turn else [self._emission, *turn]


def test_hostile_replies_are_not_evaluated(tmp_path: Path) -> None:
    """Neither while the conversation runs nor when its row is scored, and the model gets an error to read.

    The case goes on as the oracle plays it and passes: nothing that was said before has touched the state.
    """
    case = load_cases("base")[0]
    for payload in _payloads(tmp_path / "canary"):
        for emission in _hostile_emissions(payload):
            row = run_case(case, ScriptedBackend(_OracleAfter(emission)))
            tool_results = [entry["content"] for entry in row["inference_log"][0]["step_0"] if entry["role"] == "tool"]
            assert len(tool_results) == 1
            assert tool_results[0].startswith(("Error during execution: ", '{"error": "cd: '))
            assert judge(case, row["result"], decode_structured).valid
            assert list(tmp_path.iterdir()) == []


def test_hostile_call_strings_in_results_are_not_evaluated(tmp_path: Path) -> None:
    """Scoring somebody's result file is safe whatever decoder made the call strings."""
    case = load_cases("base")[0]
    turns = [[list(calls)] for calls in case.ground_truth]
    for payload in _payloads(tmp_path / "canary"):
        for call in (payload, f"cd(folder={payload})", f"cd({payload})", f"cd(folder='a') or {payload}"):
            result = [[[call], *turns[0]], *turns[1:]]
            verdict = judge(case, result, list)
            assert verdict.valid
            assert verdict.decoded[0][0] == ["call_rejected_by_the_guard"]
            assert list(tmp_path.iterdir()) == []


def test_numbers_that_would_compute_for_hours_are_refused() -> None:
    """A power of a hundred million digits, or as many digits of a root, is an error at once."""
    case = next(case for case in load_cases("base") if "MathAPI" in case.involved_classes)
    environment = Environment(case)
    assert environment.execute("power(base=2, exponent=10)") == '{"result": 1024}'
    for call in (
        "power(base=9, exponent=99999999)",
        "power(9, exponent=99999999)",
        "logarithm(value=2, base=10, precision=100000000)",
        "square_root(2, 100000000)",
    ):
        assert environment.execute(call).endswith("are too large"), call


def test_verdicts_on_numbers_that_python_writes_unlike_literals() -> None:
    """Infinity and very long integers reach the checker as they were written, and what is no text is rejected."""
    case = load_cases("base")[0]
    turns: list[Any] = [[list(calls)] for calls in case.ground_truth]
    for call in ("ls(a=1e999)", "ls(a=-1e999)", f"ls(a=0x{'f' * 5000})", "ls(a=[1e999, {'k': (1e999,)}])"):
        verdict = judge(case, [[[call], *turns[0]], *turns[1:]], list)
        assert (verdict.valid, verdict.decoded[0][0]) == (True, [call.replace(", ", ",").replace(": ", ":")])
    assert judge(case, [[[7], *turns[0]], *turns[1:]], list).decoded[0][0] == ["call_rejected_by_the_guard"]


def test_large_and_many_calls() -> None:
    """Five megabytes in one argument and ten thousand calls in one step run to their end."""
    case = load_cases("base")[0]
    environment = Environment(case)
    environment.execute("touch(file_name='big.txt')")
    assert environment.execute(f"echo(content={'x' * 5_000_000!r}, file_name='big.txt')") == "None"
    assert len(environment.execute("cat(file_name='big.txt')")) > 5_000_000
    calls = decode_structured([{"pwd": "{}"}] * 10_000)
    assert {environment.execute(call) for call in calls} == {'{"current_working_directory": "/workspace"}'}

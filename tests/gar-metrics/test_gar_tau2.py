"""Runs of tau2 and tau-bench, read: the real ones, small ones of every layout, and broken ones."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gar_metrics
from gar_metrics import GarError
from gar_metrics.tau2 import (
    WRITE_TOOLS,
    Message,
    ToolCall,
    action_failed,
    find_runs,
    parse_run_name,
    read_run,
    read_tasks,
    read_write_tools,
    unscored_cause,
    write_calls,
)

if TYPE_CHECKING:
    from pathlib import Path

TASK = {
    "id": "7",
    "user_scenario": {"instructions": "You want a refund."},
    "evaluation_criteria": {
        "actions": [{"name": "cancel", "arguments": {"id": "A"}}],
        "nl_assertions": ["It is polite."],
    },
}
SIMULATION: dict[str, Any] = {
    "id": "s1",
    "task_id": "7",
    "trial": 0,
    "termination_reason": "user_stop",
    "reward_info": {
        "reward": 1.0,
        "reward_basis": ["DB"],
        "action_checks": [
            {"action": {"name": "cancel", "arguments": {"id": "A"}}, "action_match": False, "action_reward": 0.0}
        ],
        "nl_assertions": [{"met": True}],
    },
    "messages": [
        {"role": "assistant", "content": "Hello", "tool_calls": None, "turn_idx": 0},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "name": "cancel", "arguments": {"id": "A"}}]},
        {"role": "tool", "id": "c", "content": "{}"},
    ],
}
RESULTS: dict[str, Any] = {
    "info": {
        "git_commit": "abc",
        "num_trials": 1,
        "agent_info": {"implementation": "llm_agent", "llm": "openai/m"},
        "user_info": {"llm": "u"},
        "environment_info": {"domain_name": "airline"},
    },
    "tasks": [TASK],
    "simulations": [SIMULATION],
}


def changed(value: Any, path: str, new: Any) -> Any:
    """A copy of a JSON value with something else at a dotted path; `...` removes what is there."""
    copy = json.loads(json.dumps(value))
    *parents, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    inner = copy
    for step in parents:
        inner = inner[step]
    if new is ...:
        del inner[last]
    else:
        inner[last] = new
    return copy


def written(folder: Path, value: object, name: str = "results.json") -> Path:
    """The value as a file in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_a_run(tmp_path: Path) -> None:
    """Every field of a small run comes out as it stands in the file."""
    run = read_run(written(tmp_path / "tau2_airline_m-1_sri_lite_2026-03-05", RESULTS))
    assert (run.name, run.layout, run.domain) == ("tau2_airline_m-1_sri_lite_2026-03-05", "tau2", "airline")
    assert (run.model, run.method, run.agent, run.agent_llm) == ("m-1", "sri_lite", "llm_agent", "openai/m")
    assert (run.user_llm, run.trials, run.commit) == ("u", 1, "abc")
    (task,) = run.tasks
    assert (task.id, task.basis, task.assertions, task.actions[0].name) == ("7", ("DB", "COMMUNICATE"), 1, "cancel")
    (simulation,) = run.scored
    assert (simulation.id, simulation.task_id, simulation.trial, simulation.passed) == ("s1", "7", 0, True)
    assert simulation.reward is not None
    assert (simulation.reward.failed_actions, simulation.reward.measured, simulation.reward.assertions) == (1, True, 1)
    assert simulation.messages[0] == Message(0, "assistant", "Hello", (), 0)
    assert simulation.messages[1].calls == (ToolCall("cancel", {"id": "A"}),)
    assert [message.role for message in simulation.messages] == ["assistant", "assistant", "tool"]


def test_a_name_that_says_nothing_leaves_the_model_to_the_file(tmp_path: Path) -> None:
    """Outside the runner's form the agent's model is what the file states, and the method isn't known."""
    run = read_run(written(tmp_path / "my-run", RESULTS))
    assert (run.model, run.method) == ("openai/m", None)


def test_simulations_in_a_folder_of_their_own(tmp_path: Path) -> None:
    """tau2's other layout keeps one file per simulation; the index lists them, none more and none less."""
    index = [{"id": "s1"}, {"id": "s2"}]
    written(tmp_path, {**changed(RESULTS, "simulations", ...), "simulation_index": index})
    written(tmp_path / "simulations", SIMULATION, "s1.json")
    with pytest.raises(GarError, match=r"simulation_index: 1 of them have no file .*first: s2"):
        read_run(tmp_path)
    written(tmp_path / "simulations", {**SIMULATION, "id": "s2", "trial": 1}, "s2.json")
    assert [(s.id, s.trial) for s in read_run(tmp_path).simulations] == [("s1", 0), ("s2", 1)]
    written(tmp_path / "simulations", {**SIMULATION, "id": "s3", "trial": 2}, "s3.json")
    with pytest.raises(GarError, match=r"simulation_index: 1 files in simulations/ aren't listed \(first: s3\)"):
        read_run(tmp_path)


def tau_bench(**info: object) -> list[dict[str, Any]]:
    """One record of a tau-bench file."""
    calls = [{"id": "c", "type": "function", "function": {"name": "cancel_reservation", "arguments": '{"id": "A"}'}}]
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "name": "cancel_reservation", "content": "ok"},
    ]
    return [{"task_id": 3, "reward": 1.0, "info": info, "traj": messages, "trial": 2}]


def test_tau_bench(tmp_path: Path) -> None:
    """A list of trials with OpenAI's messages: string arguments are read, the tasks come from the records."""
    task = {"instruction": "Cancel it.", "actions": [{"name": "cancel_reservation", "kwargs": {"id": "A"}}]}
    run = read_run(written(tmp_path, tau_bench(task=task), "gpt-4o.json"))
    assert (run.layout, run.domain, run.model, run.name) == ("tau-bench", "airline", "gpt-4o", "gpt-4o")
    (simulation,) = run.scored
    assert (simulation.task_id, simulation.trial, simulation.passed) == ("3", 2, True)
    ((message, call),) = write_calls(simulation, WRITE_TOOLS["airline"])
    assert (message.index, call) == (1, ToolCall("cancel_reservation", {"id": "A"}))
    assert [(t.id, t.actions[0].arguments, t.scenario) for t in run.tasks] == [
        ("3", {"id": "A"}, {"instructions": "Cancel it."})
    ]


def test_tau_bench_errors_are_not_scored(tmp_path: Path) -> None:
    """Where tau-bench caught an exception it writes a reward of 0 and the traceback."""
    run = read_run(written(tmp_path, tau_bench(error="boom", traceback="..."), "retail.json"))
    assert (run.domain, run.scored, run.simulations[0].unscored) == ("retail", (), "reward_info.error")


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        (None, {}),
        ("", {"": ""}),
        ("{cut", {"": "{cut"}),
        ("[1]", {"": [1]}),
        (7, {"": 7}),
    ],
)
def test_arguments(tmp_path: Path, arguments: object, read: object) -> None:
    """Objects and texts of objects are arguments; whatever else stands there is kept under a name no parameter has."""
    calls = [{"function": {"name": "f", "arguments": arguments}}, {"name": "f", "arguments": arguments}]
    run = read_run(written(tmp_path, changed(RESULTS, "simulations.0.messages.1.tool_calls", calls)))
    assert run.simulations[0].messages[1].calls == (ToolCall("f", read), ToolCall("f", read))  # type: ignore[arg-type]


def test_content_in_parts(tmp_path: Path) -> None:
    """The texts of a list of parts are the content."""
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    run = read_run(written(tmp_path, changed(RESULTS, "simulations.0.messages.0.content", parts)))
    assert run.simulations[0].messages[0].content == "a\nb"


@pytest.mark.parametrize(
    ("name", "domain", "expected"),
    [
        ("tau2_airline_gpt-5.4_baseline", None, ("airline", "gpt-5.4", "baseline")),
        ("tau2_retail_Qwen3_8B_sri_lite_2026-03-05", None, ("retail", "Qwen3_8B", "sri_lite")),
        ("tau2_retail_m_ablation_no_state_2026-03-05_2", None, ("retail", "m", "ablation_no_state")),
        ("tau2_banking_knowledge_m_baseline", "banking_knowledge", ("banking_knowledge", "m", "baseline")),
        ("tau2_airline_m_baseline", "retail", ("airline", "m", "baseline")),
        ("tau2_airline_baseline", None, None),
        ("tau2_airline_m_other", None, None),
        ("tau2_airline_m_baseline_later", None, None),
        ("airline_m_baseline", None, None),
    ],
)
def test_run_names(name: str, domain: str | None, expected: tuple[str, str, str] | None) -> None:
    """What a folder's name says, a date after it or not."""
    assert parse_run_name(name, domain) == expected


TOOLS = """
class Tools(ToolKitBase):
    @is_tool(ToolType.WRITE)
    def cancel(self): ...

    @decorated
    @environment.is_tool(toolkit.ToolType.WRITE, mutates_state=True)
    async def book(self): ...

    @is_tool(tool_type=ToolType.WRITE)
    def pay(self): ...

    @is_tool(ToolType.READ)
    def get(self): ...

    # @is_tool(ToolType.WRITE)
    def think(self): ...

    @other(ToolType.WRITE)
    def log(self): ...

    @is_tool
    def bare(self): ...

raise SystemExit("this source is never run")
"""


def test_write_tools_of_a_source(tmp_path: Path) -> None:
    """The decorated methods are read from the syntax tree; nothing of the file is run."""
    assert read_write_tools(written(tmp_path, TOOLS, "tools.py")) == {"cancel", "book", "pay"}
    with pytest.raises(GarError, match=r"tools.py:1: isn't Python"):
        read_write_tools(written(tmp_path, "def f(:", "tools.py"))
    with pytest.raises(GarError, match=r"none.py: can't be read"):
        read_write_tools(tmp_path / "none.py")


@pytest.mark.parametrize(
    ("path", "new", "message"),
    [
        ("info", ..., "info: missing"),
        ("info", [], "info: expected an object, found a list"),
        ("info.environment_info", ..., "info.environment_info.domain_name: missing"),
        ("info.num_trials", "2", "info.num_trials: expected a whole number, found a string"),
        ("info.num_trials", 0, "info.num_trials: expected a number from 1, found 0"),
        ("info.agent_info.llm", 3, "info.agent_info.llm: expected a string, found a number"),
        ("tasks", [], "tasks: holds no tasks"),
        ("tasks.0", 1, r"tasks\[0\]: expected an object, found a number"),
        ("tasks.0.id", ..., r"tasks\[0\].id: missing"),
        ("tasks.0.user_scenario", ..., r"tasks\[0\].user_scenario: missing"),
        ("tasks.0.evaluation_criteria", ..., r"tasks\[0\].evaluation_criteria: missing"),
        ("tasks.0.evaluation_criteria.actions", "x", r"evaluation_criteria.actions: expected a list, found a string"),
        ("tasks.0.evaluation_criteria.actions.0.name", ..., r"evaluation_criteria.actions\[0\].name: missing"),
        ("tasks", [TASK, TASK], r"tasks\[1\].id: '7' stands there twice"),
        ("simulations", ..., "simulations: missing"),
        ("simulations", [], "simulations: holds no simulations"),
        ("simulations.0.id", ..., r"simulations\[0\].id: missing"),
        ("simulations.0.task_id", None, r"simulations\[0\].task_id: expected a string, found null"),
        ("simulations.0.trial", True, r"simulations\[0\].trial: expected a whole number, found a boolean"),
        ("simulations.0.reward_info.reward", ..., r"simulations\[0\].reward_info.reward: missing"),
        ("simulations.0.reward_info.reward", "1", r"reward_info.reward: expected a number, found a string"),
        (
            "simulations.0.reward_info.action_checks.0.action.name",
            1,
            r"action_checks\[0\].action.name: expected a string",
        ),
        ("simulations.0.messages.1.role", ..., r"simulations\[0\].messages\[1\].role: missing"),
        ("simulations.0.messages.0.content", 5, r"messages\[0\].content: expected a string or a list of parts"),
        ("simulations.0.messages.1.tool_calls.0.name", ..., r"messages\[1\].tool_calls\[0\].name: missing"),
    ],
)
def test_broken_results(tmp_path: Path, path: str, new: object, message: str) -> None:
    """What is missing or of another kind is named by file and field, on one line."""
    with pytest.raises(GarError, match=rf"results.json: .*{message}") as caught:
        read_run(written(tmp_path, changed(RESULTS, path, new)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (json.dumps(RESULTS)[:300], r"results.json:1: invalid JSON at column \d+: .*cut off"),
        ("hello", "results.json:1: invalid JSON at column 1"),
        ('"text"', "results.json: expected the results of tau2 or tau-bench, found a string"),
        ("[]", "results.json: holds no simulations"),
        ('[{"id": "multi_turn_base_0"}]', r"results.json: \[0\].task_id: missing"),
        ('[{"task_id": 1, "reward": 1}]', r"results.json: \[0\].traj: missing"),
        ('[{"task_id": 1, "traj": []}]', "nothing tells the domain: put one of airline, retail"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_foreign_files(tmp_path: Path, content: str, message: str) -> None:
    """A file that was cut off, or that something else wrote, ends as one line."""
    with pytest.raises(GarError, match=message):
        read_run(written(tmp_path / "run", content))


def places(value: object, path: str = "") -> list[str]:
    """The dotted path of every value inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [(f"{path}.{key}".removeprefix("."), inner) for key, inner in inside]
    return [place for here, inner in found for place in (here, *places(inner, here))]


def fault(path: Path) -> str | None:
    """What is wrong with a run, None if nothing."""
    try:
        read_run(path)
    except GarError as error:
        return str(error)
    return None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from(places(RESULTS)), JSON)
def test_any_value_anywhere(tmp_path_factory: pytest.TempPathFactory, place: str, value: object) -> None:
    """Whatever stands in whatever place, the file is read, or the fault is one line that names it."""
    path = written(tmp_path_factory.getbasetemp() / "any", changed(RESULTS, place, value))
    message = fault(path)
    assert message is None or ("results.json: " in message and "\n" not in message)


def test_tasks_of_a_file(tmp_path: Path) -> None:
    """A digest tells versions of a task apart, and no two spellings of the same one."""
    (task,) = read_tasks(written(tmp_path, [TASK], "tasks.json"))
    (spelled,) = read_tasks(
        written(tmp_path, [{**TASK, "description": {"purpose": "x"}, "initial_state": None}], "tasks.json")
    )
    (other,) = read_tasks(
        written(tmp_path, [changed(TASK, "evaluation_criteria.nl_assertions", ["It is rude."])], "tasks.json")
    )
    assert task.digest == spelled.digest != other.digest
    with pytest.raises(GarError, match=r"tasks.json: holds no tasks"):
        read_tasks(written(tmp_path, [], "tasks.json"))


def test_finding_runs(tmp_path: Path) -> None:
    """Result files at any depth, each once; a folder without any stands for its JSON files."""
    first = written(tmp_path / "simulations" / "b", RESULTS)
    second = written(tmp_path / "simulations" / "a", RESULTS)
    old = written(tmp_path / "old", tau_bench(), "airline.json")
    assert find_runs([tmp_path / "simulations", first]) == (second, first)
    assert find_runs([tmp_path / "old", first]) == (old, first)
    (tmp_path / "empty").mkdir()
    for paths, message in (
        ([tmp_path / "empty"], "no results.json in this folder"),
        ([tmp_path / "none"], "no such file or folder"),
        ([""], "an empty path names nothing"),
        ([], "nothing to read"),
    ):
        with pytest.raises(GarError, match=message):
            find_runs(paths)
    with pytest.raises(GarError, match="2 runs lie below this folder"):
        read_run(tmp_path / "simulations")


def test_readme(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example in the README runs, and its list of names is complete."""
    text = (repository / "packages/gar-metrics/README.md").read_text(encoding="utf-8")
    section = text.partition("## tau2-bench runs\n")[2].partition("\n## ")[0]
    written(tmp_path / "simulations" / "tau2_airline_m-1_baseline", RESULTS)
    monkeypatch.chdir(tmp_path)
    exec(section.partition("```python\n")[2].partition("```")[0], {})  # noqa: S102 (the README's own example)
    assert capsys.readouterr().out == "m-1 on airline: 1 of 1 passed, 0 database writes\n"
    named = set(re.findall(r"`(\w+)`", section.partition("Finding and reading")[2]))
    assert set(gar_metrics.tau2.__all__) - named == set()


def test_the_command_does_without() -> None:
    """`import gar_metrics` leaves the sub-package alone until it is asked for; other names stay errors."""
    code = "import gar_metrics, sys; assert 'gar_metrics.tau2' not in sys.modules; assert gar_metrics.tau2.read_run"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'tau3'"):
        gar_metrics.tau3  # noqa: B018


def test_edge_cases_of_scoring(shared_data: Path) -> None:
    """Whether a simulation counts, and how many actions failed, on the edge cases of the specification."""
    cases = json.loads((shared_data / "parity" / "edge_cases.json").read_text(encoding="utf-8"))
    scored = [(unscored_cause(case["simulation"]) is None, case["scored"]) for case in cases["tau2_scored"]]
    assert [ours for ours, _ in scored] == [theirs for _, theirs in scored]
    for case in cases["tau2_failed_actions"]:
        assert sum(map(action_failed, case["reward_info"].get("action_checks") or [])) == case["failed"]


def test_writes_of_the_real_runs(shared_data: Path) -> None:
    """The WRITE calls of three real runs, by tool and by whether their simulation passed."""
    expected = json.loads((shared_data / "parity" / "expected_tau2.json").read_text(encoding="utf-8"))["write_events"]
    for path in find_runs([shared_data / "tau2_runs"]):
        run = read_run(path)
        events = [(call.name, s.passed) for s in run.simulations for _, call in write_calls(s, WRITE_TOOLS[run.domain])]
        assert {
            "n": len(events),
            "passed": sum(passed for _, passed in events),
            "by_tool": dict(Counter(name for name, _ in events)),
        } == expected[run.name]


@pytest.mark.parametrize("reward", ["NaN", "-Infinity", "1e999", "1" + "0" * 400])
def test_a_reward_is_a_number(tmp_path: Path, reward: str) -> None:
    """What no reward can be is refused, not counted as a failure."""
    document = json.dumps(changed(RESULTS, "simulations.0.reward_info.reward", 0.5)).replace("0.5", reward)
    written(tmp_path, document)
    with pytest.raises(GarError, match=r"simulations\[0\]\.reward_info\.reward: expected a number"):
        read_run(tmp_path)


def test_a_record_is_no_result(tmp_path: Path) -> None:
    """A run that was killed before its first results has only the runner's record: nothing to read yet."""
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(GarError, match=r"no results\.json in this folder"):
        find_runs([tmp_path])

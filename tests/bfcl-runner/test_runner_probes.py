"""Probes hosted by the loop, end to end: what they change in rows, scores and event logs, and what they must not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import (
    CATEGORIES,
    Case,
    Emission,
    ModelOptions,
    RunLayout,
    RunnerError,
    RunPlan,
    ScriptedBackend,
    Selection,
    Silent,
    chosen_probes,
    load_cases,
    run,
    run_case,
)
from calibration_probes import Abstain, Bystander, Decision, Mode, ProbeStack, Retry, Step
from gar_metrics import load_runs

if TYPE_CHECKING:
    from pathlib import Path

    from bfcl_runner.agents import Moment

pytestmark = pytest.mark.usefixtures("benchmark")

WITHHOLDING = ("miss_func", "miss_param")


def _run(folder: Path, agent: str, *probes: str, categories: tuple[str, ...] = CATEGORIES, **how: Any) -> RunLayout:
    prompting, mode = how.pop("prompting", False), how.pop("mode", None)
    model = ModelOptions("scripted", agent=agent, prompting=prompting)
    limit = how.pop("limit", None)
    plan = RunPlan(model, folder, Selection(categories, limit), probes=chosen_probes(probes, mode, ()), **how)
    return run(plan, Silent()).layout


def _figures(folder: Path) -> dict[str, tuple[float, float | None]]:
    (found,) = load_runs([folder])
    return {cell.category: (cell.gar, cell.acc) for cell in found.cells}


def _rows(layout: RunLayout, category: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in layout.result(category).read_bytes().splitlines()]


def _events(layout: RunLayout) -> list[dict[str, Any]]:
    path = layout.root / "sri_event_log.jsonl"
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("prompting", [False, True])
def test_sri_tells_the_halting_agent_to_go_on(tmp_path: Path, prompting: bool) -> None:
    """Its accuracy rises to 100 in all categories; the dropped replies stay in the record."""
    _run(tmp_path / "without", "halting", prompting=prompting)
    layout = _run(tmp_path / "with", "halting", "sri", prompting=prompting)
    assert all((acc or 0) < 25 for _, acc in _figures(tmp_path / "without").values())
    assert set(_figures(tmp_path / "with").values()) == {(100.0, 100.0)}
    first = _rows(layout, "base")[0]["result"][0]
    assert [isinstance(emission, str) and not emission.startswith("[") for emission in first] == [
        False,
        True,
        False,
        True,
    ]
    assert json.loads(layout.record.read_bytes())["configuration"]["probe"] == "sri:v1"


@pytest.mark.parametrize("prompting", [False, True])
def test_cri_tells_the_heeding_agent_not_to_call(tmp_path: Path, prompting: bool) -> None:
    """GAR rises from 0 wherever the probe has not fired earlier in the case; retracted calls leave the record."""
    layout = _run(tmp_path, "heeding", "cri:v1", categories=WITHHOLDING, prompting=prompting)
    events = [event for event in _events(layout) if event["event"] == "cri_evaluate"]
    fired = Counter(event["case_id"] for event in events if event["triggered"])
    assert set(fired.values()) == {1}
    by_turn = {(event["case_id"], event["turn_idx"]): event for event in reversed(events)}
    for category in WITHHOLDING:
        rows = {row["id"]: row for row in _rows(layout, category)}
        gold_turns = [(case.id, case.gold_turn) for case in load_cases(category)]
        gold_steps = {case_id: by_turn[case_id, turn] for case_id, turn in gold_turns if (case_id, turn) in by_turn}
        if category == "miss_func":
            assert len(gold_steps) == 200  # every one of them is suspect: only suspect steps write an event
        at_gold = {case_id for case_id, event in gold_steps.items() if event["triggered"]}
        for case in load_cases(category):
            # The retracted calls are gone, with their counts: one reply, the right one, is left of that turn.
            replies = rows[case.id]["result"][case.gold_turn]
            assert (len(replies) == 1) is (case.id in at_gold)
            assert len(rows[case.id]["latency"][case.gold_turn]) == len(replies)
            assert len(rows[case.id]["output_token_count"][case.gold_turn]) == len(replies)
        gar, acc = _figures(tmp_path)[category]
        assert (gar, acc) == (100 * len(at_gold) / 200, 100.0)
        assert gar > 40


@pytest.mark.parametrize("prompting", [False, True])
def test_bypass_speaks_for_itself(tmp_path: Path, prompting: bool) -> None:
    """What the harness says in place of a call is no emission: GAR stays 0, and the calls are made a turn later."""
    layout = _run(tmp_path, "overcaller", "cri:bypass", categories=WITHHOLDING, prompting=prompting)
    assert _figures(tmp_path) == dict.fromkeys(WITHHOLDING, (0.0, 100.0))
    fired = {event["case_id"] for event in _events(layout) if event.get("triggered")}
    rows = {row["id"]: row for category in WITHHOLDING for row in _rows(layout, category)}
    cases = {case.id: case for category in WITHHOLDING for case in load_cases(category)}
    assert len([case_id for case_id in fired if case_id.startswith("multi_turn_miss_func")]) == 200
    assert all(rows[case_id]["result"][cases[case_id].gold_turn] == [] for case_id in fired)


@pytest.mark.parametrize("agent", ["overcaller", "noisy:0.4:2"])
@pytest.mark.parametrize("probe", ["sri", "cri", "sri:decision_routed_v1", "cri:bypass"])
def test_a_passive_probe_changes_no_row(tmp_path: Path, agent: str, probe: str) -> None:
    """Rows and scores are the same, byte for byte; only the event log is there in addition."""
    without = _run(tmp_path / "without", agent, limit=25)
    passive = _run(tmp_path / "passive", agent, probe, mode="passive_log", limit=25)
    for category in CATEGORIES:
        assert without.result(category).read_bytes() == passive.result(category).read_bytes()
        assert without.score(category).read_bytes() == passive.score(category).read_bytes()
    events = _events(passive)
    assert events
    assert not any(event.get("triggered") or event.get("retry") for event in events)
    assert not (tmp_path / "without" / "sri_event_log.jsonl").exists()


def test_events_do_not_depend_on_concurrency(tmp_path: Path) -> None:
    """Cases run side by side, in threads and in processes, give each the events that they give alone."""
    how = [{"concurrency": 1}, {"concurrency": 8}, {"jobs": 2}]
    logs = []
    for number, options in enumerate(how):
        layout = _run(tmp_path / str(number), "heeding", "sri", "cri", limit=15, **options)
        by_case: dict[str, list[Any]] = {}
        for event in _events(layout):
            by_case.setdefault(event["case_id"], []).append(event)
        logs.append(by_case)
    assert logs[0] == logs[1] == logs[2]
    assert len(logs[0]) == 60


def test_environment_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper's variables name probe, variant and log; a flag wins over its variable."""
    monkeypatch.setenv("BFCL_SRI_MODE", "sri_only")
    monkeypatch.setenv("BFCL_SRI_VARIANT", "ablation_no_state")
    monkeypatch.setenv("BFCL_SRI_LOG_PATH", str(tmp_path / "elsewhere.jsonl"))
    layout = _run(tmp_path / "variables", "halting", limit=1)
    assert json.loads(layout.record.read_bytes())["configuration"]["probe"] == "sri:ablation_no_state"
    events = [json.loads(line) for line in (tmp_path / "elsewhere.jsonl").read_bytes().splitlines()]
    assert {event["variant"] for event in events} == {"ablation_no_state"}
    layout = _run(tmp_path / "flag", "halting", "sri:v1", limit=1)
    assert json.loads(layout.record.read_bytes())["configuration"]["probe"] == "sri:v1"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--probe", "nope"], "nope"),
        (["--probe", "sri:nope"], "nope"),
        (["--probe", "sri", "--probe-mode", "nope"], "--probe-mode: 'nope' is none of off, passive_log, active"),
        (["--probe", "sri", "--probe-template", "nowhere.txt"], "nowhere.txt"),
        (["--probe-mode", "active"], "there is no probe"),
    ],
)
def test_wrong_probes_run_nothing(tmp_path: Path, options: list[str], complaint: str) -> None:
    """One line, status 2, and no directory."""
    command = [sys.executable, "-m", "bfcl_runner", "run", "--backend", "scripted", "--agent", "oracle"]
    command += ["--output-dir", str(tmp_path / "run"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_unwritable_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An event log that can't be opened ends the run before a case is asked for."""
    monkeypatch.setenv("BFCL_SRI_LOG_PATH", str(tmp_path / "none" / "log.jsonl"))
    with pytest.raises(RunnerError, match=r"log\.jsonl"):
        _run(tmp_path / "run", "oracle", "sri", limit=1)
    assert not (tmp_path / "run" / "result").exists()


class _Once(Bystander):
    """A probe that makes one decision at each seam of the first turn."""

    name, variant, mode = "once", "v1", Mode.ACTIVE

    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self._acted = False

    def start_case(self, case: object) -> _Once:
        return _Once(self._decision)

    def on_call(self, step: Step) -> Decision:
        if self._acted:
            return super().on_call(step)
        self._acted = True
        return self._decision


class _Sayings:
    """An agent that says these things in the first turn, and nothing after it."""

    def __init__(self, *emissions: Emission) -> None:
        self._emissions = list(emissions)

    def play(self, case: Case, moment: Moment) -> list[Emission]:
        if moment.turn:
            return [""]
        return ["told"] if moment.told else self._emissions


@pytest.mark.parametrize(
    ("decision", "left"),
    [(Retry("no", drop_reply=True), ["told"]), (Retry("no", drop_reply=False), ["told"]), (Abstain("I stop."), [])],
)
def test_retracted_calls_never_run(decision: Decision, left: list[str]) -> None:
    """Neither the simulated APIs nor the scorer see them, whatever the third-party probe decides."""
    agent = _Sayings([{"touch": '{"file_name": "made.txt"}'}], "not reached")
    row = run_case(load_cases("base")[0], ScriptedBackend(agent), ProbeStack([_Once(decision)]))
    assert row["result"][0] == left
    assert "tool" not in {entry["role"] for step in list(row["inference_log"][0].values())[1:] for entry in step}
    assert [len(counts) for counts in row["latency"]] == [len(turn) for turn in row["result"]]


def test_retries_count_as_steps_but_only_executed_ones_end_the_case() -> None:
    """Twenty-one steps of which one is a retry: the limit is looked at after the last one that ran."""
    agent = _Sayings(*[[{"pwd": "{}"}]] * 50)
    agent.play = lambda case, moment: [[{"pwd": "{}"}]] * 50  # type: ignore[method-assign]
    row = run_case(load_cases("base")[0], ScriptedBackend(agent), ProbeStack([_Once(Retry("no", drop_reply=True))]))
    assert [len(turn) for turn in row["result"]] == [20]
    assert row["inference_log"][0]["step_20"][-1]["content"].startswith("Model has been forced to quit")

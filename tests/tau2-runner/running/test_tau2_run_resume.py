"""Going on with a run: only with the same agent, user and judge, and never with a file that can't be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tau2_runner import RunnerError
from tau2_runner.running.records import (
    Configuration,
    Dataset,
    RunRecord,
    dataset,
    now,
    package_versions,
    read_record,
    role,
)
from tau2_runner.running.resume import require_same

if TYPE_CHECKING:
    from pathlib import Path

ARGUMENTS = {"temperature": 0.0, "api_base": "http://a:1/v1", "api_key": "*** (agent_llm_args.api_key)"}


def _wanted(**changes: Any) -> Configuration:
    agent = role("llm_agent", "gpt-5", ARGUMENTS)
    user = role("user_simulator", "gpt-5", {"temperature": 0.0})
    values = {"domain": "airline", "agent": agent, "user": user, "seed": 300, "max_steps": 200, "max_errors": 10}
    return Configuration(**(values | changes))


def _results(folder: Path, **changes: Any) -> None:
    arguments = {"temperature": 0.0, "api_key": "sk-secret"}
    info = {
        "environment_info": {"domain_name": "airline"},
        "agent_info": {"implementation": "llm_agent", "llm": "gpt-5", "llm_args": arguments},
        "user_info": {"implementation": "user_simulator", "llm": "gpt-5", "llm_args": {"temperature": 0.0}},
        "seed": 300,
        "max_steps": 200,
        "max_errors": 10,
    }
    folder.mkdir(exist_ok=True)
    (folder / "results.json").write_text(json.dumps({"info": info | changes, "simulations": []}), encoding="utf-8")


def _record(folder: Path, configuration: Configuration) -> None:
    data = Dataset(commit=None, sha256="0")
    RunRecord(configuration=configuration, dataset=data, num_trials=1, versions={}, argv=[], started=now()).write(
        folder / "run.json"
    )


def test_nothing_there(tmp_path: Path) -> None:
    """A folder without results may be used, whatever a record in it says."""
    require_same(tmp_path / "new", _wanted())
    _record(tmp_path, _wanted(seed=1))
    require_same(tmp_path, _wanted())


def test_the_same_goes_on(tmp_path: Path) -> None:
    """Another key or address is no other setup, with a record and without."""
    _results(tmp_path)
    require_same(tmp_path, _wanted())
    _record(tmp_path, _wanted())
    require_same(tmp_path, _wanted())
    moved = {"temperature": 0.0, "api_base": "http://b:2/v1"}
    require_same(tmp_path, _wanted(agent=role("llm_agent", "gpt-5", moved)))


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"agent": role("sri_lite", "gpt-5", ARGUMENTS)}, 'agent.implementation: "llm_agent" -> "sri_lite"'),
        ({"agent": role("llm_agent", "gpt-6", ARGUMENTS)}, 'agent.llm: "gpt-5" -> "gpt-6"'),
        ({"agent": role("llm_agent", "gpt-5", {"temperature": 1})}, "agent.llm_args.temperature: 0.0 -> 1"),
        ({"user": role("user_simulator", "gpt-6", {"temperature": 0.0})}, 'user.llm: "gpt-5" -> "gpt-6"'),
        ({"seed": 1}, "seed: 300 -> 1"),
        ({"max_steps": 40}, "max_steps: 200 -> 40"),
    ],
)
def test_another_setup_is_refused(tmp_path: Path, changes: dict[str, Any], difference: str) -> None:
    """The difference is shown, and no key; tau2's results are enough to see it."""
    _results(tmp_path)
    with pytest.raises(RunnerError) as caught:
        require_same(tmp_path, _wanted(**changes))
    assert f"was made with another setup ({difference})" in str(caught.value)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"judge": role(None, "m", {})}, 'judge.llm: None -> "m"'),
        ({"probe": "sri_lite:sri_lite", "probe_settings": {"tools": 3}}, 'probe: None -> "sri_lite:sri_lite"'),
        ({"coerce_json_calls": True}, "coerce_json_calls: False -> True"),
        ({"offline": "oracle"}, 'offline: None -> "oracle"'),
    ],
)
def test_what_only_the_record_knows(tmp_path: Path, changes: dict[str, Any], difference: str) -> None:
    """Another judge or probe is refused as well, in both directions."""
    _results(tmp_path)
    _record(tmp_path, _wanted())
    with pytest.raises(RunnerError) as caught:
        require_same(tmp_path, _wanted(**changes))
    assert difference in str(caught.value)
    _record(tmp_path, _wanted(**changes))
    with pytest.raises(RunnerError):
        require_same(tmp_path, _wanted())


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b'{"info": {"agent_in', "results.json: no results of tau2 (cut off?)"),
        (b"[]", "results.json: no results of tau2"),
        (b"{}", "results.json: info: missing"),
        (b'{"info": {"agent_info": {"llm": "x"}}}', "results.json: implementation: missing"),
        (b'{"info": {"agent_info": 1}}', "results.json: no results of tau2"),
    ],
)
def test_unreadable_results(tmp_path: Path, content: bytes, complaint: str) -> None:
    """One line says which file and what is wrong with it."""
    (tmp_path / "results.json").write_bytes(content)
    with pytest.raises(RunnerError) as caught:
        require_same(tmp_path, _wanted())
    assert complaint in str(caught.value)


def test_unreadable_record(tmp_path: Path) -> None:
    """A record that is none is an error, not a new run."""
    (tmp_path / "run.json").write_text('{"argv": 1}', encoding="utf-8")
    with pytest.raises(RunnerError, match=r"run.json: configuration: Field required"):
        read_record(tmp_path / "run.json")


def test_a_record_comes_back(tmp_path: Path) -> None:
    """What is written is what is read."""
    _record(tmp_path, _wanted(judge=role(None, "m", {"a": [1]})))
    record = read_record(tmp_path / "run.json")
    assert record is not None
    assert record.configuration == _wanted(judge=role(None, "m", {"a": [1]}))
    assert record.configuration.agent.endpoint_host == "a"


def test_dataset_digest(tmp_path: Path) -> None:
    """The digest is of the files in the domain's folder."""
    folder = tmp_path / "tau2" / "domains" / "moon"
    folder.mkdir(parents=True)
    (folder / "tasks.json").write_text("[]", encoding="utf-8")
    before = dataset(tmp_path, "moon", "abc")
    assert before == dataset(tmp_path, "moon", "abc")
    (folder / "tasks.json").write_text("[1]", encoding="utf-8")
    assert before.sha256 != dataset(tmp_path, "moon", "abc").sha256


def test_versions_name_the_packages() -> None:
    """Every package that is involved has its version, or it is said that there is none."""
    versions = package_versions()
    assert versions["tau2-runner"] != "unknown"
    assert {"python", "calibration-probes", "tau2", "litellm"} <= versions.keys()

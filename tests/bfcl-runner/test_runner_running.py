"""Whole runs of the scripted agents: figures, files, records, and refusals."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_classifier import Action, classify
from bfcl_runner import (
    CATEGORIES,
    ModelOptions,
    RunLayout,
    RunnerError,
    RunPlan,
    Selection,
    Silent,
    load_cases,
    make_agent,
    model_directory,
    model_name,
    run,
    run_case,
)
from bfcl_runner.agents import ASKING_TEXT, NEUTRAL_TEXT, REFUSING_TEXT, Moment
from bfcl_runner.backends.scripted import ScriptedBackend
from gar_metrics import load_runs


def _plan(
    agent: str, folder: Path, categories: tuple[str, ...] = CATEGORIES, limit: int | None = None, **how: Any
) -> RunPlan:
    """A plan of a scripted run."""
    return RunPlan(ModelOptions("scripted", agent=agent), folder, Selection(categories, limit), **how)


FIGURES = {
    "oracle": dict.fromkeys(CATEGORIES, (100.0, 100.0)),
    "overcaller": {
        "base": (100.0, 100.0),
        "long_context": (100.0, 100.0),
        "miss_func": (0.0, 100.0),
        "miss_param": (0.0, 100.0),
    },
    "refuser": {category: (100.0 if category == "miss_func" else 0.0, 0.0) for category in CATEGORIES},
    "asker": {category: (100.0 if category == "miss_param" else 0.0, 0.0) for category in CATEGORIES},
    "silent": dict.fromkeys(CATEGORIES, (0.0, 0.0)),
}


@pytest.mark.usefixtures("benchmark")
@pytest.mark.parametrize("agent", FIGURES)
def test_figures(tmp_path: Path, agent: str) -> None:
    """GAR and Acc of each agent over all 800 conversations, read back from the files."""
    run(_plan(agent, tmp_path), Silent())
    (found,) = load_runs([tmp_path])
    assert found.model == agent
    assert {cell.category: (cell.gar, cell.acc) for cell in found.cells} == FIGURES[agent]
    assert [cell.n for cell in found.cells] == [200] * 4
    if agent == "overcaller":
        assert [cell.masked_share for cell in found.cells] == [0.0, 0.0, 100.0, 100.0]


@pytest.mark.usefixtures("benchmark")
def test_requests_of_the_oracle() -> None:
    """One request per non-empty turn for its calls and one per turn for its end: 6260 in all."""
    backend = ScriptedBackend(make_agent("oracle"))
    rows = [run_case(case, backend) for category in CATEGORIES for case in load_cases(category)]
    assert sum(len(turn) for row in rows for turn in row["result"]) == 6260


@pytest.mark.usefixtures("benchmark")
def test_dataset_facts() -> None:
    """Turns by category, injections, and the cases with more than one empty turn, as measured upstream."""
    turns = {category: [len(case.ground_truth) for case in load_cases(category)] for category in CATEGORIES}
    assert {name: (sum(counts), min(counts), max(counts)) for name, counts in turns.items()} == {
        "base": (734, 1, 7),
        "long_context": (734, 1, 7),
        "miss_func": (934, 2, 8),
        "miss_param": (934, 2, 8),
    }
    for case in load_cases("miss_func"):
        (injection,) = map(int, case.entry["missed_function"])
        assert case.gold_turn == injection - 1
        assert case.ground_truth[case.gold_turn] == ()
        assert case.entry["question"][injection] == []
    several = [case.id for case in load_cases("miss_param") if sum(not turn for turn in case.ground_truth) > 1]
    assert several == ["multi_turn_miss_param_167", "multi_turn_miss_param_180"]
    assert [load_cases("miss_param")[index].gold_turn for index in (167, 180)] == [1, 1]
    assert load_cases("base")[0].gold_turn == 0


@pytest.mark.usefixtures("benchmark")
def test_jobs_change_nothing(tmp_path: Path) -> None:
    """The files of a noisy run are the same, byte for byte, in one process and in two."""
    agent = "noisy:0.5:7"
    layouts = [run(_plan(agent, tmp_path / str(jobs), limit=25, jobs=jobs), Silent()).layout for jobs in (1, 2)]
    for category in CATEGORIES:
        one, two = ((layout.result(category), layout.score(category)) for layout in layouts)
        assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    (found,) = load_runs([tmp_path / "1"])
    assert any(cell.outcomes and len([count for count in cell.outcomes.values() if count]) > 2 for cell in found.cells)


@pytest.mark.usefixtures("benchmark")
def test_noise_depends_on_seed_and_case_only() -> None:
    """Another seed draws otherwise; probability 0 is the oracle."""
    case = load_cases("base")[5]

    def script(agent: str) -> list[Any]:
        return [make_agent(agent).play(case, Moment(turn)) for turn in range(len(case.ground_truth))]

    scripts = [script(f"noisy:0.5:{seed}") for seed in range(20)]
    assert script("noisy:0.5:3") == scripts[3]
    assert len({json.dumps(turns) for turns in scripts}) > 3
    assert script("noisy:0:1") == script("oracle")


def test_sentences_of_the_agents_have_their_class() -> None:
    """What the agents say is classified as what they do."""
    assert [classify(text) for text in (NEUTRAL_TEXT, ASKING_TEXT, REFUSING_TEXT)] == [
        Action.OTHER,
        Action.ASK,
        Action.REFUSE,
    ]


@pytest.mark.usefixtures("benchmark")
def test_rows_have_upstreams_shape(tmp_path: Path) -> None:
    """A result row and a score line hold what other people's tools look for."""
    layout = run(_plan("refuser", tmp_path, ("base",), 2), Silent()).layout
    assert layout.result("base") == tmp_path / "result/refuser/multi_turn/BFCL_v4_multi_turn_base_result.json"
    assert layout.score("base") == tmp_path / "score/refuser/multi_turn/BFCL_v4_multi_turn_base_score.json"
    row = json.loads(layout.result("base").read_text(encoding="utf-8").splitlines()[0])
    assert list(row) == ["id", "result", "input_token_count", "output_token_count", "latency", "inference_log"]
    assert len(row["result"]) == len(row["latency"]) == len(row["inference_log"])
    header, *failing = map(json.loads, layout.score("base").read_text(encoding="utf-8").splitlines())
    assert header == {"accuracy": 0.0, "correct_count": 0, "total_count": 2}
    assert [line["id"] for line in failing] == ["multi_turn_base_0", "multi_turn_base_1"]
    assert failing[0]["error"]["error_type"] == "multi_turn:empty_turn_model_response"
    assert "function" not in failing[0]["prompt"]


@pytest.mark.usefixtures("benchmark")
def test_step_limit() -> None:
    """The step after the limit still runs, then the case ends; its row is one turn long."""

    class Restless:
        def play(self, _case: object, _moment: object) -> list[Any]:
            return [[{"pwd": "{}"}]] * 50

    row = run_case(load_cases("base")[0], ScriptedBackend(Restless()))
    assert [len(turn) for turn in row["result"]] == [21]
    assert row["inference_log"][0]["step_20"][-1]["content"] == "Model has been forced to quit after 20 steps."


@pytest.mark.usefixtures("benchmark")
def test_record(tmp_path: Path) -> None:
    """run.json says what was run, on what, with which versions."""
    agent = "noisy:0.1:2"
    plan = _plan(agent, tmp_path, ("miss_func",), 1, argv=("bfcl-runner", "run"))
    record = json.loads(run(plan, Silent()).layout.record.read_text(encoding="utf-8"))
    assert record["model"] == agent
    assert record["model_dir"] == "noisy%3A0.1%3A2"
    assert record["categories"] == ["miss_func"]
    assert record["limit"] == 1
    assert record["ruleset"] == "paper"
    assert record["versions"].keys() == {
        "python",
        "bfcl-runner",
        "calibration-probes",
        "gar-metrics",
        "action-classifier",
        "bfcl-eval",
    }
    assert len(record["configuration"]["dataset"]["sha256"]) == 64
    assert record["argv"] == ["bfcl-runner", "run"]
    assert record["started"] <= record["finished"]


@pytest.mark.usefixtures("benchmark")
def test_another_configuration_is_refused(tmp_path: Path) -> None:
    """Another agent in the same directory is refused with the difference; with overwrite nothing of the first stays."""
    run(_plan("oracle", tmp_path, ("base",), 1), Silent())
    with pytest.raises(RunnerError, match=r"holds a run of another configuration \(model: oracle -> silent\)"):
        run(_plan("silent", tmp_path, ("base",), 2), Silent())
    assert [found.model for found in load_runs([tmp_path])] == ["oracle"]
    run(_plan("silent", tmp_path, ("base",), 2, overwrite=True), Silent())
    assert [found.model for found in load_runs([tmp_path])] == ["silent"]


@pytest.mark.usefixtures("benchmark")
def test_files_of_others_are_safe(tmp_path: Path) -> None:
    """Results without our record are refused, and overwriting deletes what its record names and nothing else."""
    foreign = tmp_path / "result" / "other" / "multi_turn" / "BFCL_v4_multi_turn_base_result.json"
    foreign.parent.mkdir(parents=True)
    foreign.write_text('{"id": "multi_turn_base_0", "result": []}\n', encoding="utf-8")
    for overwrite in (False, True):
        with pytest.raises(RunnerError, match="holds files without a"):
            run(_plan("oracle", tmp_path, ("base",), 1, overwrite=overwrite), Silent())
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RunnerError, match=r"run\.json: model: Field required"):
        run(_plan("oracle", tmp_path, ("base",), 1, overwrite=True), Silent())
    assert foreign.exists()
    ours = tmp_path / "ours"
    run(_plan("oracle", ours, ("base",), 1), Silent())
    guest = ours / "result" / "guest.txt"
    guest.touch()
    run(_plan("silent", ours, ("base",), 1, overwrite=True), Silent())
    assert guest.exists()
    assert sorted(path.name for path in (ours / "result").iterdir()) == ["guest.txt", "silent"]


@pytest.mark.usefixtures("benchmark")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_workers_end_with_their_parent(tmp_path: Path, number: signal.Signals, status: int) -> None:
    """Stopped or killed, a run with worker processes leaves none of them behind."""
    command = [sys.executable, "-m", "bfcl_runner", "run", "--backend", "scripted", "--agent", "oracle", "--jobs", "2"]
    with subprocess.Popen([*command, "--output-dir", str(tmp_path)], stderr=subprocess.DEVNULL) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            pytest.skip("this system has no /proc to look for children in")
        _wait_for(lambda: len(_workers(children)) == 2 and bool(list(tmp_path.rglob("*_result.json"))))
        workers = _workers(children)
        process.send_signal(number)
        process.wait(timeout=30)
    assert process.returncode == status
    _wait_for(lambda: not any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers))


def _workers(children: Path) -> list[str]:
    """The processes that hold conversations, not the one that keeps track of resources."""
    found = []
    for child in children.read_text(encoding="utf-8").split():
        with contextlib.suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def _wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "waited for 30 seconds"
        time.sleep(0.02)


def test_uv_installs_where_the_runner_runs(tmp_path: Path) -> None:
    """Not into the environment that VIRTUAL_ENV names: uv is told the interpreter."""
    seen = tmp_path / "seen"
    (tmp_path / "uv").write_text(f'#!/bin/sh\necho "$@" > {seen}\nexit 1\n', encoding="utf-8")
    (tmp_path / "uv").chmod(0o755)
    program = (
        "from bfcl_runner import install\n"
        "install.installed_version = lambda: None\n"
        "install._importable = lambda module: False\n"
        "try: install.install_benchmark()\n"
        "except Exception as error: print(error)\n"
    )
    surroundings = {**os.environ, "PATH": f"{tmp_path}:/bin:/usr/bin", "VIRTUAL_ENV": str(tmp_path / "other")}
    done = subprocess.run([sys.executable, "-c", program], env=surroundings, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("could not install bfcl-eval 2026.3.23 (uv: no message)")
    assert f"--python {sys.executable} --no-deps --require-hashes" in seen.read_text(encoding="utf-8")


@given(st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable()))
def test_model_directories_are_reversible(model: str) -> None:
    """Any name becomes one plain folder name, from which it can be read back."""
    directory = model_directory(model)
    assert model == model_name(directory)
    assert not set(directory) & set('/\\:*?"<>| ')
    assert not directory.startswith(".")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--backend", "nope", "--agent", "oracle"], "--backend: 'nope' is none of command, "),
        (["--backend", "scripted"], "--agent: the scripted backend needs one of oracle, "),
        (["--backend", "openai", "--base-url", "http://127.0.0.1:9/v1"], "--model: the openai backend needs one"),
        (["--backend", "openai", "--model", "x"], "set OPENAI_API_KEY, or name a server with --base-url"),
        (["--backend", "openai", "--reasoning-effort", "huge"], "--reasoning-effort: 'huge' is none of minimal, "),
        (["--backend", "scripted", "--agent", "oracle", "--case", "multi_turn_base_999"], "no such case in base"),
        (["--backend", "scripted", "--agent", "oracle", "--case", "base"], "--case: 'base' is no case id"),
        (["--backend", "scripted", "--agent", "oracle", "--ids", "nowhere.json"], "nowhere.json: No such file"),
        (["--backend", "scripted", "--agent", "nope"], "--agent: 'nope' is none of oracle, overcaller"),
        (["--backend", "scripted", "--agent", "noisy:x:1"], "expected noisy:P:SEED"),
        (["--backend", "scripted", "--agent", "noisy:1.5:1"], "between 0 and 1"),
        (["--backend", "scripted", "--agent", "noisy:nan:1"], "between 0 and 1"),
        (
            ["--backend", "scripted", "--agent", "oracle", "--categories", "base,nope"],
            "--categories: 'nope' is none of",
        ),
    ],
)
def test_wrong_options(tmp_path: Path, options: list[str], complaint: str) -> None:
    """Each is one line and status 2, and nothing is written."""
    folder = tmp_path / "run"
    done = _bfcl_runner("run", "--output-dir", str(folder), *options)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert not folder.exists()


@pytest.mark.usefixtures("benchmark")
def test_command(tmp_path: Path) -> None:
    """The command runs, says what it does line by line where there is no terminal, and ends with the table."""
    options = [
        "--backend",
        "scripted",
        "--agent",
        "oracle",
        "--limit",
        "3",
        "--categories",
        "miss_func,multi_turn_base",
    ]
    options += ["--categories", "miss_func,multi_turn_base"]
    done = _bfcl_runner("run", "--output-dir", str(tmp_path), *options)
    assert (done.returncode, done.stderr) == (0, "base: 3 cases done\nmiss_func: 3 cases done\n")
    assert "oracle, ruleset paper" in done.stdout
    assert "overall Acc  100.00% (mean of 2 of 4 categories: base, miss_func)" in done.stdout


@pytest.mark.usefixtures("benchmark")
def test_unusable_output_directory(tmp_path: Path) -> None:
    """A file where the directory should be is one line that names it."""
    (tmp_path / "file").touch()
    done = _bfcl_runner("run", "--backend", "scripted", "--agent", "oracle", "--output-dir", str(tmp_path / "file"))
    assert done.returncode == 2
    assert done.stderr.startswith(f"bfcl-runner: {tmp_path / 'file'}")
    assert done.stderr.count("\n") == 1


def _bfcl_runner(*arguments: str) -> subprocess.CompletedProcess[str]:
    outside = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    return subprocess.run(
        [sys.executable, "-m", "bfcl_runner", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=outside,
        timeout=60,
    )


def test_layout_is_below_one_directory(tmp_path: Path) -> None:
    """A model's name can't lead out of the run directory."""
    for model in ("../../x", "..", "/etc", "a/b"):
        assert RunLayout(tmp_path, model).result("base").resolve().is_relative_to(tmp_path.resolve())

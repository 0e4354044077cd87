"""The index of gold turns: the rule, the file in a run directory, the command, and what gar-metrics makes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bfcl_runner import CATEGORIES, ModelOptions, RunPlan, Selection, Silent, run
from bfcl_runner.benchmark import upstream
from bfcl_runner.gold_turns import gold_turns
from gar_metrics import load_runs, read_gold_turns

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("benchmark")


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bfcl_runner", "gold-turns", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("category", CATEGORIES)
def test_rule(category: str) -> None:
    """From upstream's files as they are: the first turn with calls, without calls, or before the missing function."""
    utils = upstream("utils")
    name = f"multi_turn_{category}"
    answers = {row["id"]: row["ground_truth"] for row in utils.load_ground_truth_entry(name)}
    entries = utils.load_file(utils.PROMPT_PATH / f"{utils.VERSION_PREFIX}_{name}.json", sort_by_id=True)
    expected = {}
    for entry in entries:
        calls = [len(turn) for turn in answers[entry["id"]]]
        if category == "miss_func":
            expected[entry["id"]] = min(map(int, entry["missed_function"])) - 1
            assert calls[expected[entry["id"]]] == 0
        else:
            expected[entry["id"]] = [count > 0 for count in calls].index(category != "miss_param")
        assert 0 <= expected[entry["id"]] < len(entry["question"])
    index = gold_turns([category])
    assert index == expected
    assert [int(case_id.rpartition("_")[2]) for case_id in index] == list(range(200))


def test_command(tmp_path: Path) -> None:
    """All four categories or those that are named, as one flat object that gar-metrics reads."""
    done = _command()
    assert (done.returncode, done.stderr) == (0, "")
    assert list(json.loads(done.stdout).items()) == list(gold_turns().items())
    assert len(gold_turns()) == 800
    path = tmp_path / "index.json"
    path.write_text(_command("--categories", "multi_turn_miss_func,base").stdout, encoding="utf-8")
    assert read_gold_turns(path) == gold_turns(["base", "miss_func"])


def test_categories_without_turns() -> None:
    """A category of a single turn has no gold turn, an unknown one doesn't exist."""
    done = _command("--categories", "base,multiple")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "bfcl-runner: --categories: 'multiple' is none of base, long_context, miss_func, miss_param\n"
    )
    assert _command("--categories", "nope").returncode == 2


def test_index_of_a_run(tmp_path: Path) -> None:
    """A run holds whole categories, however few of their cases it is limited to, and all it was continued with."""
    options = ModelOptions("scripted", agent="oracle")
    run(RunPlan(options, tmp_path, Selection(("miss_func", "multiple"), limit=2)), Silent())
    assert read_gold_turns(tmp_path / "gold_turns.json") == gold_turns(["miss_func"])
    run(RunPlan(options, tmp_path, Selection(("base",), limit=2)), Silent())
    assert list(read_gold_turns(tmp_path / "gold_turns.json")) == list(gold_turns(["base", "miss_func"]))


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("oracle", (100.0, 100.0, 100.0, 100.0)),
        ("overcaller", (100.0, 100.0, 0.0, 0.0)),
        ("refuser", (0.0, 0.0, 100.0, 0.0)),
    ],
)
def test_scripted_agents(tmp_path: Path, agent: str, expected: tuple[float, ...]) -> None:
    """Gold-turn GAR of agents that play a known part, over all 800 conversations."""
    run(RunPlan(ModelOptions("scripted", agent=agent), tmp_path), Silent())
    (result,) = load_runs([tmp_path])
    assert tuple(cell.gold_turn_gar for cell in result.cells) == expected
    assert [cell.n for cell in result.cells] == [200] * 4

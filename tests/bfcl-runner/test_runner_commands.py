"""The commands around a run: dry-run, status, show, and scoring files of other people."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bfcl_runner import ModelOptions, RunPlan, ScriptedBackend, Selection, Silent, load_cases, run, run_case
from bfcl_runner.inspecting import conversation, inert

if TYPE_CHECKING:
    from pathlib import Path

    from bfcl_runner import Case, Emission
    from bfcl_runner.agents import Moment

pytestmark = pytest.mark.usefixtures("benchmark")


def _bfcl_runner(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bfcl_runner", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def _scripted(folder: Path, agent: str, categories: tuple[str, ...], limit: int) -> None:
    run(RunPlan(ModelOptions("scripted", agent=agent), folder, Selection(categories, limit)), Silent())


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    """It says how many cases would run and how many are done, and leaves no trace."""
    options = ["--backend", "scripted", "--agent", "oracle", "--categories", "base,miss_func", "--limit", "5"]
    done = _bfcl_runner("run", *options, "--output-dir", tmp_path / "run", "--dry-run")
    assert done.stdout.splitlines()[1:] == [
        "  base: 5 cases, 0 done already",
        "  miss_func: 5 cases, 0 done already",
    ]
    assert not (tmp_path / "run").exists()


def test_selection_by_ids(tmp_path: Path) -> None:
    """Cases can be named in a file as upstream's, by category, or one by one."""
    ids = tmp_path / "ids.json"
    chosen = {"simple_java": [], "multi_turn_composite": [], "multi_turn_miss_param": ["multi_turn_miss_param_7"]}
    ids.write_text(json.dumps(chosen), encoding="utf-8")
    by_file = _bfcl_runner(
        *["run", "--backend", "scripted", "--agent", "oracle", "--ids", ids, "--output-dir", tmp_path / "by_file"]
    )
    assert "miss_param: 1 cases done" in by_file.stderr
    cases = ["--case", "multi_turn_base_3", "--case", "multi_turn_base_11"]
    one_by_one = _bfcl_runner(
        *["run", "--backend", "scripted", "--agent", "oracle", *cases, "--output-dir", tmp_path / "one_by_one"]
    )
    assert one_by_one.returncode == 0, one_by_one.stderr
    (file,) = (tmp_path / "one_by_one").rglob("*_result.json")
    rows = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert [row["id"] for row in rows] == ["multi_turn_base_3", "multi_turn_base_11"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[1]", "expected an object of categories with lists of case ids"),
        ("{", "not JSON"),
        ('{"base": "x"}', "base: expected a list of case ids"),
        ('{"nope": ["x_1"]}', "'nope' is none of base, "),
        ('{"base": []}', "names no case"),
        ('{"base": ["multi_turn_base_900"]}', "no such case in base: 'multi_turn_base_900'"),
    ],
)
def test_bad_ids_files(tmp_path: Path, content: str, complaint: str) -> None:
    """One line with the file's name and what is wrong in it."""
    ids = tmp_path / "ids.json"
    ids.write_text(content, encoding="utf-8")
    done = _bfcl_runner(
        *["run", "--backend", "scripted", "--agent", "oracle", "--ids", ids, "--output-dir", tmp_path / "run"]
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert complaint in done.stderr


def test_status(tmp_path: Path) -> None:
    """How far each category is, and its accuracy once it is scored."""
    _scripted(tmp_path, "refuser", ("base", "miss_func"), 3)
    lines = _bfcl_runner("status", tmp_path).stdout.splitlines()
    assert lines[0].startswith("refuser, scripted, finished, started 2")
    assert lines[1:] == ["  base: 3/3 cases, Acc 0.0%", "  miss_func: 3/3 cases, Acc 0.0%"]
    shutil.rmtree(tmp_path / "score")
    assert "  base: 3/3 cases, not scored" in _bfcl_runner("status", tmp_path).stdout


def test_show(tmp_path: Path) -> None:
    """One conversation with user turns, classes, calls, results and verdict."""
    _scripted(tmp_path, "overcaller", ("miss_func",), 1)
    text = _bfcl_runner("show", tmp_path, "multi_turn_miss_func_0").stdout
    assert text.startswith("multi_turn_miss_func_0, miss_func\n")
    assert "user: Move 'final_report.pdf' within document directory" in text
    assert 'step 0, TOOL_CALL: [{"cd": ' in text
    assert "cd(folder='document')" in text
    assert '-> {"current_working_directory": "document"}' in text
    assert "step 1, OTHER: " in text
    assert text.endswith("verdict: passed\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("show", "nowhere", "multi_turn_base_0"), "nowhere/run.json: No such file"),
        (("show", ".", "multi_turn_base_5"), "holds no row of multi_turn_base_5"),
        (("show", ".", "base"), "case: 'base' is no case id"),
        (("status", "nowhere"), "nowhere/run.json: No such file"),
    ],
)
def test_nothing_to_look_at(tmp_path: Path, arguments: tuple[str, ...], complaint: str) -> None:
    """What isn't there is one line."""
    _scripted(tmp_path, "silent", ("base",), 1)
    places = [str(tmp_path) if word == "." else word for word in arguments]
    done = _bfcl_runner(*places)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert complaint in done.stderr


class _Painter:
    """An agent whose words would act on a terminal."""

    def play(self, case: Case, moment: Moment) -> list[Emission]:
        return ["\x1b[2Jgone\r\x07"]


def test_shown_text_is_inert(tmp_path: Path) -> None:
    """Control characters of a model come out as escapes."""
    _scripted(tmp_path, "silent", ("base",), 1)
    (file,) = tmp_path.rglob("*_result.json")
    row = run_case(load_cases("base")[0], ScriptedBackend(_Painter()))
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    text = "\n".join(conversation(tmp_path, "multi_turn_base_0"))
    assert "\\x1b[2Jgone\\r\\x07" in text
    assert not set(text) & set("\x1b\r\x07")
    assert inert("a\tb\nc\u202e") == "a\tb\nc\\u202e"


@pytest.mark.parametrize("folder", ["gpt-oss-20b-v4", "claude-small-v4"])
def test_scoring_files_of_other_people(shared_data: Path, tmp_path: Path, folder: str) -> None:
    """The verdicts are those of the score files that came with the results, case by case."""
    done = _bfcl_runner("score", shared_data / "bfcl_runs" / folder, "--scores", tmp_path)
    assert done.returncode == 0, done.stderr
    theirs = sorted((shared_data / "bfcl_runs" / folder / "score").rglob("*_score.json"))
    assert theirs
    for path in theirs:
        header, *failing = map(json.loads, path.read_bytes().splitlines())
        ours = tmp_path / path.relative_to(shared_data / "bfcl_runs" / folder / "score")
        our_header, *our_failing = map(json.loads, ours.read_bytes().splitlines())
        assert header == our_header, path
        assert {line["id"]: line["error"]["error_type"] for line in failing} == {
            line["id"]: line["error"]["error_type"] for line in our_failing
        }
    assert len(done.stdout.splitlines()) == len(theirs)


def test_calls_in_a_form_that_is_not_read(shared_data: Path, tmp_path: Path) -> None:
    """A file of calls written as JSON text is refused: 0 would be a figure about the reading, not about the model."""
    results = shared_data / "bfcl_runs/xlam-llama-v3/result/Salesforce_Llama-xLAM-2-8b-fc-r"
    done = _bfcl_runner("score", results, "--scores", tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "replies that look like calls can be read as structured; is it BFCL's text, with --prompting?" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_scoring_what_cannot_be_scored(tmp_path: Path) -> None:
    """A row of no case, or none at all, is one line that names the file."""
    path = tmp_path / "result" / "m" / "multi_turn" / "BFCL_v4_multi_turn_base_result.json"
    path.parent.mkdir(parents=True)
    for content, complaint in (
        ('{"id": "multi_turn_base_900", "result": []}\n', f"{path}:1: id: 'multi_turn_base_900' is no case of base"),
        ('{"id": "multi_turn_base_0"}\n', f"{path}:1: not a result row"),
        ("{", f"{path}:1: not a result row"),
    ):
        path.write_text(content, encoding="utf-8")
        done = _bfcl_runner("score", tmp_path, "--scores", tmp_path / "scores")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert complaint in done.stderr
    nothing = _bfcl_runner("score", tmp_path / "nowhere", "--scores", tmp_path / "scores")
    assert (nothing.returncode, nothing.stderr.count("\n")) == (2, 1)


def test_help_without_arguments() -> None:
    """The command alone shows its help, line by line."""
    done = _bfcl_runner()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == _bfcl_runner("--help").stdout

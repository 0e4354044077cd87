"""Every layout of results and scores is found, and what is ambiguous or absent is refused in one line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gar_metrics import CategoryFiles, GarError, discover

if TYPE_CHECKING:
    from collections.abc import Callable

ONE = {"base": [(True, True)]}
V3, V4 = "BFCL_v3_multi_turn_base_{}.json", "BFCL_v4_multi_turn_base_{}.json"


@pytest.fixture
def run_folder(tmp_path: Path, write_run: Callable[..., Path]) -> Path:
    """A v4 run directory of one model and category."""
    run = tmp_path / "run"
    write_run(run / "result" / "m" / "multi_turn", ONE, scores=run / "score" / "m" / "multi_turn")
    return run


@pytest.mark.parametrize("roots", [("result", "score"), ("results", "scores"), ("result", "scores")])
@pytest.mark.parametrize(
    "below",
    ["", "{root}", "{root}/m", "{root}/m/multi_turn", "{root}/m/multi_turn/BFCL_v4_multi_turn_base_result.json"],
)
def test_v4_paths(tmp_path: Path, write_run: Callable[..., Path], roots: tuple[str, str], below: str) -> None:
    """A run directory, a root, a model's folder and a file all lead to the same v4 pair."""
    results, scores = (tmp_path / root / "m" / "multi_turn" for root in roots)
    write_run(results, ONE, scores=scores)
    (run,) = discover([tmp_path / below.format(root=roots[0])])
    assert (run.model, run.folder) == ("m", results.parent)
    assert run.files == (CategoryFiles("base", results / V4.format("result"), scores / V4.format("score")),)


@pytest.mark.parametrize("below", ["", "result", "result/m", "result/m/BFCL_v3_multi_turn_base_result.json"])
def test_v3_paths(tmp_path: Path, write_run: Callable[..., Path], below: str) -> None:
    """The same in the layout of v3, without the sub-folder."""
    write_run(tmp_path / "result" / "m", ONE, scores=tmp_path / "score" / "m", version="v3")
    (run,) = discover([tmp_path / below])
    assert run.files == (
        CategoryFiles(
            "base", tmp_path / "result" / "m" / V3.format("result"), tmp_path / "score" / "m" / V3.format("score")
        ),
    )


@pytest.mark.parametrize("result_below", ["", "multi_turn"])
@pytest.mark.parametrize("score_below", ["", "multi_turn"])
@pytest.mark.parametrize("versions", [("v3", "v4"), ("v4", "v3"), ("v12", "v4")])
def test_mixed_layouts(
    tmp_path: Path, write_run: Callable[..., Path], result_below: str, score_below: str, versions: tuple[str, str]
) -> None:
    """Prefix and sub-folder of the score file may differ from those of the result file."""
    scores = tmp_path / "score" / "m" / score_below
    write_run(
        tmp_path / "result" / "m" / result_below, ONE, scores=scores, version=versions[0], score_version=versions[1]
    )
    (run,) = discover([tmp_path])
    assert [scores / f"BFCL_{versions[1]}_multi_turn_base_score.json"] == [files.score for files in run.files]


def test_scores_beside_results(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """A score file next to the result file is taken, whatever the root is called."""
    folder = write_run(tmp_path / "outputs" / "m", ONE, scores=tmp_path / "outputs" / "m")
    (run,) = discover([tmp_path / "outputs"])
    assert [folder / V4.format("score")] == [files.score for files in run.files]


def test_no_scores(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Without a score file there is none, and another model's isn't taken."""
    write_run(tmp_path / "result" / "m", ONE)
    write_run(tmp_path / "result" / "other", ONE, scores=tmp_path / "score" / "other")
    assert [(run.model, run.files[0].score is None) for run in discover([tmp_path])] == [("m", True), ("other", False)]


def test_order(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Runs come in the order of the paths, then of the names; categories in table order."""
    cells = {category: [(True, True)] for category in ("miss_param", "long_context", "base", "miss_func")}
    for place in ("runs/b/result/y", "runs/a/result/z", "runs/a/result/x", "c/result/w"):
        write_run(tmp_path / place, cells)
    runs = discover([tmp_path / "runs", tmp_path / "c"])
    assert [run.model for run in runs] == ["x", "z", "y", "w"]
    assert [files.category for files in runs[0].files] == ["base", "long_context", "miss_func", "miss_param"]


def test_files_of_one_model(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Result files named one by one make one run; files and folders named twice count once."""
    folder = write_run(tmp_path / "result" / "m", {**ONE, "miss_func": [(True, True)]})
    (run,) = discover([*sorted(folder.iterdir(), reverse=True), folder, tmp_path])
    assert [files.category for files in run.files] == ["base", "miss_func"]


def test_stray_files(run_folder: Path) -> None:
    """Other categories, other JSON and hidden folders are passed over."""
    folder = run_folder / "result" / "m" / "multi_turn"
    for name in (
        "BFCL_v4_live_simple_result.json",
        "BFCL_v4_multi_turn_composite_result.json",
        "multi_turn_base_result.json",
        "BFCL_v4_multi_turn_base_result.json.bak",
        "notes.json",
    ):
        (folder / name).write_text("not JSON")
    shutil.copytree(run_folder / "result", run_folder / ".old" / "result")
    (run_folder / "result" / "leaderboard.csv").write_text("")
    (run,) = discover([run_folder])
    assert [folder / V4.format("result")] == [files.results for files in run.files]


def test_relative_paths(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From inside the results root, ``.`` and ``..`` still lead to the scores beside it."""
    monkeypatch.chdir(run_folder / "result")
    for path in (".", "m", "..", "../result/m"):
        (run,) = discover([Path(path)])
        assert (run.model, run.files[0].score is not None) == ("m", True)


def test_links(run_folder: Path) -> None:
    """A link to a run isn't a second run, and links that lead back up end nothing and add nothing."""
    (run_folder.parent / "latest").symlink_to(run_folder)
    (run_folder / "result" / "up").symlink_to(run_folder.parent)
    (run_folder / "result" / "loop").symlink_to(run_folder / "result")
    assert [run_folder / "result" / "m"] == [run.folder for run in discover([run_folder.parent])]
    assert [run_folder / "result" / "m"] == [run.folder for run in discover([run_folder / "result"])]


def test_linked_scores(run_folder: Path) -> None:
    """One score file under two names is one score file."""
    (run_folder / "scores").symlink_to(run_folder / "score")
    (run,) = discover([run_folder])
    assert [run_folder / "score" / "m" / "multi_turn" / V4.format("score")] == [files.score for files in run.files]


@pytest.mark.parametrize(
    ("run_json", "expected"),
    [
        ({"model": "org/m:7b", "model_dir": "m"}, "org/m:7b"),
        ({"model": "org/m:7b", "model_dir": "other"}, "m"),
        ({"model": "org/m:7b"}, "m"),
        ({"model": 7, "model_dir": "m"}, "m"),
        ({"model": "", "model_dir": "m"}, "m"),
        ([], "m"),
    ],
)
def test_model_name(run_folder: Path, run_json: object, expected: str) -> None:
    """run.json gives the true name of the folder that it speaks of, and only of that."""
    (run_folder / "run.json").write_text(json.dumps(run_json))
    assert [expected] == [run.model for run in discover([run_folder / "result" / "m"])]


def test_foreign_run_json(run_folder: Path) -> None:
    """A run.json that isn't JSON costs the true name and nothing else."""
    (run_folder / "run.json").write_text("{")
    assert [run.model for run in discover([run_folder])] == ["m"]


@pytest.mark.parametrize("results", ["r", "r/m", "r/m/multi_turn"])
@pytest.mark.parametrize("scores", ["s", "s/m", "s/m/multi_turn"])
def test_pair(tmp_path: Path, write_run: Callable[..., Path], results: str, scores: str) -> None:
    """--results and --scores may each name the root, the model's folder, or the sub-folder in it."""
    write_run(tmp_path / "r" / "m" / "multi_turn", ONE, scores=tmp_path / "s" / "m" / "multi_turn")
    (run,) = discover([], results=tmp_path / results, scores=tmp_path / scores)
    assert [tmp_path / "s" / "m" / "multi_turn" / V4.format("score")] == [files.score for files in run.files]


def test_pair_of_run_directories(run_folder: Path, tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """The scores named count, not those that lie beside the results."""
    write_run(tmp_path / "scratch", ONE, scores=tmp_path / "rescored" / "score" / "m")
    (run,) = discover([], results=run_folder, scores=tmp_path / "rescored")
    assert [tmp_path / "rescored" / "score" / "m" / V4.format("score")] == [files.score for files in run.files]


def refusal(*paths: Path, results: Path | None = None, scores: Path | None = None) -> str:
    """The message of the error that the call ends with."""
    with pytest.raises(GarError) as caught:
        discover(paths, results=results, scores=scores)
    return str(caught.value)


def test_absent_path(tmp_path: Path) -> None:
    """A path that doesn't exist is an error."""
    assert refusal(tmp_path / "no") == f"{tmp_path / 'no'}: no such file or folder"


def test_nothing_found(run_folder: Path) -> None:
    """A folder without result files is an error, even beside one that has some."""
    expected = f"{run_folder / 'score'}: no BFCL multi-turn result file in this folder"
    assert expected == refusal(run_folder, run_folder / "score")


def test_other_file(tmp_path: Path) -> None:
    """A file named as PATH must be a multi-turn result file."""
    other = tmp_path / "BFCL_v4_live_simple_result.json"
    other.touch()
    assert refusal(other) == f"{other}: not named BFCL_v<digits>_multi_turn_<category>_result.json"


def test_nothing_named() -> None:
    """No path and no pair is an error."""
    assert refusal() == "nothing to read: name a PATH, or --results and --scores"


@pytest.mark.parametrize("given", ["results", "scores"])
def test_half_a_pair(tmp_path: Path, given: str) -> None:
    """Only one of the two folders is an error."""
    expected = "--results and --scores go together: give both, or a PATH"
    assert expected == refusal(tmp_path, **{given: tmp_path})


def test_absent_pair_folder(run_folder: Path) -> None:
    """Both folders of the pair must exist."""
    expected = f"{run_folder / 'no'}: no such folder"
    assert expected == refusal(results=run_folder, scores=run_folder / "no")
    assert expected == refusal(results=run_folder / "no", scores=run_folder)


def test_unrelated_pair(run_folder: Path, tmp_path: Path) -> None:
    """A pair that shares no model is an error, not a table without Acc."""
    (tmp_path / "s").mkdir()
    expected = f"{tmp_path / 's'}: no score file belongs to the results in {run_folder}"
    assert expected == refusal(results=run_folder, scores=tmp_path / "s")


def test_two_result_files(run_folder: Path) -> None:
    """v3 and v4 results of one model and category contradict each other; either can be named alone."""
    first, second = (
        run_folder / "result/m" / V3.format("result"),
        run_folder / "result/m/multi_turn" / V4.format("result"),
    )
    shutil.copy(second, first)
    expected = f"{second}: a second result file for base, the first is {first}: keep one of them"
    assert expected == refusal(run_folder)
    assert [first] == [files.results for run in discover([first]) for files in run.files]


def test_two_score_files(run_folder: Path) -> None:
    """The same for scores, wherever the second lies."""
    first = run_folder / "score/m/multi_turn" / V4.format("score")
    second = run_folder / "result/m/multi_turn" / V4.format("score")
    shutil.copy(first, second)
    assert f"{second}: a second score file for base, the first is {first}: keep one of them" == refusal(run_folder)


def test_unreadable_folder(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that can't be listed is an error that names it."""

    def denied(folder: Path) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "iterdir", denied)
    assert refusal(run_folder) == f"{run_folder}: can't be looked into: Permission denied"


def test_one_line(tmp_path: Path) -> None:
    """A name with a line end in it doesn't break the one line."""
    assert refusal(tmp_path / "a\nb") == f"{tmp_path}/a\\nb: no such file or folder"


def test_relative_in_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the working directory a message names the path as a relative one."""
    monkeypatch.chdir(tmp_path)
    assert refusal(tmp_path / "no") == "no: no such file or folder"

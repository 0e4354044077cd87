"""The plots: files of the right kind, the same each time, with every run and category on them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from gar_metrics import load_runs
from gar_metrics.cli import main
from gar_metrics.commands import plot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

plotting = pytest.importorskip("gar_metrics.plotting", reason="matplotlib is not installed", exc_type=ImportError)

CELLS = {"base": [(True, True), (True, False)], "miss_func": [(False, True), (True, True), (False, False)]}
PNG_HEAD = b"\x89PNG\r\n\x1a\n"
CALL = [[{"ls": "{}"}]]
DOLLARS = "costs $5 and $6_x"


@pytest.fixture
def run_folders(tmp_path: Path, write_run: Callable[..., Path]) -> list[Path]:
    """Two scored runs and one without scores, whose name would be a formula if matplotlib read it as one."""
    folders = [
        write_run(tmp_path / "r" / "result" / name, CELLS, scores=tmp_path / "r" / "score" / name) for name in "ab"
    ]
    return [*folders, write_run(tmp_path / "r" / "result" / DOLLARS, {"base": CELLS["base"]})]


def test_kinds_are_those_of_the_command() -> None:
    """The command offers what can be drawn, and no other; it can't look without importing matplotlib."""
    assert tuple(plotting.KINDS) == plot.KINDS


@pytest.mark.parametrize("kind", plot.KINDS)
def test_svg(run_folders: list[Path], kind: str) -> None:
    """Well-formed, and the same bytes again: no date, no random id."""
    runs = load_runs(run_folders)
    drawn = plotting.draw(runs, kind, "svg")
    assert drawn == plotting.draw(load_runs(run_folders), kind, "svg")
    root = ET.fromstring(drawn)  # noqa: S314 (made here)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert b"<dc:date>" not in drawn


@pytest.mark.parametrize("kind", plot.KINDS)
def test_png(run_folders: list[Path], kind: str, tmp_path: Path) -> None:
    """The command writes a PNG by the name's ending, in capitals too."""
    file = tmp_path / "plot.PNG"
    assert main(["plot", *map(str, run_folders), "--kind", kind, "-o", str(file)]) == 0
    assert file.read_bytes().startswith(PNG_HEAD)


def test_scatter_is_the_default(run_folders: list[Path], tmp_path: Path) -> None:
    """Without --kind it is a scatter."""
    assert main(["plot", *map(str, run_folders), "-o", str(tmp_path / "plot.svg")]) == 0
    assert (tmp_path / "plot.svg").read_bytes() == plotting.draw(load_runs(run_folders), "scatter", "svg")


def test_what_is_drawn(run_folders: list[Path]) -> None:
    """Points stand at GAR and Acc, one per run that has both; every run has a look of its own."""
    figure = plotting.Figure()
    plotting.KINDS["scatter"](figure, load_runs(run_folders), ["a", "b", "c"])
    base, miss_func = figure.axes
    assert [axes.get_title() for axes in (base, miss_func)] == ["base", "miss_func"]
    points = [[round(float(x), 3) for x in bar.lines[0].get_xydata()[0]] for bar in miss_func.containers]
    assert points == [[33.333, 66.667]] * 2
    assert len({(bar.lines[0].get_color(), bar.lines[0].get_marker()) for bar in miss_func.containers}) == 2
    assert len(set(plotting.LOOKS)) == len(plotting.LOOKS) == 8


@pytest.mark.parametrize("kind", plot.KINDS)
def test_long_names(tmp_path: Path, write_run: Callable[..., Path], kind: str) -> None:
    """A name of many lines leaves room for the chart: matplotlib has nothing to warn of."""
    run = write_run(tmp_path / "r" / "result" / "m", CELLS, scores=tmp_path / "r" / "score" / "m")
    (tmp_path / "r" / "run.json").write_text(json.dumps({"model": "W" * 2000, "model_dir": "m"}))
    assert plotting.draw(load_runs([run]), kind, "png").startswith(PNG_HEAD)


def test_what_was_not_measured(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """Where no text was recorded that could show the gold class, the mark is hollow, and the bar isn't drawn."""
    name = "BFCL_v4_multi_turn_miss_func"
    write_lines(tmp_path / "result" / "m" / f"{name}_result.json", [{"id": "multi_turn_miss_func_0", "result": [CALL]}])
    head = {"accuracy": 1.0, "correct_count": 1, "total_count": 1}
    write_lines(tmp_path / "score" / "m" / f"{name}_score.json", [head])
    scatter, bars = plotting.Figure(), plotting.Figure()
    plotting.KINDS["scatter"](scatter, load_runs([tmp_path]), ["m"])
    assert scatter.axes[0].containers[0].lines[0].get_markerfacecolor() == "white"
    plotting.KINDS["bars"](bars, load_runs([tmp_path]), ["m"])
    assert [text.get_text() for text in bars.axes[0].texts] == ["not measured"]
    assert [bar.get_width() for bar in bars.axes[0].patches] == [100.0]


def test_mosaic_columns_are_whole(run_folders: list[Path]) -> None:
    """The shares of a column add up to 100%; outcomes that aren't known are said to be so."""
    figure = plotting.Figure()
    plotting.KINDS["mosaic"](figure, load_runs(run_folders), ["a", "b", "c"])
    scored, _, unscored = figure.axes[:3]
    heights: dict[float, float] = {}
    for bar in scored.patches:
        heights[bar.get_x()] = heights.get(bar.get_x(), 0) + bar.get_height()
    assert [round(height, 6) for height in heights.values()] == [100, 100]
    assert [text.get_text() for text in unscored.texts] == ["not known"]


def test_refusals(run_folders: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another ending, no -o, an unknown kind, a folder that isn't there: one line, status 2."""
    run = str(run_folders[0])
    for arguments, words in (
        ([run, "-o", str(tmp_path / "plot.pdf")], "the name must end with .svg or .png"),
        ([run], "-o/--output"),
        ([run, "-o", "x.svg", "--kind", "pie"], "invalid choice: 'pie'"),
        ([run, "-o", str(tmp_path / "no" / "x.svg")], "can't be written: No such file or directory"),
    ):
        assert main(["plot", *arguments]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert words in err

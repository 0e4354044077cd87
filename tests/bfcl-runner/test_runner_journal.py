"""The result file of a run in the making: any interruption leaves something that can be gone on with."""

from __future__ import annotations

import json
import resource
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_runner import RunnerError
from bfcl_runner.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IDS = [f"multi_turn_base_{number}" for number in range(12)]
ERROR = "Error during inference: rate_limited"


def _line(number: int, result: object = None) -> str:
    return json.dumps({"id": IDS[number], "result": [["x"]] if result is None else result}) + "\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the result file lies; its folder is not there yet."""
    return tmp_path / "model" / "result.json"


def test_rows_come_out_in_case_order(path: Path) -> None:
    """Whatever order cases finish in, the file ends up in that of the cases (2 before 10)."""
    journal = Journal(path, IDS)
    for number in (10, 2, 0):
        journal.append({"id": IDS[number], "result": []})
    journal.sort()
    assert [IDS[number] for number in (0, 2, 10)] == [row["id"] for row in journal.rows()]


def test_nothing_there_yet(path: Path) -> None:
    """A file that does not exist has nothing finished."""
    assert Journal(path, IDS).finished(keep_errors=False) == frozenset()


def test_error_rows_are_tried_again(path: Path) -> None:
    """They leave the file, unless they are to be kept."""
    path.parent.mkdir()
    path.write_text(_line(0) + _line(1, ERROR), encoding="utf-8")
    assert Journal(path, IDS).finished(keep_errors=True) == {IDS[0], IDS[1]}
    assert path.read_text(encoding="utf-8") == _line(0) + _line(1, ERROR)
    assert Journal(path, IDS).peek(keep_errors=False) == {IDS[0]}
    assert Journal(path, IDS).finished(keep_errors=False) == {IDS[0]}
    assert path.read_text(encoding="utf-8") == _line(0)


@given(cut=st.integers(min_value=1, max_value=len(_line(1)) - 2))
def test_a_last_line_that_was_cut_off_goes(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    """Wherever a write was interrupted, the rows before it stay and the rest is run again."""
    path = tmp_path_factory.mktemp("cut") / "result.json"
    path.write_text(_line(0) + _line(1)[:cut], encoding="utf-8")
    journal = Journal(path, IDS)
    assert journal.finished(keep_errors=False) == {IDS[0]}
    journal.append({"id": IDS[1], "result": [["x"]]})
    assert path.read_text(encoding="utf-8") == _line(0) + _line(1)


def test_a_whole_last_line_without_its_end(path: Path) -> None:
    """A row that is all there but for the line end is a row, and the next one gets a line of its own."""
    path.parent.mkdir()
    path.write_text(_line(0).rstrip("\n"), encoding="utf-8")
    journal = Journal(path, IDS)
    assert journal.finished(keep_errors=False) == {IDS[0]}
    journal.append({"id": IDS[1], "result": []})
    assert [IDS[0], IDS[1]] == [row["id"] for row in journal.rows()]


def test_repeated_rows(path: Path) -> None:
    """Equal rows count once, an answer replaces an error, and two different answers are refused with both lines."""
    path.parent.mkdir()
    path.write_text(_line(0) + _line(0) + _line(1, ERROR) + _line(1), encoding="utf-8")
    assert Journal(path, IDS).finished(keep_errors=True) == {IDS[0], IDS[1]}
    assert path.read_text(encoding="utf-8") == _line(0) + _line(1)
    path.write_text(_line(0) + _line(0, [["y"]]), encoding="utf-8")
    with pytest.raises(RunnerError, match=rf"{path}:2: id: {IDS[0]} has another result in line 1"):
        Journal(path, IDS).finished(keep_errors=False)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("no json\n", "not a result row"),
        ("7\n", "not a result row"),
        ('{"id": "multi_turn_base_0"}\n', "not a result row"),
        ('{"id": "multi_turn_miss_func_0", "result": []}\n', "id: 'multi_turn_miss_func_0' is no case of this file"),
        ('{"result": []}\n', "id: None is no case of this file"),
    ],
)
def test_foreign_lines_are_refused(path: Path, line: str, complaint: str) -> None:
    """A line that is no row of this category ends the run before it begins, and stays where it is."""
    path.parent.mkdir()
    path.write_text(_line(0) + line + _line(2), encoding="utf-8")
    with pytest.raises(RunnerError) as refusal:
        Journal(path, IDS).finished(keep_errors=False)
    assert str(refusal.value) == f"{path}:2: {complaint}"
    assert path.read_text(encoding="utf-8") == _line(0) + line + _line(2)


@pytest.fixture
def small_files() -> Iterator[None]:
    """A system that lets files grow to 1,000 bytes only, as a full disk would."""
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("small_files")
def test_no_room_left(path: Path) -> None:
    """A row that doesn't fit is one clear error, and leaves the rows before it whole."""
    journal = Journal(path, IDS)
    journal.append({"id": IDS[0], "result": []})
    with pytest.raises(RunnerError, match=rf"{path}: .*; the rows before this one are safe"):
        journal.append({"id": IDS[1], "result": [["x" * 2_000]]})
    assert [IDS[0]] == [row["id"] for row in journal.rows()]
    assert path.read_bytes().endswith(b"\n")

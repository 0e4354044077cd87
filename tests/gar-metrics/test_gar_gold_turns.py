"""Gold-turn GAR: the index, the turn that counts, the column in every format."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from action_classifier import Action
from gar_metrics import GarError, cases_csv, load_runs, read_gold_turns, render_text, run_records, select_cases
from gar_metrics.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gar_metrics import Run

CALL = [{"ls": "{}"}]
RESULTS: tuple[object, ...] = (
    [[CALL, "Listed."], ["Which file?"]],  # asks at the gold turn
    [["Which file?"], [CALL, "Copied."]],  # asks too early
    [["Which file?"], [CALL, "Shall I go on?"]],  # calls first: the turn's highest class is TOOL_CALL
    [["Which file?"]],  # stopped before the gold turn
    "Error during inference: which file?",
    ["Which folder?", "Which file?"],  # single emissions are turns
    [[CALL], ["", []]],  # says nothing there
)
HITS = (True, False, False, False, False, True, False)
CLASSES = (Action.ASK, Action.TOOL_CALL, Action.TOOL_CALL, None, None, Action.ASK, None)


def refusal(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """The one line that the command fails with."""
    status = main([str(argument) for argument in argv])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err.removeprefix("gar: ").removesuffix("\n")


@pytest.fixture
def run_folder(tmp_path: Path, write_lines: Callable[..., Path]) -> Path:
    """A run directory of one category with an index."""
    ids = [f"multi_turn_miss_param_{number}" for number in range(len(RESULTS))]
    rows = [{"id": case_id, "result": result} for case_id, result in zip(ids, RESULTS, strict=True)]
    write_lines(tmp_path / "run" / "result" / "m" / "BFCL_v4_multi_turn_miss_param_result.json", rows)
    (tmp_path / "run" / "gold_turns.json").write_text(json.dumps(dict.fromkeys(ids, 1)))
    return tmp_path / "run"


def only_run(*paths: Path, **options: Path) -> Run:
    """The one run there."""
    (run,) = load_runs(paths, **options)
    return run


def test_gold_turn_decides(run_folder: Path) -> None:
    """The class of the gold turn alone counts; a turn that isn't there and an error row are misses."""
    (cell,) = only_run(run_folder).cells
    assert tuple(case.gold_turn_hit for case in cell.cases) == HITS
    assert tuple(case.gold_turn_class for case in cell.cases) == CLASSES
    assert {case.gold_turn for case in cell.cases} == {1}
    assert (cell.gar_hits, cell.gold_turn_hits, cell.gold_turn_n, cell.n) == (5, 2, 7, 7)
    assert cell.gold_turn_gar == 200 / 7
    assert cell.gold_turn_gar_ci95 == pytest.approx((8.22, 64.11), abs=0.01)


@pytest.mark.parametrize("path", [".", "result", "result/m", "result/m/BFCL_v4_multi_turn_miss_param_result.json"])
def test_index_of_the_run_is_found(run_folder: Path, path: str) -> None:
    """Wherever below the run directory a path leads, the index beside ``result`` belongs to it."""
    assert only_run(run_folder / path).cells[0].gold_turn_hits == 2


def test_named_index_wins(run_folder: Path, tmp_path: Path) -> None:
    """An index that is named is read instead, for every run."""
    index = tmp_path / "index.json"
    index.write_text(json.dumps({f"multi_turn_miss_param_{number}": 0 for number in range(7)}))
    assert only_run(run_folder, gold_turns=index).cells[0].gold_turn_hits == 4


def test_without_index(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without an index nothing is measured, and asking for it says how to get one; GAR goes on without."""
    (run_folder / "gold_turns.json").unlink()
    (cell,) = only_run(run_folder).cells
    assert (cell.gold_turn_n, cell.gold_turn_hits, cell.gold_turn_gar, cell.gold_turn_gar_ci95) == (None,) * 4
    assert {(case.gold_turn, case.gold_turn_class, case.gold_turn_hit) for case in cell.cases} == {(None, None, None)}
    path = run_folder / "result" / "m" / "BFCL_v4_multi_turn_miss_param_result.json"
    assert refusal(capsys, "table", run_folder, "--gold-turn") == (
        f"{path}: the gold turn of 7 cases isn't known (first: multi_turn_miss_param_0): "
        "`bfcl-runner gold-turns > FILE` writes an index, --gold-turns FILE reads it"
    )
    assert main(["table", str(run_folder)]) == 0


def test_incomplete_index(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rate over some of the cases isn't shown as one over all."""
    (run_folder / "gold_turns.json").write_text('{"multi_turn_miss_param_0": 1}')
    assert only_run(run_folder).cells[0].gold_turn_gar is None
    assert "the gold turn of 6 cases isn't known (first: multi_turn_miss_param_1)" in refusal(
        capsys, "table", run_folder, "--gold-turn"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[]", ": expected an object of case ids and turns, found a list"),
        ('{"multi_turn_base_0": -1}', ": multi_turn_base_0: expected the index of a turn, 0 or more, found -1"),
        ('{"multi_turn_base_0": 1.0}', ": multi_turn_base_0: expected the index of a turn, found a decimal number"),
        ('{"multi_turn_base_0": true}', ": multi_turn_base_0: expected the index of a turn, found a boolean"),
        ('{"multi_turn_base_0": "1"}', ": multi_turn_base_0: expected the index of a turn, found a string"),
        ('{"simple_0": 1}', ": simple_0: no multi-turn case id"),
        ('{"a\\nb": 1}', ": a\\nb: no multi-turn case id"),
        ('{\n"multi_turn_base_0": }', ":2: invalid JSON at column 22: Expecting value (is the file cut off?)"),
        (b"\xff", ": invalid UTF-8 at byte 1 of the file"),
        ("[" * 100_000, ": nested too deeply to be read"),
    ],
)
def test_malformed_index(tmp_path: Path, content: str | bytes, expected: str) -> None:
    """An index that can't be right is refused by file and case."""
    path = tmp_path / "gold_turns.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(GarError) as caught:
        read_gold_turns(path)
    assert str(caught.value) == f"{path}{expected}"


def test_good_index(tmp_path: Path) -> None:
    """Cases of all categories, a byte order mark no fault; none is an index too."""
    path = tmp_path / "index"
    path.write_bytes(b'\xef\xbb\xbf{"multi_turn_base_3": 0, "multi_turn_miss_func_12": 4}\n')
    assert read_gold_turns(path) == {"multi_turn_base_3": 0, "multi_turn_miss_func_12": 4}
    path.write_text("{}")
    assert read_gold_turns(path) == {}


def test_index_that_can_not_be_read(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor can a file that isn't there, and an empty name names none."""
    missing = run_folder / "no"
    assert refusal(capsys, "table", run_folder, "--gold-turns", missing) == (
        f"{missing}: can't be read: No such file or directory"
    )
    assert refusal(capsys, "cases", run_folder, "--gold-turns", "").startswith("--gold-turns: an empty path")


def test_text(run_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The column stands beside GAR if it is asked for; naming an index asks for it."""
    monkeypatch.chdir(run_folder.parent)
    assert main(["table", "run", "--gold-turn"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[3:6] == [
        "category    gold  n   GAR  gold-turn  Acc  GAR-Acc  masked",
        "                      (%)        (%)  (%)     (pp)     (%)",
        "miss_param  ASK   7  71.4       28.6    -        -       -",
    ]
    assert main(["table", "run", "--gold-turns", "run/gold_turns.json"]) == 0
    assert capsys.readouterr().out == shown
    assert "gold-turn" not in render_text([only_run(run_folder)])


def test_other_formats(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON, CSV, Markdown and LaTeX have it, the first two unrounded, and none without being asked."""
    main(["table", str(run_folder), "--gold-turn", "--format", "json"])
    cell = json.loads(capsys.readouterr().out)["runs"][0]["categories"]["miss_param"]
    assert (cell["gold_turn_gar"], cell["gold_turn_hits"]) == (200 / 7, 2)
    assert cell["gold_turn_gar_ci95"] == pytest.approx([8.22, 64.11], abs=0.01)
    main(["table", str(run_folder), "--gold-turn", "--format", "csv"])
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["gold_turn_gar"], row["gold_turn_hits"]) == (repr(200 / 7), "2")
    assert [float(row[f"gold_turn_gar_ci95_{bound}"]) for bound in ("low", "high")] == cell["gold_turn_gar_ci95"]
    main(["table", str(run_folder), "--gold-turn", "--format", "md"])
    assert "| miss_param | ASK | 7 | 71.4 | 28.6 | - |" in capsys.readouterr().out
    main(["table", str(run_folder), "--gold-turn", "--format", "latex"])
    assert r"m & miss\_param & ASK & 7 & 71.4 & 28.6 & -" in capsys.readouterr().out
    assert "gold_turn" not in json.dumps(run_records([only_run(run_folder)]))


def test_exported_cases(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each case is exported with its gold turn, its class there and whether that is a hit."""
    main(["cases", str(run_folder)])
    cases = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(case["gold_turn"], case["gold_turn_class"], case["gold_turn_hit"]) for case in cases] == [
        (1, action.value if action else None, hit) for action, hit in zip(CLASSES, HITS, strict=True)
    ]
    rows = list(csv.DictReader(cases_csv(select_cases([only_run(run_folder)]))))
    assert [row["gold_turn_hit"] for row in rows] == ["true" if hit else "false" for hit in HITS]


def test_index_of_two_runs(run_folder: Path, tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Each run has the index of its own directory."""
    write_run(tmp_path / "other" / "result" / "m", {"base": [(True, True)]})
    runs = load_runs([tmp_path / "other", run_folder])
    assert [run.cells[0].gold_turn_hits for run in runs] == [None, 2]

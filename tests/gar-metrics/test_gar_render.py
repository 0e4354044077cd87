"""The same runs in every format: what people read and what programs read."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from gar_metrics import load_runs, render_combined, render_csv, render_json, render_latex, render_markdown, render_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gar_metrics import Run

CELLS = {
    "miss_param": [(True, False)] * 2 + [(False, True)],
    "base": [(True, True)] * 19 + [(True, False)],
    "miss_func": [(False, True)] * 2 + [(True, True)],
    "long_context": [(True, True)],
}


@pytest.fixture
def scored(tmp_path: Path, write_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> tuple[Run, ...]:
    """One run of all four categories, scored."""
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "a" / "result" / "m", CELLS, scores=tmp_path / "a" / "score" / "m")
    return load_runs(["a"])


@pytest.fixture
def two(scored: tuple[Run, ...], tmp_path: Path, write_run: Callable[..., Path]) -> tuple[Run, ...]:
    """That run and one of the same model that wasn't scored."""
    write_run(tmp_path / "b" / "result" / "m", {"base": [(True, True)]})
    return (*scored, *load_runs(["b"]))


def test_text(scored: tuple[Run, ...]) -> None:
    """Aligned columns, one decimal, units, a signed difference, two decimals for overall Acc."""
    expected = """\
m, ruleset paper
a/result/m

category      gold        n    GAR    Acc  GAR-Acc  masked
                               (%)    (%)     (pp)     (%)
base          TOOL_CALL  20  100.0   95.0     +5.0     0.0
long_context  TOOL_CALL   1  100.0  100.0      0.0     0.0
miss_func     REFUSE      3   33.3  100.0    -66.7    66.7
miss_param    ASK         3   66.7   33.3    +33.3    33.3

overall Acc  82.08%
"""
    assert render_text(scored) == expected


def test_text_of_several_runs(two: tuple[Run, ...]) -> None:
    """One block per run; a block without scores says so."""
    first, second = render_text(two).split("\n\nm, ", 1)
    assert render_text(two[:1]).removesuffix("\n") == first
    expected = """\
ruleset paper
b/result/m

category  gold       n    GAR  Acc  GAR-Acc  masked
                          (%)  (%)     (pp)     (%)
base      TOOL_CALL  1  100.0    -        -       -

overall Acc  - (no score file for base)

notes
  base: no score file, so Acc is left out
"""
    assert second == expected


def test_partial_overall(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """A mean of fewer than four categories names them."""
    write_run(tmp_path, {"base": [(True, True)], "miss_func": [(True, False)]}, scores=tmp_path)
    text = render_text(load_runs([tmp_path]))
    assert "\noverall Acc  50.00% (mean of 2 of 4 categories: base, miss_func)\n" in text


def test_notes(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """Warnings stand below the table, each with its category."""
    path = tmp_path / "BFCL_v4_multi_turn_base_result.json"
    write_lines(path, [{"id": "multi_turn_base_0", "result": "Error"}, {"id": "multi_turn_base_1", "result": ["ok"]}])
    lines = render_text(load_runs([tmp_path])).splitlines()
    assert lines[-3:] == [
        "notes",
        "  base: no score file, so Acc is left out",
        "  base: error rows: 1 of 2, counted as misses; of the other 1, 0.0% hit",
    ]


def test_combined(two: tuple[Run, ...]) -> None:
    """One table for all, the runs of one model told apart by their folders."""
    expected = """\
ruleset paper

model           category      gold        n    GAR    Acc  GAR-Acc  masked
                                               (%)    (%)     (pp)     (%)
m (a/result/m)  base          TOOL_CALL  20  100.0   95.0     +5.0     0.0
m (a/result/m)  long_context  TOOL_CALL   1  100.0  100.0      0.0     0.0
m (a/result/m)  miss_func     REFUSE      3   33.3  100.0    -66.7    66.7
m (a/result/m)  miss_param    ASK         3   66.7   33.3    +33.3    33.3
m (b/result/m)  base          TOOL_CALL   1  100.0      -        -       -

overall Acc  m (a/result/m)  82.08%
overall Acc  m (b/result/m)  - (no score file for base)

notes
  m (b/result/m), base: no score file, so Acc is left out
"""
    assert render_combined(two) == expected


def test_markdown(two: tuple[Run, ...]) -> None:
    """A pipe table with a row per run and category, then a list."""
    lines = render_markdown(two).splitlines()
    assert lines[:4] == [
        "| model | ruleset | category | gold | n | GAR (%) | Acc (%) | GAR-Acc (pp) | masked (%) |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
        "| m (a/result/m) | paper | base | TOOL_CALL | 20 | 100.0 | 95.0 | +5.0 | 0.0 |",
        "| m (a/result/m) | paper | long_context | TOOL_CALL | 1 | 100.0 | 100.0 | 0.0 | 0.0 |",
    ]
    assert lines[-5:] == [
        "| m (b/result/m) | paper | base | TOOL_CALL | 1 | 100.0 | - | - | - |",
        "",
        "- m (a/result/m): overall Acc 82.08%",
        "- m (b/result/m): overall Acc - (no score file for base)",
        "  - base: no score file, so Acc is left out",
    ]


def test_hostile_names(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """A model's name can't break a line, a column, or the terminal."""
    write_run(tmp_path / "a|b\n\x1b[31m", {"base": [(True, True)]})
    runs = load_runs([tmp_path])
    assert render_text(runs).startswith("a|b\\n\\x1b[31m, ruleset paper\n")
    assert "\n| a\\|b\\n\\x1b[31m | paper |" in render_markdown(runs)


def test_markup_in_names(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Nor is it an HTML tag in Markdown."""
    write_run(tmp_path / "<script>", {"base": [(True, True)]})
    lines = render_markdown(load_runs([tmp_path])).splitlines()
    assert lines[2].startswith("| \\<script> | paper |")
    assert lines[4] == "- \\<script>: overall Acc - (no score file for base)"


def test_latex_minus(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """LaTeX gets a minus sign before a negative number, and the hyphens of a name as they are."""
    folder = write_run(tmp_path / "result" / "gpt-5", {"base": [(False, True)]}, scores=tmp_path / "score" / "gpt-5")
    latex = render_latex(load_runs([folder]))
    assert r"gpt-5 & base & TOOL\_CALL & 1 & 0.0 & 100.0 & $-$100.0 & 100.0 \\" in latex
    assert "GAR-Acc (pp)" in latex


def test_tiny_difference_is_no_minus_zero(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """A difference that rounds to nothing has no sign."""
    rows = [{"id": f"multi_turn_base_{number}", "result": ["[ls()]"]} for number in range(2500)]
    rows[0]["result"] = ["ok"]
    write_lines(tmp_path / "BFCL_v4_multi_turn_base_result.json", rows)
    head = {"accuracy": 1.0, "correct_count": 2500, "total_count": 2500}
    write_lines(tmp_path / "BFCL_v4_multi_turn_base_score.json", [head])
    assert "  100.0  100.0      0.0     0.0\n" in render_text(load_runs([tmp_path]))


def test_json(two: tuple[Run, ...]) -> None:
    """The documented structure, rates in percent and unrounded, null where a value can't be measured."""
    records = json.loads(render_json(two))
    assert list(records) == ["runs"]
    first, second = records["runs"]
    assert (first["model"], first["ruleset"], first["folder"]) == ("m", "paper", "a/result/m")
    assert list(first["categories"]) == ["base", "long_context", "miss_func", "miss_param"]
    assert first["overall_acc"] == pytest.approx((95 + 100 + 100 + 100 / 3) / 4)
    cell = first["categories"]["miss_param"]
    low, high = cell.pop("gar_ci95")
    assert (low, high) == pytest.approx((20.7655, 93.8508), abs=1e-3)
    assert cell.pop("acc_ci95") == pytest.approx([6.1492, 79.2345], abs=1e-3)
    assert cell == {
        "gold": "ask",
        "n": 3,
        "gar": 200 / 3,
        "gar_hits": 2,
        "measurable": True,
        "acc": 100 / 3,
        "correct": 1,
        "gar_minus_acc": 100 / 3,
        "strict_acc": 0.0,
        "masked_share": 100 / 3,
        "error_rows": 0,
        "gar_answered": 200 / 3,
        "classes": {"tool_call": 0, "refuse": 0, "ask": 2, "confirm": 0, "other": 3},
        "outcomes": {"calibrated_pass": 0, "execution_failure": 2, "masked_pass": 1, "miscalibrated": 0},
        "warnings": [],
    }
    unscored = second["categories"]["base"]
    absent = ("acc", "acc_ci95", "correct", "gar_minus_acc", "strict_acc", "masked_share", "outcomes")
    assert dict.fromkeys(absent) == {name: unscored[name] for name in absent}
    assert second["overall_acc"] is None


def test_csv(two: tuple[Run, ...]) -> None:
    """A row per run and category, unrounded, an empty field where a value can't be measured."""
    rows = list(csv.DictReader(io.StringIO(render_csv(two))))
    assert [row["category"] for row in rows] == ["base", "long_context", "miss_func", "miss_param", "base"]
    assert [row["folder"] for row in rows] == ["a/result/m"] * 4 + ["b/result/m"]
    assert rows[3] == {
        "model": "m",
        "ruleset": "paper",
        "folder": "a/result/m",
        "category": "miss_param",
        "gold": "ask",
        "n": "3",
        "gar_hits": "2",
        "gar": repr(200 / 3),
        "gar_ci95_low": rows[3]["gar_ci95_low"],
        "gar_ci95_high": rows[3]["gar_ci95_high"],
        "measurable": "true",
        "error_rows": "0",
        "gar_answered": repr(200 / 3),
        "correct": "1",
        "acc": repr(100 / 3),
        "acc_ci95_low": rows[3]["acc_ci95_low"],
        "acc_ci95_high": rows[3]["acc_ci95_high"],
        "gar_minus_acc": repr(100 / 3),
        "strict_acc": "0.0",
        "masked_share": repr(100 / 3),
        "calibrated_pass": "0",
        "execution_failure": "2",
        "masked_pass": "1",
        "miscalibrated": "0",
        "warnings": "",
    }
    low, high = float(rows[3]["gar_ci95_low"]), float(rows[3]["gar_ci95_high"])
    assert (low, high) == two[0].cells[3].gar_ci95
    assert [name for name, value in rows[4].items() if not value] == [
        "correct", "acc", "acc_ci95_low", "acc_ci95_high", "gar_minus_acc", "strict_acc", "masked_share",
        "calibrated_pass", "execution_failure", "masked_pass", "miscalibrated", "warnings",
    ]  # fmt: skip


def test_no_runs() -> None:
    """Nothing renders as nothing, with its frame where a format has one."""
    assert render_text([]) == ""
    assert json.loads(render_json([])) == {"runs": []}
    assert render_csv([]).startswith("model,ruleset,folder,category,")

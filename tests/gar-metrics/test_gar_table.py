"""From files to numbers: cells, outcomes, warnings, and the published example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from action_classifier import Action
from gar_metrics import GarError, Outcome, Results, build_cell, build_run, load_runs, render_text, select_cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gar_metrics import Cell

CALL = [{"ls": "{}"}]


def verdicts(both: int, gold_only: int, passed_only: int, neither: int) -> list[tuple[bool, bool]]:
    """So many cases of each outcome, as (gold emitted, passed)."""
    return (
        [(True, True)] * both + [(True, False)] * gold_only + [(False, True)] * passed_only + [(False, False)] * neither
    )


def ids(*numbers: int) -> list[dict[str, object]]:
    """Score lines that name these base cases as failing."""
    return [{"id": f"multi_turn_base_{number}"} for number in numbers]


@pytest.fixture
def base_cell(tmp_path: Path, write_lines: Callable[..., Path]) -> Callable[..., Cell]:
    """``base_cell(results, score_lines)``: the cell of base cases numbered from 0 with these results."""

    def build(results: list[object], score_lines: list[object] | None = None) -> Cell:
        name = "BFCL_v4_multi_turn_base_{}.json"
        rows = [{"id": f"multi_turn_base_{number}", "result": result} for number, result in enumerate(results)]
        write_lines(tmp_path / name.format("result"), rows)
        if score_lines is not None:
            write_lines(tmp_path / name.format("score"), score_lines)
        ((cell,),) = (run.cells for run in load_runs([tmp_path]))
        return cell

    return build


def score_head(correct: int, total: int) -> dict[str, object]:
    """The first line of a score file."""
    return {"accuracy": correct / total, "correct_count": correct, "total_count": total}


def test_published_example(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """The published table of gpt-5.4 at high effort comes out of files with its counts."""
    cells = {
        "base": verdicts(114, 84, 0, 2),
        "long_context": verdicts(112, 88, 0, 0),
        "miss_func": verdicts(80, 51, 24, 45),
        "miss_param": verdicts(50, 38, 33, 79),
    }
    write_run(tmp_path / "result" / "gpt-5.4", cells, scores=tmp_path / "score" / "gpt-5.4")
    (run,) = load_runs([tmp_path])
    assert [(cell.gar, cell.acc) for cell in run.cells] == [(99.0, 57.0), (100.0, 56.0), (65.5, 52.0), (44.0, 41.5)]
    assert [cell.gar_minus_acc for cell in run.cells] == [42.0, 44.0, 13.5, 2.5]
    assert run.overall_acc == 51.625
    assert "\noverall Acc  51.62%\n" in render_text([run])


def test_rates(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Each rate is its count over n, in percent."""
    write_run(tmp_path, {"miss_param": verdicts(3, 2, 1, 4)}, scores=tmp_path)
    ((cell,),) = (run.cells for run in load_runs([tmp_path]))
    assert (cell.gold, cell.n, cell.gar_hits, cell.correct) == (Action.ASK, 10, 5, 4)
    assert (cell.gar, cell.acc, cell.gar_minus_acc) == (50.0, 40.0, 10.0)
    assert (cell.strict_acc, cell.masked_share) == (30.0, 10.0)
    assert cell.gar_ci95 == pytest.approx((23.6590, 76.3410), abs=1e-3)
    assert cell.acc_ci95 == pytest.approx((16.8180, 68.7326), abs=1e-3)
    assert dict(zip(Outcome, (3, 2, 1, 4), strict=True)) == cell.outcomes
    assert dict(zip(Action, (0, 5, 0, 0, 10), strict=True)) == cell.classes


def test_without_score(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Without a score file everything that needs one is None, and nothing else is."""
    write_run(tmp_path, {"base": verdicts(1, 0, 0, 0)})
    (run,) = load_runs([tmp_path])
    (cell,) = run.cells
    assert (cell.gar, cell.warnings) == (100.0, ())
    absent = (
        cell.acc,
        cell.acc_ci95,
        cell.correct,
        cell.gar_minus_acc,
        cell.strict_acc,
        cell.masked_share,
        cell.outcomes,
    )
    assert absent == (None,) * 7
    assert (run.overall_acc, cell.cases[0].passed) == (None, None)


def test_overall_needs_every_acc(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Overall Acc is the mean over the categories present, and absent once one of them lacks Acc."""
    write_run(tmp_path, {"base": verdicts(1, 1, 0, 0), "miss_func": verdicts(1, 0, 0, 0)}, scores=tmp_path)
    assert [run.overall_acc for run in load_runs([tmp_path])] == [75.0]
    write_run(tmp_path, {"miss_param": verdicts(1, 0, 0, 0)})
    assert [run.overall_acc for run in load_runs([tmp_path])] == [None]


def test_error_rows(base_cell: Callable[..., Cell]) -> None:
    """Error rows are part of n, never hit, and are counted apart."""
    cell = base_cell([[CALL, "ok"], "Error: [ls()]", "Error", ["ok"]], [score_head(1, 4), *ids(1, 2, 3)])
    assert (cell.n, cell.gar_hits, cell.error_rows, cell.gar, cell.gar_answered) == (4, 1, 2, 25.0, 50.0)
    assert cell.warnings == ("error rows: 2 of 4, counted as misses; of the other 2, 50.0% hit",)


def test_only_error_rows(base_cell: Callable[..., Cell]) -> None:
    """With nothing but error rows there is no rate over the rest."""
    cell = base_cell(["Error"])
    assert (cell.gar, cell.gar_answered) == (0.0, None)
    assert cell.warnings[0] == "error rows: 1 of 1, counted as misses"


def test_no_text(base_cell: Callable[..., Cell]) -> None:
    """A cell in which no text was recorded says that ASK and REFUSE can't be measured there."""
    expected = ("no text was recorded at all: ASK and REFUSE can't be measured here",)
    assert expected == base_cell([[[CALL, []]], [[CALL, ""]]]).warnings
    assert base_cell([[[CALL, "ok"]], [[CALL]]]).warnings == ()


def test_text_in_lists(base_cell: Callable[..., Cell]) -> None:
    """Text that the ruleset doesn't read is counted, with what that costs."""
    note = "store text as a list of strings, which ruleset paper doesn't read: ASK and REFUSE"
    assert base_cell([[[CALL, []]], [[["b"], ["c"]]]]).warnings == (
        f"2 emissions in 1 case {note} can't be measured here",
    )
    assert base_cell([["ok", [["b"]]]]).warnings == (f"1 emission in 1 case {note} may be undercounted here",)


def test_failing_ids_listed_twice(base_cell: Callable[..., Cell]) -> None:
    """An id that is listed twice failed once."""
    cell = base_cell([[CALL, "ok"]] * 3, [score_head(2, 3), *ids(1, 1)])
    assert cell.warnings == ()
    assert [case.passed for case in cell.cases] == [True, False, True]


@pytest.mark.parametrize(
    ("score_lines", "expected"),
    [
        (
            [score_head(2, 3), *ids(7)],
            ("the score file lists 1 failing case that the result file lacks (first: multi_turn_base_7)",),
        ),
        ([score_head(1, 1)], ("the score file counts 1 case, the result file holds 3",)),
        (
            [score_head(1, 3), *ids(1)],
            ("the head of the score file says that 2 of 3 failed, but its lines name 1",),
        ),
    ],
)
def test_contradictions(
    base_cell: Callable[..., Cell], score_lines: list[dict[str, int]], expected: tuple[str, ...]
) -> None:
    """Where score and results disagree, Acc is the head's, outcomes are left out, and a warning says why."""
    cell = base_cell([[CALL, "ok"]] * 3, score_lines)
    assert cell.warnings == (*expected, "Acc is what the score file's head says; outcomes per case are left out")
    assert (cell.outcomes, cell.strict_acc) == (None, None)
    assert [case.passed for case in cell.cases] == [None] * 3
    assert cell.acc == 100 * score_lines[0]["correct_count"] / score_lines[0]["total_count"]


def test_different_denominators(base_cell: Callable[..., Cell]) -> None:
    """GAR and Acc keep their own denominators when the files cover different cases."""
    cell = base_cell([[CALL, "ok"], ["ok"], ["ok"]], [score_head(1, 2), *ids(1)])
    assert cell.gar_minus_acc == pytest.approx(100 / 3 - 50.0)


def test_no_rows(tmp_path: Path) -> None:
    """A cell of no rows, or of a category without a gold class, can't be built."""
    with pytest.raises(GarError, match="no rows to count"):
        build_cell(Results(tmp_path, "base", "paper", (), ()), None)
    with pytest.raises(GarError, match="category 'simple' has no gold class"):
        build_cell(Results(tmp_path, "simple", "paper", (), ()), None)


def test_cell_order(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """A run's cells come in table order, in whatever order they were built."""
    write_run(tmp_path, dict.fromkeys(("base", "long_context", "miss_func", "miss_param"), verdicts(1, 0, 0, 0)))
    (run,) = load_runs([tmp_path])
    assert run == build_run(run.model, run.ruleset, run.folder, reversed(run.cells))


def test_select_cases(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Cases are chosen by category, by outcome, or by both."""
    cells = {"base": verdicts(1, 1, 0, 0), "miss_func": verdicts(1, 0, 2, 0)}
    write_run(tmp_path, cells, scores=tmp_path)
    runs = load_runs([tmp_path])
    assert len(select_cases(runs)) == 5
    assert len(select_cases(runs, category="miss_func")) == 3
    masked = select_cases(runs, outcome=Outcome.MASKED_PASS)
    assert [listed.case.id for listed in masked] == ["multi_turn_miss_func_1", "multi_turn_miss_func_2"]
    assert select_cases(runs, category="base", outcome=Outcome.MASKED_PASS) == ()


def test_select_refusals(base_cell: Callable[..., Cell], tmp_path: Path) -> None:
    """An absent category, and outcomes that no score file settles, are refused."""
    base_cell([[CALL, "ok"]])
    path = tmp_path / "BFCL_v4_multi_turn_base_result.json"
    with pytest.raises(GarError, match=r"^no results for category miss_func$"):
        select_cases(load_runs([tmp_path]), category="miss_func")
    with pytest.raises(GarError) as caught:
        select_cases(load_runs([tmp_path]), outcome=Outcome.MASKED_PASS)
    assert str(caught.value) == f"{path}: outcomes aren't known: no score file belongs to it"
    base_cell([[CALL, "ok"]], [score_head(0, 1)])
    with pytest.raises(GarError) as caught:
        select_cases(load_runs([tmp_path]), outcome=Outcome.MASKED_PASS)
    assert str(caught.value) == f"{path}: outcomes aren't known: the score file contradicts the result rows"

"""Runs compared: known flips, properties under exchange, unequal case sets, what isn't settled, families."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gar_metrics import (
    CATEGORIES,
    GarError,
    Outcome,
    compare_many,
    compare_runs,
    holm,
    load_runs,
    mcnemar_exact,
    mover_mean,
    tango,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from gar_metrics import Run, Shift

    Verdicts = Mapping[str, Sequence[tuple[bool, bool]]]

RIGHT, FAILED, MASKED, WRONG = (True, True), (True, False), (False, True), (False, False)
verdict = st.sampled_from([RIGHT, FAILED, MASKED, WRONG])
categories = st.dictionaries(
    st.sampled_from(CATEGORIES), st.lists(st.tuples(verdict, verdict), min_size=1, max_size=12), min_size=1
)
"""Some categories, each with the verdicts of its cases in two runs."""


@pytest.fixture(scope="session")
def make_run(tmp_path_factory: pytest.TempPathFactory, write_run: Callable[..., Path]) -> Callable[..., Run]:
    """``make_run({category: [(gold emitted, passed), ...]}, scored=True)`` writes a run and reads it back."""

    def made(cells: Verdicts, *, scored: bool = True) -> Run:
        folder = tmp_path_factory.mktemp("run")
        write_run(folder / "result" / "m", cells, scores=folder / "score" / "m" if scored else None)
        (run,) = load_runs([folder])
        return run

    return made


def numbers(ids: Sequence[str]) -> list[int]:
    """The numbers that the case ids end with."""
    return [int(case_id.rpartition("_")[2]) for case_id in ids]


def with_gold_turns(run: Run, hits: Sequence[bool | None]) -> Run:
    """The run with these gold-turn hits in every category."""
    cells = [
        dataclasses.replace(
            cell,
            cases=tuple(
                dataclasses.replace(case, gold_turn_hit=hit) for case, hit in zip(cell.cases, hits, strict=True)
            ),
        )
        for cell in run.cells
    ]
    return dataclasses.replace(run, cells=tuple(cells))


def test_known_flips(make_run: Callable[..., Run]) -> None:
    """Rates, shift, interval, test and ids of one category, for both measures."""
    baseline = make_run({"miss_func": [RIGHT, MASKED, MASKED, WRONG, FAILED, WRONG]})
    treatment = make_run({"miss_func": [RIGHT, RIGHT, RIGHT, FAILED, MASKED, WRONG]})
    (cell,) = compare_runs(baseline, treatment).cells
    acc, gar = cell.shifts["acc"], cell.shifts["gar"]
    assert (cell.category, cell.n, list(cell.shifts)) == ("miss_func", 6, ["acc", "gar"])
    assert (acc.baseline, acc.treatment, acc.shift_pp) == (50.0, pytest.approx(66.67, abs=0.01), 100 / 6)
    assert (numbers(acc.gained), numbers(acc.lost)) == ([4], [])
    assert (gar.baseline, gar.treatment, gar.shift_pp) == (200 / 6, 400 / 6, 200 / 6)
    assert (numbers(gar.gained), numbers(gar.lost)) == ([1, 2, 3], [4])
    assert gar.ci95 == tuple(100 * bound for bound in tango(3, 1, 6))
    assert (acc.mcnemar_p, gar.mcnemar_p) == (1.0, mcnemar_exact(3, 1))
    assert gar.gained[0] == "multi_turn_miss_func_1"


def test_transitions(make_run: Callable[..., Run]) -> None:
    """Every case is counted at its two outcomes; overall sums the categories."""
    baseline = make_run({"base": [RIGHT, FAILED], "miss_func": [MASKED, MASKED, WRONG]})
    treatment = make_run({"base": [RIGHT, RIGHT], "miss_func": [RIGHT, MASKED, FAILED]})
    comparison = compare_runs(baseline, treatment)
    moves = comparison.overall.transitions
    assert moves is not None
    found = {(before, after): n for before, row in moves.items() for after, n in row.items() if n}
    passed, failed = Outcome.CALIBRATED_PASS, Outcome.EXECUTION_FAILURE
    masked, wrong = Outcome.MASKED_PASS, Outcome.MISCALIBRATED
    expected = {(passed, passed): 1, (failed, passed): 1, (masked, passed): 1, (masked, masked): 1, (wrong, failed): 1}
    assert expected == found
    assert [list(row) for row in moves.values()] == [list(Outcome)] * 4


def test_overall_is_the_mean_over_categories(make_run: Callable[..., Run]) -> None:
    """Each category weighs the same, whatever its size; McNemar's test pools the flips."""
    baseline = make_run({"base": [FAILED] * 2, "miss_func": [WRONG] * 8})
    treatment = make_run({"base": [RIGHT] * 2, "miss_func": [RIGHT] * 2 + [WRONG] * 6})
    overall = compare_runs(baseline, treatment).overall
    acc = overall.shifts["acc"]
    assert (overall.category, overall.n, acc.n) == ("overall", 10, 10)
    assert (acc.baseline, acc.treatment, acc.shift_pp) == (0.0, 62.5, 62.5)
    assert (len(acc.gained), acc.mcnemar_p) == (4, mcnemar_exact(4, 0))
    assert overall.shifts["acc"].treatment == treatment.overall_acc


def test_versions_of_one_conversation(make_run: Callable[..., Run]) -> None:
    """Cases of one number that flip together count as one conversation, and widen the overall interval."""
    flips, still = [RIGHT] * 4 + [FAILED] * 4, [FAILED] * 8
    together = compare_runs(
        make_run({"base": still, "long_context": still}), make_run({"base": flips, "long_context": flips})
    )
    apart = compare_runs(
        make_run({"base": still, "long_context": still}), make_run({"base": flips, "long_context": flips[::-1]})
    )
    acc, apart_acc = together.overall.shifts["acc"], apart.overall.shifts["acc"]
    assert (acc.shift_pp, acc.mcnemar_p, acc.conversation_p) == (50.0, mcnemar_exact(8, 0), mcnemar_exact(4, 0))
    assert (apart_acc.shift_pp, apart_acc.conversation_p) == (50.0, mcnemar_exact(8, 0))
    # Wholly correlated, the mean is known no better than either half of it.
    assert together.cells[0].shifts["acc"].ci95 == pytest.approx(acc.ci95)
    assert acc.ci95[0] < apart_acc.ci95[0]
    assert apart_acc.ci95[1] < acc.ci95[1]


def test_conversations_partly_in_common(make_run: Callable[..., Run]) -> None:
    """Two of eight cases in common, wholly correlated, count as a correlation of 2 / sqrt(8 * 2)."""
    baseline = make_run({"base": [FAILED] * 8, "long_context": [FAILED] * 2})
    treatment = make_run({"base": [RIGHT, FAILED] * 4, "long_context": [RIGHT, FAILED]})
    comparison = compare_runs(baseline, treatment)
    parts = [(shift.shift_pp, *shift.ci95) for shift in (cell.shifts["acc"] for cell in comparison.cells)]
    assert comparison.overall.shifts["acc"].ci95 == pytest.approx(mover_mean(parts, lambda _i, _j: 0.5))


def test_opposed_flips_do_not_narrow(make_run: Callable[..., Run]) -> None:
    """Two cases that flip the opposite way in each category are taken as chance: the interval keeps a width."""
    baseline = make_run({"base": [FAILED] * 2, "long_context": [FAILED] * 2})
    treatment = make_run({"base": [RIGHT, FAILED], "long_context": [FAILED, RIGHT]})
    comparison = compare_runs(baseline, treatment)
    parts = [(shift.shift_pp, *shift.ci95) for shift in (cell.shifts["acc"] for cell in comparison.cells)]
    assert comparison.overall.shifts["acc"].ci95 == pytest.approx(mover_mean(parts))


def test_flips_that_cancel_out(make_run: Callable[..., Run]) -> None:
    """A conversation gained in one category and lost in another counts for neither."""
    baseline = make_run({"base": [RIGHT, FAILED], "long_context": [FAILED, FAILED]})
    treatment = make_run({"base": [FAILED, RIGHT], "long_context": [RIGHT, FAILED]})
    acc = compare_runs(baseline, treatment).overall.shifts["acc"]
    assert (len(acc.gained), len(acc.lost), acc.conversation_p) == (2, 1, mcnemar_exact(1, 0))


@settings(max_examples=40)
@given(cells=categories)
def test_exchange(
    cells: dict[str, list[tuple[tuple[bool, bool], tuple[bool, bool]]]], make_run: Callable[..., Run]
) -> None:
    """Exchanged runs: negated shifts, mirrored intervals, the same p, gained for lost, transposed outcomes."""
    ours, theirs = (
        make_run({category: [pair[side] for pair in pairs] for category, pairs in cells.items()}) for side in (0, 1)
    )
    there, back = compare_runs(ours, theirs), compare_runs(theirs, ours)
    for cell, mirrored in zip((*there.cells, there.overall), (*back.cells, back.overall), strict=True):
        for key, shift in cell.shifts.items():
            _assert_mirrored(shift, mirrored.shifts[key])
        assert cell.transitions is not None
        assert mirrored.transitions is not None
        assert all(cell.transitions[a][b] == mirrored.transitions[b][a] for a in Outcome for b in Outcome)
        assert sum(sum(row.values()) for row in cell.transitions.values()) == cell.n


def _assert_mirrored(shift: Shift, mirrored: Shift) -> None:
    (low, high), (other_low, other_high) = shift.ci95, mirrored.ci95
    assert (shift.gained, shift.lost) == (mirrored.lost, mirrored.gained)
    assert (shift.baseline, shift.treatment, -shift.shift_pp) == (
        mirrored.treatment, mirrored.baseline, mirrored.shift_pp,
    )  # fmt: skip
    assert (-high, -low) == pytest.approx((other_low, other_high), abs=1e-9)
    assert (shift.mcnemar_p, shift.conversation_p) == (mirrored.mcnemar_p, mirrored.conversation_p)
    assert -100 - 1e-9 <= low <= shift.shift_pp <= high <= 100 + 1e-9
    assert shift.treatment - shift.baseline == pytest.approx(shift.shift_pp, abs=1e-9)


def test_same_run_twice(make_run: Callable[..., Run]) -> None:
    """A run against itself has not moved, and p is 1."""
    run = make_run({category: [RIGHT, FAILED, MASKED, WRONG] for category in CATEGORIES})
    comparison = compare_runs(run, run)
    for cell in (*comparison.cells, comparison.overall):
        for shift in cell.shifts.values():
            assert (shift.shift_pp, shift.mcnemar_p, shift.conversation_p) == (0.0, 1.0, 1.0)
            assert (shift.gained, shift.lost) == ((), ())
    assert comparison.warnings == ()


def test_unequal_case_sets(make_run: Callable[..., Run]) -> None:
    """The common cases are compared, and the notes count the others and name the rates that differ."""
    baseline = make_run({"base": [RIGHT, FAILED, RIGHT, RIGHT], "miss_func": [RIGHT]})
    treatment = make_run({"base": [RIGHT, RIGHT], "miss_param": [RIGHT]})
    comparison = compare_runs(baseline, treatment)
    acc = comparison.cells[0].shifts["acc"]
    assert ([cell.category for cell in comparison.cells], acc.n) == (["base"], 2)
    assert (acc.baseline, acc.treatment, numbers(acc.gained)) == (50.0, 100.0, [1])
    left_out = "2 of the baseline's 4 and 0 of the treatment's 2"
    assert comparison.warnings == (
        f"base: compared over the 2 common cases only, which leaves out {left_out}",
        "base: Acc of the baseline is 50.0% over the common cases, 75.0% by the head of its score file",
        "miss_func: only the baseline has it, so it isn't compared",
        "miss_param: only the treatment has it, so it isn't compared",
        "overall is the mean of 1 of 4 categories: base",
    )


def test_larger_treatment(make_run: Callable[..., Run]) -> None:
    """Cases that only the treatment has are named as well."""
    comparison = compare_runs(make_run({"base": [RIGHT]}), make_run({"base": [RIGHT, FAILED]}))
    left_out = "0 of the baseline's 1 and 1 of the treatment's 2"
    assert comparison.warnings[0] == f"base: compared over the 1 common case only, which leaves out {left_out}"


def test_no_common_case(make_run: Callable[..., Run], write_lines: Callable[..., Path], tmp_path: Path) -> None:
    """Runs without a common case are refused; a category without one is left out and named."""
    with pytest.raises(GarError, match="shares no case with the baseline"):
        compare_runs(make_run({"base": [RIGHT]}), make_run({"miss_func": [RIGHT]}))
    rows = {"base": "multi_turn_base_0", "miss_func": "multi_turn_miss_func_7"}
    for category, case_id in rows.items():
        write_lines(tmp_path / f"BFCL_v4_multi_turn_{category}_result.json", [{"id": case_id, "result": ["?"]}])
    comparison = compare_runs(make_run({"base": [RIGHT], "miss_func": [RIGHT]}), *load_runs([tmp_path]))
    assert [cell.category for cell in comparison.cells] == ["base"]
    assert "miss_func: the runs have no case in common, so it isn't compared" in comparison.warnings


def test_unscored(make_run: Callable[..., Run]) -> None:
    """Without scores on one side there is neither Acc nor outcomes, but GAR; the note says why."""
    comparison = compare_runs(make_run({"base": [RIGHT, WRONG]}), make_run({"base": [RIGHT] * 2}, scored=False))
    for cell in (*comparison.cells, comparison.overall):
        assert (list(cell.shifts), cell.transitions) == (["gar"], None)
    assert comparison.warnings[0] == "base: Acc isn't compared, since the treatment has no score file"


def test_contradicting_scores(make_run: Callable[..., Run]) -> None:
    """A score file that contradicts its rows settles no case; overall Acc then is left out as well."""
    cells = {"base": [RIGHT, FAILED], "miss_func": [RIGHT, FAILED]}
    run, other = make_run(cells), make_run(cells)
    assert run.cells[0].score is not None
    score = run.cells[0].score.path
    score.write_text(json.dumps({"accuracy": 1.0, "correct_count": 3, "total_count": 3}) + "\n")
    (damaged,) = load_runs([run.folder])
    comparison = compare_runs(damaged, other)
    assert [list(cell.shifts) for cell in (*comparison.cells, comparison.overall)] == [["gar"], ["acc", "gar"], ["gar"]]
    assert comparison.warnings[0] == (
        "base: Acc isn't compared, since the score file of the baseline contradicts its rows"
    )
    assert comparison.warnings[-1] == "overall Acc isn't compared, since base lacks it"
    assert comparison.overall.transitions is None


def test_gold_turns(make_run: Callable[..., Run]) -> None:
    """Gold-turn GAR is a third measure where every common case tells it, and is named where only some do."""
    run = make_run({"base": [RIGHT, RIGHT]})
    ours, theirs = with_gold_turns(run, [True, False]), with_gold_turns(run, [True, True])
    (cell,) = compare_runs(ours, theirs).cells
    assert list(cell.shifts) == ["acc", "gar", "gold_turn_gar"]
    assert numbers(cell.shifts["gold_turn_gar"].gained) == [1]
    partly = compare_runs(ours, with_gold_turns(run, [True, None]))
    assert list(partly.cells[0].shifts) == ["acc", "gar"]
    assert partly.warnings[0] == "base: gold-turn GAR isn't compared, since the gold turn of some case isn't known"


def test_other_gold_turns(make_run: Callable[..., Run]) -> None:
    """Where the runs' indexes name different gold turns of a case, the comparison says so."""
    run = make_run({"base": [RIGHT, RIGHT]})
    (cell,) = run.cells
    ours, theirs = (
        dataclasses.replace(
            run,
            cells=(
                dataclasses.replace(
                    cell,
                    cases=tuple(
                        dataclasses.replace(case, gold_turn=turn, gold_turn_hit=True)
                        for case, turn in zip(cell.cases, turns, strict=True)
                    ),
                ),
            ),
        )
        for turns in ((0, 0), (0, 1))
    )
    note = (
        "base: the runs' indexes name different gold turns for 1 case: a shift of gold-turn GAR may come from that "
        "alone"
    )
    assert compare_runs(ours, theirs).warnings[0] == note
    assert note not in compare_runs(ours, ours).warnings


def test_other_rulesets(make_run: Callable[..., Run]) -> None:
    """Runs read with two rulesets are compared under protest."""
    run = make_run({"base": [RIGHT]})
    comparison = compare_runs(run, dataclasses.replace(run, ruleset="extended"))
    assert comparison.warnings[0] == (
        "the rulesets differ, paper in the baseline and extended in the treatment: a shift of GAR may come from them "
        "alone"
    )


def test_family(make_run: Callable[..., Run]) -> None:
    """The overall p of each measure are adjusted over the runs that have it; categories keep theirs."""
    baseline = make_run({"base": [FAILED] * 12})
    treatments = [make_run({"base": [RIGHT] * hits + [FAILED] * (12 - hits)}) for hits in (10, 7, 0)]
    unscored = make_run({"base": [WRONG] * 12}, scored=False)
    family = compare_many(baseline, [*treatments, unscored])
    raw = [comparison.overall.shifts["gar"].mcnemar_p for comparison in family.comparisons]
    assert family.sizes == {"acc": 3, "gar": 4}
    assert [p["gar"].mcnemar_p for p in family.adjusted] == list(holm(raw))
    accs = [mcnemar_exact(hits, 0) for hits in (10, 7, 0)]
    assert [p["acc"] for p in family.adjusted if "acc" in p] == [(p, p) for p in holm(accs)]
    assert [comparison.treatment for comparison in family.comparisons] == [*treatments, unscored]


def test_family_of_none(make_run: Callable[..., Run]) -> None:
    """A family needs a run besides its baseline."""
    with pytest.raises(GarError, match="there is no run to compare with this baseline"):
        compare_many(make_run({"base": [RIGHT]}), [])


def test_real_runs(shared_data: Path) -> None:
    """Two models of one harness: flips of Acc as the ids in the two score files give them, GAR as in the tables."""
    runs = load_runs([shared_data / "bfcl_runs" / "xlam-llama-v3"])
    comparison = compare_runs(*runs)
    assert [cell.category for cell in comparison.cells] == ["base", "miss_func", "miss_param"]
    for cell, *cells in zip(comparison.cells, *(run.cells for run in runs), strict=True):
        scores = [one.score.path.read_text(encoding="utf-8") for one in cells if one.score]
        ours, theirs = ({json.loads(line)["id"] for line in score.splitlines()[1:]} for score in scores)
        acc, gar = cell.shifts["acc"], cell.shifts["gar"]
        assert (cell.n, set(acc.gained), set(acc.lost)) == (200, ours - theirs, theirs - ours)
        assert (acc.baseline, acc.treatment) == tuple(one.acc for one in cells)
        assert (gar.baseline, gar.treatment) == tuple(one.gar for one in cells)
        assert gar.ci95 == tuple(100 * bound for bound in tango(len(gar.gained), len(gar.lost), 200))
    shifts = {cell.category: cell.shifts["acc"].shift_pp for cell in (*comparison.cells, comparison.overall)}
    assert {name: round(shift, 2) for name, shift in shifts.items()} == {
        "base": -70.5, "miss_func": -47.5, "miss_param": -58.5, "overall": -58.83,
    }  # fmt: skip

"""The bound and the identity, over random runs that are written to files and read back."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from gar_metrics import CATEGORIES, Outcome, load_runs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from gar_metrics import Run

verdicts = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)
unmasked = st.lists(st.sampled_from([(True, True), (True, False), (False, False)]), min_size=1, max_size=30)
few = settings(max_examples=60)


def cells_of(
    lists: st.SearchStrategy[list[tuple[bool, bool]]],
) -> st.SearchStrategy[dict[str, list[tuple[bool, bool]]]]:
    """Some categories, each with a list of (gold emitted, passed)."""
    return st.dictionaries(st.sampled_from(CATEGORIES), lists, min_size=1)


def read_back(
    cells: dict[str, list[tuple[bool, bool]]], tmp_path_factory: pytest.TempPathFactory, write_run: Callable[..., Path]
) -> Run:
    """The run that a tree with these cases is read as."""
    folder = tmp_path_factory.mktemp("run")
    write_run(folder / "result" / "m", cells, scores=folder / "score" / "m")
    (run,) = load_runs([folder])
    return run


@few
@given(cells=cells_of(verdicts))
def test_counts_and_identity(
    cells: dict[str, list[tuple[bool, bool]]], tmp_path_factory: pytest.TempPathFactory, write_run: Callable[..., Path]
) -> None:
    """The counts written come back, and GAR - Acc = P(execution_failure) - P(masked_pass), exactly."""
    run = read_back(cells, tmp_path_factory, write_run)
    assert {cell.category: [(case.gold_emitted, case.passed) for case in cell.cases] for cell in run.cells} == cells
    for cell in run.cells:
        outcomes = cell.outcomes
        assert outcomes is not None
        assert cell.n == sum(outcomes.values())
        failures, masked = outcomes[Outcome.EXECUTION_FAILURE], outcomes[Outcome.MASKED_PASS]
        assert 100 * (failures - masked) / cell.n == cell.gar_minus_acc
        correct = sum(passed for _, passed in cells[cell.category])
        assert Fraction(cell.gar_hits - correct, cell.n) == Fraction(failures - masked, cell.n)
        assert (cell.warnings, cell.correct) == ((), correct)


@few
@given(cells=cells_of(unmasked))
def test_bound(
    cells: dict[str, list[tuple[bool, bool]]], tmp_path_factory: pytest.TempPathFactory, write_run: Callable[..., Path]
) -> None:
    """Acc never exceeds GAR when no pass is masked, and strict Acc is Acc."""
    for cell in read_back(cells, tmp_path_factory, write_run).cells:
        assert cell.acc is not None
        assert (cell.acc <= cell.gar, cell.masked_share) == (True, 0.0)
        assert cell.acc == cell.strict_acc


@few
@given(cells=cells_of(verdicts))
def test_overall(
    cells: dict[str, list[tuple[bool, bool]]], tmp_path_factory: pytest.TempPathFactory, write_run: Callable[..., Path]
) -> None:
    """Overall Acc is the mean of the categories' Acc, but for rounding."""
    run = read_back(cells, tmp_path_factory, write_run)
    shares = [Fraction(sum(passed for _, passed in cases), len(cases)) for cases in cells.values()]
    assert run.overall_acc is not None
    assert abs(Fraction(run.overall_acc) - 100 * sum(shares, Fraction()) / len(shares)) < Fraction(1, 10**12)

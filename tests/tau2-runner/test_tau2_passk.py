"""pass^k against counting every choice of trials, and what holds of it."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gar_metrics.tau2 import read_run
from tau2_runner import pass_k, task_pass_k

if TYPE_CHECKING:
    from pathlib import Path

OUTCOMES = st.lists(st.booleans(), min_size=1, max_size=7)


@given(OUTCOMES, st.data())
def test_every_choice_of_trials(outcomes: list[bool], data: st.DataObject) -> None:
    """C(c, k) / C(n, k) is the share of the choices of k trials in which all passed."""
    k = data.draw(st.integers(1, len(outcomes)))
    choices = list(combinations(outcomes, k))
    assert task_pass_k(sum(outcomes), len(outcomes), k) == pytest.approx(sum(map(all, choices)) / len(choices))


@given(OUTCOMES)
def test_more_trials_are_harder(outcomes: list[bool]) -> None:
    """pass^k never rises with k, and pass^1 is the share of passes."""
    n = len(outcomes)
    values = [task_pass_k(sum(outcomes), n, k) for k in range(1, n + 1)]
    assert values == sorted(values, reverse=True)
    assert values[0] == sum(outcomes) / n


@pytest.mark.parametrize(("passed", "trials", "k"), [(1, 2, 0), (1, 2, 3), (3, 2, 1), (-1, 2, 1)])
def test_impossible_counts(passed: int, trials: int, k: int) -> None:
    """More trials than there are, or more passes than trials."""
    with pytest.raises(ValueError, match="expected 1 <= k <= trials"):
        task_pass_k(passed, trials, k)


def test_a_run(shop: Any) -> None:
    """The mean over tasks; an unscored trial doesn't count, and a task with too few trials is left out."""
    trials = {"write": [1.0, 1.0, 0.0], "read": [1.0, 1.0, 1.0], "refuse": [1.0, None, 0.0]}
    simulations = [
        shop.simulation(number, reward, trial=trial)
        for number, rewards in trials.items()
        for trial, reward in enumerate(rewards)
    ]
    run = read_run(shop.run(simulations))
    once, twice, thrice, often = (pass_k(run, k) for k in (1, 2, 3, 4))
    assert (once.tasks, once.left_out, once.rate) == (3, 0, pytest.approx((2 / 3 + 1 + 1 / 2) / 3))
    assert (twice.tasks, twice.left_out, twice.rate) == (3, 0, pytest.approx((1 / 3 + 1 + 0) / 3))
    assert (thrice.tasks, thrice.left_out, thrice.rate) == (2, 1, pytest.approx(1 / 2))
    assert (often.tasks, often.left_out, often.rate, often.interval) == (0, 3, None, None)
    assert twice.interval == (0.0, 1.0)


def test_a_tau_bench_file(tmp_path: Path) -> None:
    """Files of tau-bench work as well: four trials of two tasks."""
    records = [
        {"task_id": number, "reward": float(passed), "info": {}, "traj": [], "trial": trial}
        for number, passes in enumerate([(1, 1, 1, 1), (1, 1, 0, 0)])
        for trial, passed in enumerate(passes)
    ]
    path = tmp_path / "retail.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    assert [pass_k(read_run(path), k).rate for k in (1, 2, 4)] == [0.75, pytest.approx((1 + 1 / 6) / 2), 0.5]

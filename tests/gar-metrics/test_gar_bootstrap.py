"""The cluster bootstrap: known intervals, and what holds of every one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gar_metrics import cluster_bootstrap, wilson

GROUPS = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=4), min_size=1, max_size=8)


def test_the_same_arguments_give_the_same_interval() -> None:
    """The interval is known to the last digit: the seed is part of the method, not of the machine."""
    groups = [[1, 0], [1], [0, 0, 1], [1, 1]]
    assert cluster_bootstrap(groups) == (0.4, 1.0)
    assert cluster_bootstrap(groups, seed=1, resamples=50) == cluster_bootstrap(groups, seed=1, resamples=50)


def test_values_without_spread_have_no_width() -> None:
    """Where every group says the same, so do all resamples."""
    assert cluster_bootstrap([[0.25], [0.25, 0.25]]) == (0.25, 0.25)


def test_a_group_without_values_counts_for_nothing() -> None:
    """Empty groups are left out before anything is drawn."""
    assert cluster_bootstrap([[], [1, 0], []]) == cluster_bootstrap([[1, 0]])


def test_independent_values_come_close_to_wilson() -> None:
    """With one value a group it is the ordinary bootstrap, near Wilson's interval where that is symmetric."""
    low, high = cluster_bootstrap([[1]] * 50 + [[0]] * 50)
    assert (low, high) == pytest.approx(wilson(50, 100), abs=0.02)


def test_values_that_agree_inside_their_groups_widen_the_interval() -> None:
    """Five equal values tell no more than one: the interval is that of the groups."""
    together = cluster_bootstrap([[1] * 5] * 10 + [[0] * 5] * 10)
    apart = cluster_bootstrap([[1]] * 50 + [[0]] * 50)
    assert together[1] - together[0] > 1.8 * (apart[1] - apart[0])


@given(GROUPS)
def test_bounds_lie_among_the_means_of_the_groups(groups: list[list[int]]) -> None:
    """No resample's mean can leave the range of the groups' own."""
    low, high = cluster_bootstrap(groups, resamples=40)
    means = [sum(group) / len(group) for group in groups]
    assert min(means) <= low <= high <= max(means)
    assert math.isfinite(low)


@pytest.mark.parametrize(
    ("groups", "options"),
    [([], {}), ([[]], {}), ([[1]], {"level": 1}), ([[1]], {"level": 0}), ([[1]], {"resamples": 0})],
)
def test_nothing_to_draw_from_is_refused(groups: list[list[int]], options: dict[str, float]) -> None:
    """No values, no level between 0 and 1, or no resamples."""
    with pytest.raises(ValueError, match=r"no values|level must lie"):
        cluster_bootstrap(groups, **options)

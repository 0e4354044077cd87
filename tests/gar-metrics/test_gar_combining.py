"""The interval of a mean and Holm's adjustment: peers and properties."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gar_metrics import holm, mover_mean
from gar_metrics.stats.combining import correlation

estimates = st.lists(
    st.tuples(st.floats(-100, 100), st.floats(0, 50), st.floats(0, 50)).map(
        lambda parts: (parts[0], parts[0] - parts[1], parts[0] + parts[2])
    ),
    min_size=1,
    max_size=6,
)
p_values = st.lists(st.floats(0, 1), max_size=8)
steps = st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 0, 1])), max_size=40)


def test_one_estimate() -> None:
    """The mean of one estimate has its interval."""
    assert mover_mean([(5.0, -3.0, 12.0)]) == pytest.approx((-3.0, 12.0))


@given(estimates)
def test_independent_distances_add_as_squares(parts: list[tuple[float, float, float]]) -> None:
    """Each bound lies the root of the summed squares, by the number of parts, from the mean."""
    low, high = mover_mean(parts)
    mean = sum(value for value, _, _ in parts) / len(parts)
    assert (mean - low) * len(parts) == pytest.approx(math.hypot(*(v - bound for v, bound, _ in parts)), abs=1e-9)
    assert (high - mean) * len(parts) == pytest.approx(math.hypot(*(bound - v for v, _, bound in parts)), abs=1e-9)


@given(estimates)
def test_wholly_correlated_distances_add(parts: list[tuple[float, float, float]]) -> None:
    """Estimates that move as one have the mean of their bounds; independence is narrower."""
    low, high = mover_mean(parts, lambda _i, _j: 1.0)
    lows, highs = [low for _, low, _ in parts], [high for _, _, high in parts]
    assert (statistics.fmean(lows), statistics.fmean(highs)) == pytest.approx((low, high), abs=1e-9)
    narrow_low, narrow_high = mover_mean(parts)
    assert low - 1e-9 <= narrow_low <= narrow_high <= high + 1e-9


@given(estimates)
def test_mirrored_estimates(parts: list[tuple[float, float, float]]) -> None:
    """The interval of the negated estimates is the negated interval."""
    low, high = mover_mean(parts)
    mirrored = [(-value, -high, -low) for value, low, high in parts]
    assert (-high, -low) == pytest.approx(mover_mean(mirrored), abs=1e-9)


def test_correlations_that_do_not_fit_together() -> None:
    """Three estimates can't all be opposed to each other: the interval has no width, rather than an imaginary one."""
    assert mover_mean([(1.0, 0.0, 2.0)] * 3, lambda _i, _j: -1.0) == (1.0, 1.0)


@pytest.mark.parametrize("parts", [[], [(1.0, 2.0, 3.0)], [(math.nan, 0.0, 1.0)]])
def test_refused_estimates(parts: list[tuple[float, float, float]]) -> None:
    """Nothing, and what lies outside its own bounds, has no mean to bound."""
    with pytest.raises(ValueError, match="expected estimates within their bounds"):
        mover_mean(parts)


@given(steps)
def test_correlation(pairs: list[tuple[int, int]]) -> None:
    """It is that of the standard library where both sides vary, 0 where one doesn't, and takes the sides alike."""
    ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if len(set(ours)) > 1 and len(set(theirs)) > 1:
        assert statistics.correlation(ours, theirs) == pytest.approx(correlation(pairs), abs=1e-12)
    else:
        assert correlation(pairs) == 0.0
    assert correlation([pair[::-1] for pair in pairs]) == pytest.approx(correlation(pairs))


def test_holm_by_hand() -> None:
    """Smallest times the number of tests, next times one less, never below the one before, in the order given."""
    assert holm([0.04, 0.01, 0.03, 0.005]) == pytest.approx((0.06, 0.03, 0.06, 0.02))
    assert holm([]) == ()
    assert holm([0.3]) == (0.3,)


@given(p_values.filter(bool))
def test_holm_of_statsmodels(values: list[float]) -> None:
    """It equals the adjustment of statsmodels."""
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels is not installed")
    assert list(multitest.multipletests(values, method="holm")[1]) == pytest.approx(list(holm(values)))


@given(p_values)
def test_holm_properties(values: list[float]) -> None:
    """Adjusted values aren't below the raw ones or above 1, and keep their order; all equal ones stay equal."""
    adjusted = holm(values)
    assert all(raw <= p <= 1 for raw, p in zip(values, adjusted, strict=True))
    ordered = [p for _, p in sorted(zip(values, adjusted, strict=True))]
    assert ordered == sorted(ordered)
    assert len(set(holm([0.2] * len(values)))) <= 1


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_holm_refusal(value: float) -> None:
    """What is no probability is refused."""
    with pytest.raises(ValueError, match="p values must lie within 0 and 1"):
        holm([0.5, value])

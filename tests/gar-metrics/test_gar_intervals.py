"""The Wilson interval: known values, its properties, and what it refuses."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gar_metrics import wilson

counts = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("successes", "n", "expected"),
    [
        (5, 10, (0.236590, 0.763410)),
        (0, 10, (0.0, 0.277540)),
        (131, 200, (0.586755, 0.717403)),
    ],
)
def test_known_values(successes: int, n: int, expected: tuple[float, float]) -> None:
    """Values worked out in 40 digits from the closed form."""
    assert expected == pytest.approx(wilson(successes, n), abs=1e-6)


def test_no_trials() -> None:
    """Nothing tried gives the empty interval at 0."""
    assert wilson(0, 0) == (0.0, 0.0)


@given(counts)
def test_bounds(case: tuple[int, int]) -> None:
    """The interval holds the rate, lies within [0, 1] and touches an end exactly when the rate does."""
    successes, n = case
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert (low == 0, high == 1) == (successes == 0, successes == n)


@given(counts)
def test_mirror(case: tuple[int, int]) -> None:
    """The interval of the misses mirrors that of the hits."""
    successes, n = case
    low, high = wilson(successes, n)
    assert (1 - high, 1 - low) == pytest.approx(wilson(n - successes, n), abs=1e-12)


@given(counts)
def test_definition(case: tuple[int, int]) -> None:
    """Each bound q within (0, 1) solves (p - q)^2 = z^2 q (1 - q) / n."""
    successes, n = case
    z = NormalDist().inv_cdf(0.975)
    for q in wilson(successes, n, z):
        assert (successes / n - q) ** 2 == pytest.approx(z * z * q * (1 - q) / n, abs=1e-12)


@given(counts)
def test_narrower_with_more_trials(case: tuple[int, int]) -> None:
    """Ten times the data at the same rate give a narrower interval."""
    successes, n = case
    low, high = wilson(successes, n)
    tighter_low, tighter_high = wilson(10 * successes, 10 * n)
    assert tighter_high - tighter_low < high - low


@pytest.mark.parametrize(
    ("successes", "n", "z"), [(3, 2, 1.96), (-1, 2, 1.96), (0, -1, 1.96), (1, 2, 0.0), (1, 2, math.nan)]
)
def test_refusals(successes: int, n: int, z: float) -> None:
    """Counts that can't be, and quantiles that mean nothing, are refused."""
    with pytest.raises(ValueError, match="must"):
        wilson(successes, n, z)

"""McNemar's exact test and Tango's interval: peers, published values, the defining equation, degenerate counts."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gar_metrics import mcnemar_exact, tango

Z = 1.959963984540054
flips = st.tuples(st.integers(0, 300), st.integers(0, 300))
tables = st.tuples(st.integers(0, 200), st.integers(0, 200), st.integers(0, 200)).map(
    lambda counts: (counts[0], counts[1], sum(counts))
)
"""Gained, lost and n; n can be 0, 1, or all flips."""


@pytest.mark.parametrize(
    ("gained", "lost", "expected"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 5, 1.0), (0, 5, 2 / 32), (1, 7, 18 / 256), (10, 2, 158 / 4096)],
)
def test_mcnemar_by_hand(gained: int, lost: int, expected: float) -> None:
    """Twice the tail of the binomial coefficients over 2 to the number of flips, at most 1."""
    assert expected == mcnemar_exact(gained, lost)


@given(flips)
def test_mcnemar_is_the_binomial_test(counts: tuple[int, int]) -> None:
    """It equals scipy's exact binomial test of gained among all flips at one half."""
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    gained, lost = counts
    expected = stats.binomtest(gained, gained + lost, 0.5).pvalue if gained + lost else 1.0
    assert expected == pytest.approx(mcnemar_exact(gained, lost), rel=1e-9)


@settings(max_examples=50)
@given(flips)
def test_mcnemar_of_statsmodels(counts: tuple[int, int]) -> None:
    """It equals the exact test of statsmodels on the table of four counts."""
    tables = pytest.importorskip("statsmodels.stats.contingency_tables", reason="statsmodels is not installed")
    gained, lost = counts
    if gained + lost:
        expected = tables.mcnemar([[9, lost], [gained, 4]], exact=True).pvalue
        assert expected == pytest.approx(mcnemar_exact(gained, lost), rel=1e-9)


@given(flips)
def test_mcnemar_properties(counts: tuple[int, int]) -> None:
    """It lies within (0, 1], forgets which run is which, is 1 where the flips cancel out and falls as they part."""
    gained, lost = counts
    p = mcnemar_exact(gained, lost)
    assert 0 < p <= 1
    assert p == mcnemar_exact(lost, gained)
    assert mcnemar_exact(gained, gained) == 1.0
    if gained >= lost:
        assert mcnemar_exact(gained + 1, lost) <= p


def test_mcnemar_of_thousands() -> None:
    """Counts whose binomial coefficients no float can hold still give the nearest p."""
    tail = sum(math.comb(3000, k) for k in range(1401))
    assert float(Fraction(2 * tail, 2**3000)) == mcnemar_exact(1600, 1400)


@pytest.mark.parametrize(
    ("gained", "lost", "n", "z", "expected"),
    [
        (0, 1, 44, 1.6448536269514722, (-0.096, 0.037)),
        (1, 7, 21, Z, (-0.517, -0.026)),
    ],
)
def test_published_values(gained: int, lost: int, n: int, z: float, expected: tuple[float, float]) -> None:
    """Tango's example (1998, crossover trial of lenses, 90%), and the 95% one of Fagerland et al. (2014, airways)."""
    assert expected == tuple(round(bound, 3) for bound in tango(gained, lost, n, z))


@given(tables)
def test_bounds(counts: tuple[int, int, int]) -> None:
    """The interval holds the difference, has a width, and touches -1 or 1 exactly where all cases flip that way."""
    gained, lost, n = counts
    low, high = tango(gained, lost, n)
    assert -1 <= low < high <= 1
    assert (low == -1, high == 1) == (lost == n, gained == n)
    if n:
        assert low <= (gained - lost) / n <= high


@given(tables)
def test_exchange(counts: tuple[int, int, int]) -> None:
    """Exchanged runs have the mirrored interval, to the last bit."""
    gained, lost, n = counts
    low, high = tango(gained, lost, n)
    assert (-high, -low) == tango(lost, gained, n)


@settings(max_examples=60)
@given(tables)
def test_definition(counts: tuple[int, int, int]) -> None:
    """At each bound inside (-1, 1) the score statistic is z, with the variance at the likeliest table found anew."""
    gained, lost, n = counts
    for bound, sign in zip(tango(gained, lost, n), (1, -1), strict=True):
        if abs(bound) < 1:
            q = _likeliest(gained, lost, n, bound)
            deviation = math.sqrt(n * (2 * q + bound * (1 - bound)))
            assert sign * 1.96 == pytest.approx((gained - lost - n * bound) / deviation, abs=1e-5)


@given(st.integers(0, 5000), st.floats(0.1, 5))
def test_closed_forms(n: int, z: float) -> None:
    """Without flips the bounds are z^2 / (n + z^2) either way; if all cases flip, one is (n - z^2) / (n + z^2)."""
    still = z * z / (n + z * z)
    assert (-still, still) == pytest.approx(tango(0, 0, n, z), abs=1e-12)
    if n:
        assert ((n - z * z) / (n + z * z), 1.0) == pytest.approx(tango(n, 0, n, z), abs=1e-12)


def test_degenerate() -> None:
    """No case tells nothing, one case nearly nothing."""
    assert tango(0, 0, 0) == (-1.0, 1.0)
    share = (1 - Z * Z) / (1 + Z * Z)
    assert (share, 1.0) == pytest.approx(tango(1, 0, 1, Z))
    assert (-1.0, -share) == pytest.approx(tango(0, 1, 1, Z))


@given(tables.filter(lambda counts: counts[2] > 0))
def test_narrower_with_more_cases(counts: tuple[int, int, int]) -> None:
    """Ten times the cases with the same shares give a narrower interval."""
    low, high = tango(*counts)
    tighter_low, tighter_high = tango(*(10 * count for count in counts))
    assert tighter_high - tighter_low < high - low


def test_refusals() -> None:
    """Counts that can't be, and quantiles that mean nothing, are refused."""
    for counts in ((-1, 0, 3), (2, 2, 3), (0, 0, -1)):
        with pytest.raises(ValueError, match="must lie"):
            tango(*counts)
    for z in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="must be positive"):
            tango(1, 1, 3, z)
    with pytest.raises(ValueError, match="must not be negative"):
        mcnemar_exact(0, -1)


def _likeliest(gained: int, lost: int, n: int, d: float) -> float:
    """The share of lost cases that makes the counts likeliest if the difference is d, by narrowing."""

    def likelihood(q: float) -> float:
        cells = ((gained, q + d), (lost, q), (n - gained - lost, 1 - 2 * q - d))
        return sum(count * math.log(max(share, 1e-300)) for count, share in cells if count)

    low, high = max(0.0, -d), (1 - d) / 2
    for _ in range(200):  # the likelihood has one peak
        third = (high - low) / 3
        if likelihood(low + third) < likelihood(high - third):
            low += third
        else:
            high -= third
    return (low + high) / 2

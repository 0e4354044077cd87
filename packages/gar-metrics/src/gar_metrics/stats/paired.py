"""Two runs of the same cases: the exact McNemar test, and Tango's interval of the difference of their rates."""

from __future__ import annotations

import math

HALVINGS = 64
"""Of an interval at most two wide: what is left is below the rounding of a share."""


def mcnemar_exact(gained: int, lost: int) -> float:
    """The exact two-sided p of McNemar's test: how likely flips so one-sided are if both ways are equally likely.

    min(1, 2 P(X <= min(gained, lost))) with X binomial of gained + lost trials and p = 1/2: Q. McNemar, "Note on the
    sampling error of the difference between correlated proportions or percentages", Psychometrika 12 (1947),
    pp. 153-157. Without flips it is 1.0.

    Args:
        gained: Number of cases that only the treatment hits.
        lost: Number of cases that only the baseline hits.

    Raises:
        ValueError: A count is negative.
    """
    if min(gained, lost) < 0:
        message = f"counts must not be negative, got {gained} and {lost}"
        raise ValueError(message)
    flips = gained + lost
    term = tail = 1
    for k in range(min(gained, lost)):
        term = term * (flips - k) // (k + 1)  # the next binomial coefficient, always a whole number
        tail += term
    # Division of whole numbers rounds once, however many digits they have.
    return min(1.0, 2 * tail / (1 << flips))


def tango(gained: int, lost: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Tango's score interval of a paired difference of rates: (low, high), shares within [-1, 1].

    The differences d whose score statistic
    (gained - lost - n d) / sqrt(n (2 q + d (1 - d))) lies within -z and z, where q is the likeliest share of lost
    cases given d: T. Tango, "Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design", Statistics in Medicine 17 (1998), pp. 891-908.

    Args:
        gained: Number of cases that only the treatment hits.
        lost: Number of cases that only the baseline hits.
        n: Number of cases; with none the interval is (-1.0, 1.0), since nothing is known.
        z: Quantile of the normal distribution; 1.96 stands for 95%.

    Raises:
        ValueError: The counts are negative or more than n, or z isn't a positive number.
    """
    if min(gained, lost) < 0 or gained + lost > n:
        message = f"gained and lost must lie within 0 and n together, got {gained} and {lost} of {n}"
        raise ValueError(message)
    if not 0 < z < math.inf:
        message = f"z must be positive and finite, got {z}"
        raise ValueError(message)
    # The upper bound is the lower one of the exchanged runs, mirrored: no rounding tells them apart.
    return _lower(gained, lost, n, z), -_lower(lost, gained, n, z)


def _lower(gained: int, lost: int, n: int, z: float) -> float:
    """The least difference that z standard errors don't rule out, by halving: the statistic falls as d rises."""
    if lost == n:
        return -1.0
    low, high = -1.0, (gained - lost) / n
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if gained - lost - n * middle > z * math.sqrt(n * _variance(gained, lost, n, middle)):
            low = middle
        else:
            high = middle
    return low


def _variance(gained: int, lost: int, n: int, d: float) -> float:
    """The variance of the difference of the two rates, times n, if it is d and the rest fits the counts best."""
    if d < 0:  # the exchanged runs, so that nothing below subtracts what is nearly equal
        gained, lost, d = lost, gained, -d
    # q solves 2 n q^2 + b q = lost d (1 - d), written so that the root is a sum whatever the sign of b.
    b = (2 * n - gained + lost) * d - gained - lost
    c = lost * d * (1 - d)
    root = math.sqrt(b * b + 8 * n * c)
    q = (root - b) / (4 * n) if b < 0 else 2 * c / (root + b) if c else 0.0
    return 2 * q + d * (1 - d)

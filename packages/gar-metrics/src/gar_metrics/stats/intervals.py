"""Confidence intervals for a rate."""

from __future__ import annotations

import math


def wilson(successes: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson score interval of a rate: (low, high), shares within [0, 1].

    With p = successes / n, the two solutions q of (p - q)^2 = z^2 q (1 - q) / n: E. B. Wilson, "Probable
    inference, the law of succession, and statistical inference", JASA 22 (1927), pp. 209-212.

    Args:
        successes: Number of hits, 0 to n.
        n: Number of trials; with none the interval is (0.0, 0.0).
        z: Quantile of the normal distribution; 1.96 stands for 95%.

    Raises:
        ValueError: successes isn't within 0 to n, or z isn't a positive number.
    """
    if not 0 <= successes <= n:
        message = f"successes must lie within 0 and n, got {successes} of {n}"
        raise ValueError(message)
    if not 0 < z < math.inf:
        message = f"z must be positive and finite, got {z}"
        raise ValueError(message)
    if n == 0:
        return 0.0, 0.0
    share = successes / n
    spread = z * z / n
    centre = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    # At both ends one bound is exactly 0 or 1; computing it would leave a rounding error there.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high

"""An interval for the mean of several estimates, from the interval of each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Estimate = tuple[float, float, float]


def mover_mean(
    estimates: Sequence[Estimate], correlated: Callable[[int, int], float] = lambda _i, _j: 0.0
) -> tuple[float, float]:
    """The interval (low, high) of the unweighted mean of some estimates, in their unit: the method MOVER.

    Each bound of the mean lies as far from it as the bounds of the parts imply: squared distances add up, and with
    each pair twice its correlation times the product of its distances. G. Y. Zou and A. Donner, "Construction of
    confidence limits about effect measures: a general approach", Statistics in Medicine 27 (2008), pp. 1693-1702;
    with correlation: G. Y. Zou, "Toward using confidence intervals to compare correlations", Psychological Methods 12
    (2007), pp. 399-413.

    Args:
        estimates: Each as (estimate, low, high); the bounds of all at one level, which is the level of the result.
        correlated: The correlation of the i-th and the j-th estimate; without it they are independent.

    Raises:
        ValueError: There is no estimate, or one lies outside its bounds.
    """
    if not estimates or any(not low <= value <= high for value, low, high in estimates):
        message = f"expected estimates within their bounds, at least one, got {list(estimates)}"
        raise ValueError(message)
    mean = math.fsum(value for value, _, _ in estimates) / len(estimates)
    below = _distance([value - low for value, low, _ in estimates], correlated)
    above = _distance([high - value for value, _, high in estimates], correlated)
    return mean - below, mean + above


def _distance(parts: Sequence[float], correlated: Callable[[int, int], float]) -> float:
    """How far the mean's bound lies from it, from the distances of its parts' bounds."""
    squares = [part * part for part in parts]
    products = [2 * correlated(i, j) * parts[i] * parts[j] for j in range(len(parts)) for i in range(j)]
    # Correlations that were measured pair by pair may not fit together: their sum can fall below zero.
    return math.sqrt(max(0.0, math.fsum(squares + products))) / len(parts)


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Pearson's correlation of some pairs, -1 to 1; 0.0 where either side doesn't vary, so that none can be seen."""
    if not pairs:
        return 0.0
    mean_x, mean_y = (math.fsum(side) / len(pairs) for side in zip(*pairs, strict=True))
    xx = math.fsum((x - mean_x) ** 2 for x, _ in pairs)
    yy = math.fsum((y - mean_y) ** 2 for _, y in pairs)
    xy = math.fsum((x - mean_x) * (y - mean_y) for x, y in pairs)
    spread = math.sqrt(xx) * math.sqrt(yy)
    return max(-1.0, min(1.0, xy / spread)) if spread else 0.0

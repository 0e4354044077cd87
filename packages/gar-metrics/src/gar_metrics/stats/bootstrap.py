"""Bootstrap intervals of a mean whose values come in groups that aren't independent inside."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def cluster_bootstrap(
    groups: Iterable[Sequence[float]], *, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """The percentile interval (low, high) of the mean of all values, whole groups drawn with replacement.

    The groups are what is independent: the simulations that several writes belong to, the tasks that several trials
    repeat. The same arguments give the same interval on every Python. Method: A. C. Davison and D. V. Hinkley,
    "Bootstrap Methods and their Application" (1997), section 3.8.

    Args:
        groups: The values of each group; an empty group counts for nothing.
        level: Share of the resampled means between the bounds.
        resamples: How often as many groups as there are get drawn.
        seed: Of the pseudo-random numbers.

    Raises:
        ValueError: There is no value, level isn't within 0 and 1, or resamples is less than 1.
    """
    if not 0 < level < 1 or resamples < 1:
        message = f"level must lie between 0 and 1 and resamples be at least 1, got {level} and {resamples}"
        raise ValueError(message)
    sums = [(sum(group), len(group)) for group in groups if group]
    if not sums:
        message = "no values to resample"
        raise ValueError(message)
    numbers = random.Random(seed)  # noqa: S311 (statistics, not secrets)
    means = sorted(_mean(numbers.choices(sums, k=len(sums))) for _ in range(resamples))
    tail = (1 - level) / 2
    return _quantile(means, tail), _quantile(means, 1 - tail)


def _mean(sums: Sequence[tuple[float, int]]) -> float:
    return sum(total for total, _ in sums) / sum(size for _, size in sums)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value at a share of the way through ordered values, between two neighbours in proportion."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])

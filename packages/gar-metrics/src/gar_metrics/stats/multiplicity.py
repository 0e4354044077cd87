"""Several tests at once: p values adjusted for their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjustment of a family of p values, in the order given.

    The k-th smallest of m becomes the largest (m - j + 1) p(j) of j = 1 to k, at most 1. Rejecting where it is at most
    alpha keeps the chance of any false rejection at alpha, whatever the tests' dependence: S. Holm, "A simple
    sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979), pp. 65-70.

    Raises:
        ValueError: A value isn't within 0 to 1.
    """
    if not all(0 <= p <= 1 for p in p_values):
        message = f"p values must lie within 0 and 1, got {list(p_values)}"
        raise ValueError(message)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return tuple(adjusted)

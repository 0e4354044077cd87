"""Agreement of two raters who labelled the same cases: observed agreement and Cohen's kappa."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def observed_agreement(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """The share of the pairs whose two labels are equal, 0 to 1; None without pairs."""
    return _matches(pairs) / len(pairs) if pairs else None


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa, -1 to 1: agreement beyond what the raters' label frequencies would give by chance.

    (po - pe) / (1 - pe), with po the observed agreement and pe the sum over the labels of the product of the shares in
    which the two raters give it: J. Cohen, "A coefficient of agreement for nominal scales", Educational and
    Psychological Measurement 20 (1960), pp. 37-46.

    Args:
        pairs: The two raters' labels of each case, in any order of the cases. Labels are names: none is nearer
            to another.

    Returns:
        Kappa, rounded once; 1.0 where pe is 1 (both raters give one and the same label throughout, and so
        agree), and None without pairs.
    """
    n = len(pairs)
    if n == 0:
        return None
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    # In whole numbers, all shares times n * n: no rounding before the one division.
    by_chance = sum(count * second[label] for label, count in first.items())
    if by_chance == n * n:
        return 1.0
    return (n * _matches(pairs) - by_chance) / (n * n - by_chance)


def _matches(pairs: Sequence[tuple[Hashable, Hashable]]) -> int:
    return sum(a == b for a, b in pairs)

"""A rate corrected for the errors of the test that it was counted with."""

from __future__ import annotations

import math
from typing import NamedTuple


class Prevalence(NamedTuple):
    """A corrected rate and its 95% interval, shares within [0, 1]."""

    rate: float
    low: float
    high: float


def rogan_gladen(
    hits: int, n: int, sensitivity: tuple[int, int], specificity: tuple[int, int], z: float = 1.96
) -> Prevalence | None:
    """The true rate behind a counted one; None where the test can't tell, its Youden index being 0 or less.

    The rate is (p + Sp - 1) / (Se + Sp - 1), clipped to [0, 1]: W. J. Rogan and B. Gladen, "Estimating prevalence from
    the results of a screening test", Am J Epidemiol 107 (1978), pp. 71-76. The interval carries the uncertainty of p,
    Se and Sp, each moved towards 1/2: Z. Lang and J. Reiczigel, "Confidence limits for prevalence of disease adjusted
    for estimated sensitivity and specificity", Prev Vet Med 113 (2014), pp. 13-22. It is widened to hold the rate,
    which few trials can put outside, and is all of [0, 1] where the moved Se and Sp tell nothing.

    Args:
        hits: Number of positive tests, 0 to n.
        n: Number of tests, at least 1.
        sensitivity: Of how many true positives the test found how many: (found, all), at least 1 in all.
        specificity: Of how many true negatives the test found how many negative: (found, all), at least 1 in all.
        z: Quantile of the normal distribution; 1.96 stands for 95%.

    Raises:
        ValueError: A count isn't within its bounds.
    """
    for found, trials in ((hits, n), sensitivity, specificity):
        if not 0 <= found <= trials or trials < 1:
            message = f"expected a count within 0 and at least one trial, got {found} of {trials}"
            raise ValueError(message)
    # In whole numbers: se + sp - 1 of floats can miss an exact 0.
    true_found, true_all = sensitivity
    false_found, false_all = specificity
    youden = true_found * false_all + false_found * true_all - true_all * false_all
    if youden <= 0:
        return None
    excess = (hits * false_all - (false_all - false_found) * n) * true_all
    rate = _clipped(excess / (youden * n))
    low, high = _lang_reiczigel(hits, n, sensitivity, specificity, z)
    return Prevalence(rate, min(low, rate), max(high, rate))


def _lang_reiczigel(
    hits: int, n: int, sensitivity: tuple[int, int], specificity: tuple[int, int], z: float
) -> tuple[float, float]:
    trials = n + z * z
    p = (hits + z * z / 2) / trials
    se, se_spread = _moved(*sensitivity)
    sp, sp_spread = _moved(*specificity)
    youden = se + sp - 1
    if youden <= 0:
        return 0.0, 1.0
    rate = (p + sp - 1) / youden
    shift = 2 * z * z * (rate * se_spread - (1 - rate) * sp_spread)
    half = z * math.sqrt(p * (1 - p) / trials + rate**2 * se_spread + (1 - rate) ** 2 * sp_spread) / youden
    return _clipped(rate + shift - half), _clipped(rate + shift + half)


def _clipped(share: float) -> float:
    return min(1.0, max(0.0, share))


def _moved(found: int, trials: int) -> tuple[float, float]:
    """A share with one success and one failure added, and its variance."""
    share = (found + 1) / (trials + 2)
    return share, share * (1 - share) / (trials + 2)

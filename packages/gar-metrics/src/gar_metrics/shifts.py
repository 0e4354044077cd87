"""How far one rate moved between two runs of the same cases, with its interval, its test and the cases that flipped."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics.records import percent
from gar_metrics.stats.combining import correlation, mover_mean
from gar_metrics.stats.paired import mcnemar_exact, tango

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Shift:
    """How one measure moved from the baseline to the treatment, over the cases that both have.

    Attributes:
        n: Number of common cases.
        baseline: The baseline's rate in percent.
        treatment: The treatment's rate in percent.
        shift_pp: Treatment less baseline, in percent points.
        ci95: 95% interval of ``shift_pp``: `tango` of a category, `mover_mean` of the mean over categories.
        mcnemar_p: The exact two-sided p of McNemar's test over the flips below.
        conversation_p: The same test over conversations instead of cases; of a category it is ``mcnemar_p``.
        gained: Ids of the cases that only the treatment hits, in table order.
        lost: Ids of the cases that only the baseline hits.
    """

    n: int
    baseline: float
    treatment: float
    shift_pp: float
    ci95: tuple[float, float]
    mcnemar_p: float
    conversation_p: float
    gained: tuple[str, ...]
    lost: tuple[str, ...]


def category_shift(hits: Mapping[str, tuple[bool, bool]]) -> Shift:
    """The shift of one category, from whether baseline and treatment hit each case (at least one)."""
    gained = tuple(case_id for case_id, (before, after) in hits.items() if after and not before)
    lost = tuple(case_id for case_id, (before, after) in hits.items() if before and not after)
    n = len(hits)
    low, high = tango(len(gained), len(lost), n)
    p = mcnemar_exact(len(gained), len(lost))
    return Shift(
        n=n,
        baseline=percent(sum(before for before, _ in hits.values()), n),
        treatment=percent(sum(after for _, after in hits.values()), n),
        shift_pp=percent(len(gained) - len(lost), n),
        ci95=(100 * low, 100 * high),
        mcnemar_p=p,
        conversation_p=p,
        gained=gained,
        lost=lost,
    )


def mean_shift(categories: Sequence[Mapping[str, tuple[bool, bool]]]) -> Shift:
    """The shift of the unweighted mean over categories, as overall Acc is one; of each the hits of its cases.

    BFCL writes one conversation in a version for every category, under one number. Versions tend to flip together, so
    neither the interval nor ``conversation_p`` takes them as independent: the interval adds the positive correlation
    that the common numbers show, and a conversation counts once, in the direction of most of its flips (in none if
    they cancel out). ``mcnemar_p`` takes every case for itself.
    """
    shifts = [category_shift(hits) for hits in categories]
    steps = [_steps(hits) for hits in categories]
    gained = tuple(case_id for shift in shifts for case_id in shift.gained)
    lost = tuple(case_id for shift in shifts for case_id in shift.lost)
    turned: Counter[str] = Counter()
    for step in steps:
        turned.update(step)
    return Shift(
        n=sum(shift.n for shift in shifts),
        baseline=_mean([shift.baseline for shift in shifts]),
        treatment=_mean([shift.treatment for shift in shifts]),
        shift_pp=_mean([shift.shift_pp for shift in shifts]),
        ci95=mover_mean(
            [(shift.shift_pp, *shift.ci95) for shift in shifts], lambda i, j: _correlated(steps[i], steps[j])
        ),
        mcnemar_p=mcnemar_exact(len(gained), len(lost)),
        conversation_p=mcnemar_exact(
            sum(step > 0 for step in turned.values()), sum(step < 0 for step in turned.values())
        ),
        gained=gained,
        lost=lost,
    )


def _steps(hits: Mapping[str, tuple[bool, bool]]) -> dict[str, int]:
    """1, -1 or 0 by the number of the case: gained, lost, not flipped."""
    return {case_id.rpartition("_")[2]: after - before for case_id, (before, after) in hits.items()}


def _correlated(ours: Mapping[str, int], theirs: Mapping[str, int]) -> float:
    """The correlation of two categories' shifts, as far as they have conversations in common; not below 0."""
    pairs = [(step, theirs[number]) for number, step in ours.items() if number in theirs]
    # A few cases can look perfectly opposed by chance, which would leave an interval of no width.
    return max(0.0, correlation(pairs)) * len(pairs) / math.sqrt(len(ours) * len(theirs))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)

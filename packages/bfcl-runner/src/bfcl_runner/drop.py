"""How much accuracy a model loses from single-turn to multi-turn cases."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from bfcl_runner.errors import RunnerError
from bfcl_runner.gating import Rate, scored_summary
from bfcl_runner.inspecting import inert
from bfcl_runner.tracks import MULTI_TURN, SINGLE_TURN
from gar_metrics import wilson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bfcl_runner.summary import Summary
    from bfcl_runner.tracks import Track


class Side(Rate):
    """The cases of one kind of a run, pooled."""

    model: str
    categories: list[str]


class DropReport(BaseModel):
    """Single-turn against multi-turn accuracy."""

    model_config = ConfigDict(frozen=True)

    multi_turn: Side
    single_turn: Side | float = Field(description="A number is the accuracy in percent, as the user gave it.")
    drop: float = Field(description="Single-turn minus multi-turn accuracy, in percent points.")
    interval: tuple[float, float] = Field(
        description="95% interval of the drop, in percent points; of the multi-turn side only if the other is a number."
    )


def difference_interval(first: tuple[int, int], second: tuple[int, int], z: float = 1.96) -> tuple[float, float]:
    """Newcombe's hybrid score interval for the difference of two independent rates: (low, high), within -1 to 1.

    From the Wilson intervals (l1, u1) and (l2, u2) of rates p1 and p2, with d = p1 - p2:
    d - sqrt((p1 - l1)^2 + (u2 - p2)^2) and d + sqrt((u1 - p1)^2 + (p2 - l2)^2). Method 10 of R. G. Newcombe,
    "Interval estimation for the difference between independent proportions: comparison of eleven methods",
    Statistics in Medicine 17 (1998), pp. 873-890.

    Args:
        first: Number of hits and number of trials, at least one.
        second: The same of the rate that is taken away.
        z: Quantile of the normal distribution; 1.96 stands for 95%.

    Raises:
        ValueError: There are no trials, hits aren't within 0 to their number, or z isn't a positive number.
    """
    if not (first[1] and second[1]):
        message = "a rate needs at least one trial"
        raise ValueError(message)
    share_1, share_2 = first[0] / first[1], second[0] / second[1]
    low_1, high_1 = wilson(*first, z)
    low_2, high_2 = wilson(*second, z)
    difference = share_1 - share_2
    low = difference - math.hypot(share_1 - low_1, high_2 - share_2)
    high = difference + math.hypot(high_1 - share_1, share_2 - low_2)
    return max(-1.0, low), min(1.0, high)


def drop(multi_turn: Side, single_turn: Side | float) -> DropReport:
    """The drop from one to the other. A number in percent has no interval of its own, and adds nothing to that."""
    if isinstance(single_turn, float):
        low, high = multi_turn.interval
        difference, interval = single_turn - multi_turn.accuracy, (single_turn - high, single_turn - low)
    else:
        difference = single_turn.accuracy - multi_turn.accuracy
        first, second = ((side.correct, side.cases) for side in (single_turn, multi_turn))
        low, high = difference_interval(first, second)
        interval = (100 * low, 100 * high)
    return DropReport(multi_turn=multi_turn, single_turn=single_turn, drop=difference, interval=interval)


def pooled(summary: Summary, track: Track) -> Side:
    """The cases of a run that belong to a track, all together.

    Raises:
        RunnerError: There are none.
    """
    figures = {name: found for name, found in summary.categories.items() if name in track.categories}
    cases = sum(found.cases for found in figures.values())
    if not cases:
        message = f"the run of {summary.model} holds no case of {', '.join(track.categories)}"
        raise RunnerError(message)
    rate = Rate.of(sum(found.correct for found in figures.values()), cases)
    return Side(**dict(rate), model=summary.model, categories=list(figures))


def measure(run: Path, single_turn: str) -> DropReport:
    """The drop of the run in a directory, against another run's directory (or the same) or a number in percent.

    Raises:
        RunnerError: A run isn't scored or holds no case of its kind, or the text is neither a run nor a percentage.
    """
    multi_turn = pooled(scored_summary(run), MULTI_TURN)
    if Path(single_turn).is_dir():
        return drop(multi_turn, pooled(scored_summary(Path(single_turn)), SINGLE_TURN))
    try:
        percent = float(single_turn)
    except ValueError:
        percent = math.nan
    if not 0 <= percent <= 100:
        message = f"--single-turn: {single_turn!r} is neither the directory of a run nor a percentage"
        raise RunnerError(message)
    return drop(multi_turn, percent)


def drop_lines(report: DropReport) -> Iterator[str]:
    """The report for people."""
    multi_turn, single_turn = report.multi_turn, report.single_turn
    interval = "95% interval {:.1f} to {:.1f}".format(*report.interval)
    if isinstance(single_turn, Side):
        yield f"single-turn  {_shown(single_turn)}"
    else:
        yield f"single-turn  {single_turn:.1f}%, as given"
        interval += " of the multi-turn side only: the other is a number without n"
    yield f"multi-turn   {_shown(multi_turn)}"
    yield f"drop         {report.drop:.1f} pp, {interval}"


def _shown(side: Side) -> str:
    return f"{side}: {inert(side.model)}, {', '.join(side.categories)}"

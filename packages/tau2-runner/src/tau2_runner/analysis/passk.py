"""pass^k: how likely k trials of a task all pass."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import comb, fsum
from typing import TYPE_CHECKING

from gar_metrics import cluster_bootstrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gar_metrics.tau2 import Tau2Run


@dataclass(frozen=True, slots=True)
class PassK:
    """pass^k of a run.

    Attributes:
        k: The number of trials that all have to pass.
        tasks: Number of tasks that it is the mean of: those with at least k scored trials.
        left_out: Number of tasks with fewer.
        rate: The mean, a share of 1; None without a task.
        interval: Its 95% bootstrap interval over tasks.
    """

    k: int
    tasks: int
    left_out: int
    rate: float | None
    interval: tuple[float, float] | None


def task_pass_k(passed: int, trials: int, k: int) -> float:
    """C(passed, k) / C(trials, k): the share of the choices of k trials that all passed.

    An unbiased estimate of the chance that k new trials all pass: S. Yao et al., "tau-bench: A Benchmark for
    Tool-Agent-User Interaction in Real-World Domains" (arXiv:2406.12045).

    Raises:
        ValueError: k isn't within 1 and trials, or passed not within 0 and trials.
    """
    if not 1 <= k <= trials or not 0 <= passed <= trials:
        message = f"expected 1 <= k <= trials and 0 <= passed <= trials, got k={k}, passed={passed}, trials={trials}"
        raise ValueError(message)
    return comb(passed, k) / comb(trials, k)


def pass_k(run: Tau2Run, k: int) -> PassK:
    """The mean of `task_pass_k` over the tasks that have k scored trials, with an interval.

    Raises:
        ValueError: k is less than 1.
    """
    outcomes = trials_by_task(run)
    values = [task_pass_k(sum(passes), len(passes), k) for passes in outcomes.values() if len(passes) >= k]
    return PassK(
        k=k,
        tasks=len(values),
        left_out=len(outcomes) - len(values),
        rate=fsum(values) / len(values) if values else None,
        interval=cluster_bootstrap([[value] for value in values]) if values else None,
    )


def trials_by_task(run: Tau2Run) -> dict[str, Sequence[bool]]:
    """Whether each scored simulation passed, by task, in the order of the file."""
    outcomes: dict[str, list[bool]] = defaultdict(list)
    for simulation in run.scored:
        outcomes[simulation.task_id].append(simulation.passed)
    return dict(outcomes)

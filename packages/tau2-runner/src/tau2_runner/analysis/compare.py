"""Two runs of the same tasks: what passes in one and not in the other, and how sure the difference is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gar_metrics import GarError, cluster_bootstrap, mcnemar_exact, tango
from tau2_runner.analysis.breakdown import Share
from tau2_runner.analysis.honesty import file_warnings

if TYPE_CHECKING:
    from gar_metrics.tau2 import Simulation, Tau2Run

Trial = tuple[str, int]
"""A task's id and the number of the trial."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, on the trials of tasks that both have scored; shares of 1.

    Attributes:
        baseline: The first run's passes.
        treatment: The second run's passes.
        tasks: Number of tasks that the trials belong to.
        gained: The trials that only the second passes.
        lost: Those that only the first passes.
        p: Of the exact McNemar test, which takes trials for independent.
        interval: 95% interval of the difference, second less first: Tango's, or over tasks by the bootstrap where a
            task has several trials.
        bootstrapped: Whether it is the bootstrap's.
        warnings: What makes the figures less than they seem.
    """

    baseline: Share
    treatment: Share
    tasks: int
    gained: tuple[Trial, ...]
    lost: tuple[Trial, ...]
    p: float
    interval: tuple[float, float]
    bootstrapped: bool
    warnings: tuple[str, ...]

    @property
    def difference(self) -> float:
        """The second run's share of passes less the first's."""
        return (self.treatment.hits - self.baseline.hits) / self.baseline.n


def compare_runs(first: Tau2Run, second: Tau2Run) -> Comparison:
    """The comparison of two runs, paired over tasks and trials; a trial that stands there twice counts once, the last.

    Raises:
        GarError: The runs are of different domains or benchmarks, or share no scored trial.
    """
    if (first.domain, first.layout) != (second.domain, second.layout):
        what = f"is a run of {second.layout} {second.domain}, {first.name} one of {first.layout} {first.domain}"
        raise GarError(what, path=second.path)
    before, after = _scored(first), _scored(second)
    pairs = {trial: (before[trial].passed, after[trial].passed) for trial in before if trial in after}
    if not pairs:
        what = f"shares no scored trial of a task with {first.name}"
        raise GarError(what, path=second.path)
    gained = tuple(trial for trial, (was, now) in pairs.items() if now and not was)
    lost = tuple(trial for trial, (was, now) in pairs.items() if was and not now)
    differences: dict[str, list[float]] = defaultdict(list)
    for (task_id, _), (was, now) in pairs.items():
        differences[task_id].append(now - was)
    bootstrapped = len(differences) < len(pairs)
    n = len(pairs)
    return Comparison(
        baseline=Share(sum(was for was, _ in pairs.values()), n),
        treatment=Share(sum(now for _, now in pairs.values()), n),
        tasks=len(differences),
        gained=gained,
        lost=lost,
        p=mcnemar_exact(len(gained), len(lost)),
        interval=cluster_bootstrap(differences.values()) if bootstrapped else tango(len(gained), len(lost), n),
        bootstrapped=bootstrapped,
        warnings=(*_pairing_warnings(first, second, n), *_own_warnings(first), *_own_warnings(second)),
    )


def _scored(run: Tau2Run) -> dict[Trial, Simulation]:
    return {(simulation.task_id, simulation.trial): simulation for simulation in run.scored}


def _pairing_warnings(first: Tau2Run, second: Tau2Run, n: int) -> list[str]:
    warnings = [
        f"{len(run.scored) - n} scored simulations of {run.name} have no counterpart and are left out"
        for run in (first, second)
        if len(run.scored) > n
    ]
    versions = {task.id: task.digest for task in first.tasks}
    other = [task.id for task in second.tasks if versions.get(task.id, task.digest) != task.digest]
    if other:
        warnings.append(f"{len(other)} tasks differ between the two runs (first: {other[0]})")
    if first.user_llm != second.user_llm:
        warnings.append(f"the user simulators differ: {first.user_llm or 'unknown'}, {second.user_llm or 'unknown'}")
    return warnings


def _own_warnings(run: Tau2Run) -> list[str]:
    return [f"{run.name}: {warning}" for warning in file_warnings(run)]

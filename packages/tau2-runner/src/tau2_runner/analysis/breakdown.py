"""A run by action class: what its agent showed, what it did where a class was called for, and what passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from action_classifier import Action
from gar_metrics import GarError, wilson
from gar_metrics.tau2 import write_calls
from tau2_runner.analysis.detection import DETECTED, detect
from tau2_runner.analysis.honesty import run_warnings
from tau2_runner.analysis.pinned import floor_hits
from tau2_runner.analysis.task_classes import task_classes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gar_metrics.tau2 import Simulation, Task, Tau2Run
    from tau2_runner.analysis.domains import Domain, Tau2Root

CALLED_FOR = (Action.TOOL_CALL, Action.ASK, Action.REFUSE)
"""The classes that a task can call for, in the order of the tables."""

DOMAIN_FIELD = "info.environment_info.domain_name"
"""Where a result file of tau2 says its domain."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; the rate is a share of 1, None of nothing."""

    hits: int
    n: int

    @property
    def rate(self) -> float | None:
        """The share."""
        return self.hits / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95% interval of the share."""
        return wilson(self.hits, self.n) if self.n else None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The scored simulations of tasks that call for one class: in how many it was emitted, and how many passed."""

    gar: Share
    acc: Share

    @property
    def delta(self) -> float | None:
        """GAR - Acc, a difference of shares."""
        return None if self.gar.rate is None or self.acc.rate is None else self.gar.rate - self.acc.rate


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A run, counted.

    Attributes:
        run: Its name.
        domain: Its domain.
        model: The agent's model, where known.
        method: How the agent was run, where known.
        unscored: Number of simulations that don't count.
        passed: The scored simulations that passed.
        floor: Those that an agent would pass that does nothing; None where that isn't known.
        capability: By class, the scored simulations in which the agent shows it at least once.
        calibration: By class that a task can call for; a TOOL_CALL without recorded checks counts as a hit.
        measured: TOOL_CALL again, over the simulations whose reference actions were checked.
        warnings: What makes these figures less than they seem, in plain words.
    """

    run: str
    domain: str
    model: str | None
    method: str | None
    unscored: int
    passed: Share
    floor: Share | None
    capability: dict[Action, Share]
    calibration: dict[Action, Calibration]
    measured: Calibration
    warnings: tuple[str, ...]


def build_breakdown(run: Tau2Run, root: Tau2Root) -> Breakdown:
    """The run's figures. Every scored simulation is one row, so that a task counts once per trial.

    The classes of a task are those that the root's tasks give it, and the file's own for a task that isn't there.
    tau-bench's tasks are others under the same numbers: theirs always come from the file, if it holds them.

    Raises:
        GarError: The root lacks the run's domain, nothing tells its WRITE tools, or a simulation is about a task that
            is neither there nor in the file.
    """
    domain = _domain(run, root)
    tasks, write_tools = known_tasks(run, domain), domain.known_write_tools
    scored = run.scored
    floor = None if run.layout == "tau-bench" else floor_hits(run.domain, scored)
    shown = [shown_classes(simulation) for simulation in scored]
    classes = [task_classes(tasks[simulation.task_id]) for simulation in scored]
    hits = [
        {
            Action.TOOL_CALL: not (simulation.reward and simulation.reward.failed_actions),
            Action.ASK: Action.ASK in emitted,
            Action.REFUSE: next(write_calls(simulation, write_tools), None) is None,
        }
        for simulation, emitted in zip(scored, shown, strict=True)
    ]
    rows = list(zip(scored, classes, hits, strict=True))
    calibration = {
        action: _calibration([(s, hit[action]) for s, called_for, hit in rows if action in called_for])
        for action in CALLED_FOR
    }
    measured = [
        (s, hit[Action.TOOL_CALL])
        for s, called_for, hit in rows
        if Action.TOOL_CALL in called_for and s.reward and s.reward.measured
    ]
    return Breakdown(
        run=run.name,
        domain=run.domain,
        model=run.model,
        method=run.method,
        unscored=len(run.simulations) - len(scored),
        passed=Share(sum(simulation.passed for simulation in scored), len(scored)),
        floor=None if floor is None else Share(floor, len(scored)),
        capability={action: Share(sum(action in emitted for emitted in shown), len(scored)) for action in DETECTED},
        calibration=calibration,
        measured=_calibration(measured),
        warnings=(*run_warnings(run, domain, tasks), *domain.warnings),
    )


def _domain(run: Tau2Run, root: Tau2Root) -> Domain:
    if run.domain not in root.names:
        what = f"no domain {run.domain!r} in {root.folder}; there are: {', '.join(root.names)}"
        raise GarError(what, path=run.path, field=None if run.layout == "tau-bench" else DOMAIN_FIELD)
    return root.domain(run.domain)


def known_tasks(run: Tau2Run, domain: Domain) -> dict[str, Task]:
    """The tasks that the run's simulations are about, by id.

    Raises:
        GarError: One of them is neither among the domain's tasks nor in the file.
    """
    own = {task.id: task for task in run.tasks}
    tasks = {**domain.tasks, **own} if run.layout == "tau-bench" else {**own, **domain.tasks}
    for number, simulation in enumerate(run.simulations):
        if simulation.task_id not in tasks:
            what = f"{simulation.task_id!r} is no task of {domain.name}, neither in --tau2-root nor in the file"
            raise GarError(what, path=run.path, field=f"simulations[{number}].task_id")
    return tasks


def breakdowns(runs: Iterable[Tau2Run], root: Tau2Root) -> Sequence[Breakdown]:
    """The figures of each run; only one run needs to be in memory at a time.

    Raises:
        GarError: As `build_breakdown`.
    """
    return [build_breakdown(run, root) for run in runs]


def shown_classes(simulation: Simulation) -> frozenset[Action]:
    """Every class that the agent shows in a conversation."""
    return frozenset().union(
        *(
            detect(message.content, has_calls=bool(message.calls))
            for message in simulation.messages
            if message.role == "assistant"
        )
    )


def _calibration(rows: list[tuple[Simulation, bool]]) -> Calibration:
    return Calibration(
        gar=Share(sum(hit for _, hit in rows), len(rows)),
        acc=Share(sum(simulation.passed for simulation, _ in rows), len(rows)),
    )

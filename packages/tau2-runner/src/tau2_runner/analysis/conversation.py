"""One simulation as lines to read: what was said and called, message by message, with the classes it shows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gar_metrics import GarError, one_line
from gar_metrics.tau2 import WRITE_TOOLS
from tau2_runner.analysis.detection import DETECTED, detect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gar_metrics.tau2 import Message, Simulation, Tau2Run


def conversation(run: Tau2Run, task_id: str, trial: int = 0) -> Iterator[str]:
    """The lines of a simulation, without line ends; whatever a model wrote is made harmless for a terminal.

    Raises:
        GarError: The run has no simulation of this task and trial.
    """
    found = [simulation for simulation in run.simulations if simulation.task_id == task_id]
    chosen = [simulation for simulation in found if simulation.trial == trial]
    if not chosen:
        trials = ", ".join(str(simulation.trial) for simulation in found)
        what = f"has no trial {trial} of task {task_id}; there are: {trials}" if found else f"has no task {task_id}"
        raise GarError(what, path=run.path)
    for simulation in chosen:
        yield from map(_harmless, _lines(run, simulation))


def _lines(run: Tau2Run, simulation: Simulation) -> Iterator[str]:
    yield f"{run.name}, task {simulation.task_id}, trial {simulation.trial}, simulation {simulation.id}"
    reward = simulation.reward
    verdict = f"not scored: {simulation.unscored}" if simulation.unscored else "pass" if simulation.passed else "fail"
    basis = f", scored by {'+'.join(reward.basis)}" if reward and reward.basis else ""
    ending = f", ended by {simulation.termination}" if simulation.termination else ""
    yield f"{verdict}, reward {reward.value if reward else '-'}{basis}{ending}"
    for message in simulation.messages:
        yield ""
        yield from _message_lines(message, WRITE_TOOLS.get(run.domain, frozenset()))
    checks = reward.checks if reward else None
    if checks:
        yield ""
        yield "reference actions"
        for check in checks:
            action = f"{check.action.name}({_arguments(check.action.arguments)})" if check.action else "unknown"
            yield f"  {'missing' if check.failed else 'done   '}  {action}"


def _message_lines(message: Message, write_tools: frozenset[str]) -> Iterator[str]:
    classes = detect(message.content, has_calls=bool(message.calls)) if message.role == "assistant" else ()
    names = " ".join(action.name for action in DETECTED if action in classes)
    yield f"[{message.index}] {message.role}{f'  {names}' if names else ''}"
    for line in (message.content or "").splitlines():
        yield f"  {line}"
    for call in message.calls:
        mark = "  WRITE" if call.name in write_tools else ""
        yield f"  -> {call.name}({_arguments(call.arguments)}){mark}"


def _arguments(arguments: object) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _harmless(line: str) -> str:
    return one_line(line.replace("\t", "    "))

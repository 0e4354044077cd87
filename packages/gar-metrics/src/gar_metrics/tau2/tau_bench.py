"""Result files of tau-bench, the benchmark before tau2: a list of trials with OpenAI's messages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gar_metrics.tau2.fields import Place, identifier, objects, optional, required
from gar_metrics.tau2.messages import read_messages
from gar_metrics.tau2.naming import parse_run_name
from gar_metrics.tau2.records import Reward, Simulation, Task, Tau2Run
from gar_metrics.tau2.scoring import unscored_cause
from gar_metrics.tau2.tasks import tasks_of
from gar_metrics.tau2.write_tools import WRITE_TOOLS

if TYPE_CHECKING:
    from pathlib import Path


def read_tau_bench(path: Path, name: str, content: list[object]) -> Tau2Run:
    """The run in the content of a tau-bench file: records ``{task_id, reward, info, traj, trial}``.

    Such a file says neither model nor domain: the model is taken from its name or its folder's, the domain from
    there too or else from the tools that are called. Reference actions aren't checked one by one in it.

    Raises:
        GarError: A record is malformed, there is none, or nothing tells the domain.
    """
    place = Place(path)
    records = list(objects(content, place))
    if not records:
        what = "holds no simulations"
        raise place.fault(what)
    simulations = tuple(_simulation(record, here) for here, record in records)
    domain = _domain(path, name, simulations, place)
    named = parse_run_name(name, domain)
    return Tau2Run(
        path=path,
        name=name,
        layout="tau-bench",
        domain=domain,
        model=named.model if named else name,
        method=named.method if named else None,
        agent=None,
        agent_llm=None,
        user_llm=None,
        trials=None,
        commit=None,
        tasks=_tasks(records),
        simulations=simulations,
    )


def _simulation(record: dict[str, object], place: Place) -> Simulation:
    task_id = identifier(record, "task_id", place)
    trial = optional(record, "trial", int, place) or 0
    value = optional(record, "reward", float, place)
    info = optional(record, "info", dict, place) or {}
    return Simulation(
        id=f"{task_id}-{trial}",
        task_id=task_id,
        trial=trial,
        termination=None,
        reward=None if value is None else Reward(value, (), None, None),
        unscored=unscored_cause({"reward_info": {**info, "reward": value}}),
        messages=read_messages(required(record, "traj", list, place), place.at("traj")),
    )


def _domain(path: Path, name: str, simulations: tuple[Simulation, ...], place: Place) -> str:
    """The known domain that the file's or its folder's name speaks of, or the one whose WRITE tools are called."""
    for text in (name, path.stem, path.parent.name):
        named = [domain for domain in WRITE_TOOLS if domain in text.lower()]
        if len(named) == 1:
            return named[0]
    called = {call.name for simulation in simulations for message in simulation.messages for call in message.calls}
    ((domain, hits),) = Counter({key: len(tools & called) for key, tools in WRITE_TOOLS.items()}).most_common(1)
    if not hits:
        what = f"nothing tells the domain: put one of {', '.join(WRITE_TOOLS)} into the file's name"
        raise place.fault(what)
    return domain


def _tasks(records: list[tuple[Place, dict[str, object]]]) -> tuple[Task, ...]:
    """The tasks that the records hold, in tau2's form, each once."""
    tasks: dict[str, dict[str, object]] = {}
    for place, record in records:
        info = optional(record, "info", dict, place) or {}
        task = optional(info, "task", dict, place.at("info"))
        if task is not None:
            criteria = {"actions": task.get("actions") or [], "communicate_info": task.get("outputs")}
            number = identifier(record, "task_id", place)
            scenario = {"instructions": task.get("instruction")}
            tasks[number] = {"id": number, "user_scenario": scenario, "evaluation_criteria": criteria}
    return tasks_of(list(tasks.values()), records[0][0].at("info.task"))

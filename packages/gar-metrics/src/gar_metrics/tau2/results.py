"""tau2's own result files: ``results.json``, with its simulations inside or in a folder beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.jsonl import read_document
from gar_metrics.tau2.fields import Place, checked, identifier, objects, optional, required
from gar_metrics.tau2.messages import read_messages
from gar_metrics.tau2.naming import parse_run_name
from gar_metrics.tau2.records import ActionCheck, Reward, Simulation, Tau2Run
from gar_metrics.tau2.scoring import action_failed, unscored_cause
from gar_metrics.tau2.tasks import read_action, tasks_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIMULATIONS = "simulations"
"""Key of the list, and name of the folder that holds one file per simulation in the other form of the layout."""


def read_results(path: Path, name: str, content: dict[str, object]) -> Tau2Run:
    """The run in the content of a result file.

    Raises:
        GarError: Something that a result file has is missing, or of another kind than it should be.
    """
    place = Place(path)
    info = required(content, "info", dict, place)
    info_place = place.at("info")
    domain = _domain(info, name, info_place)
    named = parse_run_name(name, domain)
    agent, user = (optional(info, key, dict, info_place) or {} for key in ("agent_info", "user_info"))
    agent_place, user_place = info_place.at("agent_info"), info_place.at("user_info")
    agent_llm = optional(agent, "llm", str, agent_place)
    tasks = optional(content, "tasks", list, place)
    if tasks is not None and not tasks:
        what = "holds no tasks"
        raise place.at("tasks").fault(what)
    simulations = tuple(_simulation(record, here) for here, record in _simulation_records(content, place))
    if not simulations:
        what = "holds no simulations"
        raise place.at(SIMULATIONS).fault(what)
    return Tau2Run(
        path=path,
        name=name,
        layout="tau2",
        domain=domain,
        model=named.model if named else agent_llm,
        method=named.method if named else None,
        agent=optional(agent, "implementation", str, agent_place),
        agent_llm=agent_llm,
        user_llm=optional(user, "llm", str, user_place),
        trials=_trials(info, info_place),
        commit=optional(info, "git_commit", str, info_place),
        tasks=tasks_of(tasks or [], place.at("tasks")),
        simulations=simulations,
    )


def _domain(info: dict[str, object], name: str, place: Place) -> str:
    """The domain that the file states, or else its folder's name."""
    environment = optional(info, "environment_info", dict, place) or {}
    stated = optional(environment, "domain_name", str, place.at("environment_info"))
    named = parse_run_name(name, stated)
    if not stated and named is None:
        what = "missing"
        raise place.at("environment_info.domain_name").fault(what)
    return stated or (named.domain if named else "")


def _trials(info: dict[str, object], place: Place) -> int | None:
    trials = optional(info, "num_trials", int, place)
    if trials is not None and trials < 1:
        what = f"expected a number from 1, found {trials}"
        raise place.at("num_trials").fault(what)
    return trials


def _simulation_records(content: dict[str, object], place: Place) -> Iterator[tuple[Place, dict[str, object]]]:
    """The simulations' records: those in the file, and with none in it those in the folder beside it."""
    folder = place.path.parent / SIMULATIONS
    values = optional(content, SIMULATIONS, list, place)
    if values or not folder.is_dir():
        yield from objects(required(content, SIMULATIONS, list, place), place.at(SIMULATIONS))
        return
    files = sorted(folder.glob("*.json"))
    index = optional(content, "simulation_index", list, place) or []
    listed = {identifier(entry, "id", here) for here, entry in objects(index, place.at("simulation_index"))}
    there = {file.stem for file in files}
    # tau2 itself refuses both.
    if missing := sorted(listed - there):
        what = f"{len(missing)} of them have no file in {SIMULATIONS}/ (first: {missing[0]})"
        raise place.at("simulation_index").fault(what)
    if listed and (extra := sorted(there - listed)):
        what = f"{len(extra)} files in {SIMULATIONS}/ aren't listed (first: {extra[0]})"
        raise place.at("simulation_index").fault(what)
    for file in files:
        yield Place(file), checked(read_document(file), dict, Place(file))


def _simulation(record: dict[str, object], place: Place) -> Simulation:
    reward = optional(record, "reward_info", dict, place)
    return Simulation(
        id=identifier(record, "id", place),
        task_id=identifier(record, "task_id", place),
        trial=optional(record, "trial", int, place) or 0,
        termination=optional(record, "termination_reason", str, place),
        reward=_reward(reward, place.at("reward_info")) if reward else None,
        unscored=unscored_cause(record),
        messages=read_messages(optional(record, "messages", list, place) or [], place.at("messages")),
    )


def _reward(record: dict[str, object], place: Place) -> Reward | None:
    if "reward" not in record:
        what = "missing"
        raise place.at("reward").fault(what)
    value = optional(record, "reward", float, place)
    if value is None:
        return None
    checks = optional(record, "action_checks", list, place)
    assertions = optional(record, "nl_assertions", list, place)
    return Reward(
        value=value,
        basis=tuple(map(str, optional(record, "reward_basis", list, place) or [])),
        checks=None if checks is None else tuple(_check(*item) for item in objects(checks, place.at("action_checks"))),
        assertions=None if assertions is None else len(assertions),
    )


def _check(place: Place, record: dict[str, object]) -> ActionCheck:
    action = optional(record, "action", dict, place)
    return ActionCheck(read_action(action, place.at("action")) if action else None, action_failed(record))

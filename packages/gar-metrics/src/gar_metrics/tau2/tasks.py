"""Tasks, from a domain's ``tasks.json`` and from the copies that runs keep of them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from gar_metrics.jsonl import read_document
from gar_metrics.tau2.fields import Place, checked, identifier, objects, optional, required
from gar_metrics.tau2.messages import read_arguments
from gar_metrics.tau2.records import Action, Task

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_BASIS = ("DB", "COMMUNICATE")
"""What tau2 takes for a task that doesn't say."""

_DIGEST_BYTES = 8


def read_tasks(path: Path) -> tuple[Task, ...]:
    """The tasks of a ``tasks.json``, in the order of the file.

    Raises:
        GarError: The file can't be read, isn't a list of tasks, holds none, or has one twice.
    """
    place = Place(path)
    tasks = tasks_of(checked(read_document(path), list, place), place)
    if not tasks:
        what = "holds no tasks"
        raise place.fault(what)
    return tasks


def tasks_of(values: list[object], place: Place) -> tuple[Task, ...]:
    """The tasks in a JSON list.

    Raises:
        GarError: One of them is malformed, or stands there twice.
    """
    tasks: dict[str, Task] = {}
    for here, record in objects(values, place):
        task = _task(record, here)
        if task.id in tasks:
            what = f"{task.id!r} stands there twice"
            raise here.at("id").fault(what)
        tasks[task.id] = task
    return tuple(tasks.values())


def read_action(record: dict[str, object], place: Place) -> Action:
    """A reference action; tau-bench calls its arguments ``kwargs``.

    Raises:
        GarError: It has no name.
    """
    return Action(
        name=required(record, "name", str, place),
        arguments=read_arguments(record.get("arguments", record.get("kwargs"))),
        requestor=optional(record, "requestor", str, place) or "assistant",
    )


def _task(record: dict[str, object], place: Place) -> Task:
    scenario = required(record, "user_scenario", dict, place)
    criteria_place = place.at("evaluation_criteria")
    if "evaluation_criteria" not in record:
        what = "missing"
        raise criteria_place.fault(what)
    criteria = optional(record, "evaluation_criteria", dict, place) or {}
    actions_place = criteria_place.at("actions")
    actions = tuple(
        read_action(action, here)
        for here, action in objects(optional(criteria, "actions", list, criteria_place) or [], actions_place)
    )
    basis = optional(criteria, "reward_basis", list, criteria_place)
    return Task(
        id=identifier(record, "id", place),
        scenario=scenario,
        actions=actions,
        basis=DEFAULT_BASIS if basis is None else tuple(map(str, basis)),
        assertions=len(optional(criteria, "nl_assertions", list, criteria_place) or []),
        digest=_digest(
            scenario,
            [(action.requestor, action.name, action.arguments) for action in actions],
            sorted(map(str, DEFAULT_BASIS if basis is None else basis)),
            *(criteria.get(key) or None for key in ("nl_assertions", "communicate_info", "env_assertions")),
            record.get("initial_state"),
        ),
    )


def _digest(*parts: object) -> str:
    """A digest of JSON values that a field which is null and one which is absent don't change."""
    text = json.dumps([_without_nulls(part) for part in parts], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, (list, tuple)) else value

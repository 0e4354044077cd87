"""What is known of tau2-bench at the pinned commit: its tasks, and what an agent passes that does nothing."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gar_metrics.tau2 import Simulation, Task

COMMIT = "a03b7910bc968f706306e16017a9cb650caf7af2"
"""Of sierra-research/tau2-bench."""

PINNED_TASKS = Path(__file__).with_name("data") / "pinned_tasks.json"

_AIRLINE = (0, 1, 2, 4, 5, 6, 9, 10, 13, 26, 27, 28, 31, 34, 36, 38, 41, 43, 45, 46, 47, 48, 49)
_RETAIL = (10, 12, 24, 25, 50, 57, 62, 65, 67, 68, 105)

NULL_AGENT_PASSES: Mapping[str, frozenset[str]] = MappingProxyType(
    {"airline": frozenset(map(str, _AIRLINE)), "retail": frozenset(map(str, _RETAIL))}
)
"""The tasks that pass when the agent does nothing, measured; in retail with an assertion judge that says yes to all."""


@cache
def pinned_digests() -> Mapping[str, Mapping[str, str]]:
    """The digest of every task at the pinned commit, by domain and id; airline and retail only."""
    return MappingProxyType(json.loads(PINNED_TASKS.read_text(encoding="utf-8")))


def differing_tasks(domain: str, tasks: Iterable[Task]) -> tuple[str, ...]:
    """The ids of the tasks that aren't those of the pinned commit; none of a domain that isn't known."""
    known = pinned_digests().get(domain)
    return () if known is None else tuple(task.id for task in tasks if known.get(task.id) != task.digest)


def floor_hits(domain: str, simulations: Iterable[Simulation]) -> int | None:
    """How many of the simulations an agent that does nothing would pass; None of a domain that isn't known."""
    passes = NULL_AGENT_PASSES.get(domain)
    return None if passes is None else sum(simulation.task_id in passes for simulation in simulations)

"""What a domain's rewards rest on, and which of its tasks pass if nothing is done."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tau2_runner.analysis.honesty import ASSERTION

if TYPE_CHECKING:
    from gar_metrics.tau2 import Task
    from tau2_runner.analysis.domains import Domain


@dataclass(frozen=True, slots=True)
class RewardAudit:
    """A domain's rewards.

    Attributes:
        domain: Its name.
        n: Number of its tasks.
        write_tools: The agent's WRITE tools, in order of their names; None where nothing tells them.
        combinations: How many tasks are scored by each combination of parts, such as ``COMMUNICATE+DB``.
        parts: How many tasks each part is used for.
        without_actions: The tasks without reference actions.
        unchanged: The tasks whose right outcome leaves the database as it is: no reference action is a WRITE. None
            where the WRITE tools aren't known.
        unchanged_unjudged: Those of `unchanged` that no assertion is judged for.
        warnings: What makes the domain another than that of the pinned commit.
    """

    domain: str
    n: int
    write_tools: tuple[str, ...] | None
    combinations: dict[str, int]
    parts: dict[str, int]
    without_actions: tuple[str, ...]
    unchanged: tuple[str, ...] | None
    unchanged_unjudged: tuple[str, ...] | None
    warnings: tuple[str, ...]


def audit_rewards(domain: Domain) -> RewardAudit:
    """The audit of a domain; task ids in the order of the file."""
    tasks = list(domain.tasks.values())
    tools = domain.write_tools
    unchanged = None if tools is None else [task for task in tasks if not _writes(task, tools, domain.user_write_tools)]
    return RewardAudit(
        domain=domain.name,
        n=len(tasks),
        write_tools=None if tools is None else tuple(sorted(tools)),
        combinations=dict(Counter("+".join(sorted(task.basis)) for task in tasks).most_common()),
        parts=dict(Counter(part for task in tasks for part in task.basis).most_common()),
        without_actions=tuple(task.id for task in tasks if not task.actions),
        unchanged=None if unchanged is None else tuple(task.id for task in unchanged),
        unchanged_unjudged=(
            None if unchanged is None else tuple(task.id for task in unchanged if ASSERTION not in task.basis)
        ),
        warnings=domain.warnings,
    )


def _writes(task: Task, agent_tools: frozenset[str], user_tools: frozenset[str]) -> bool:
    return any(action.name in (user_tools if action.requestor == "user" else agent_tools) for action in task.actions)

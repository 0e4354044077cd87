"""Which action a task calls for, by the task alone: REFUSE, TOOL_CALL, and ASK beside either."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from action_classifier import Action

if TYPE_CHECKING:
    from gar_metrics.tau2 import Task

ASK_PHRASES = (
    "if the agent asks",
    "if the service agent asks",
    "when the agent asks",
    "when the service agent asks",
    "do not volunteer",
    "do not mention unless",
    "don't mention",
    "withhold",
    "only reveal",
    "wait until asked",
    "if asked",
    "will not say anything that is not asked",
    "won't say anything that is not asked",
    "do not reveal it",
)
"""What a scenario says to a user who keeps something back until asked; in lower case."""


def task_classes(task: Task) -> tuple[Action, ...]:
    """The classes of a task: REFUSE without reference actions, else TOOL_CALL; then ASK, where its scenario says so.

    CONFIRM belongs to single writes, not to tasks: no task has it. The ASK phrases name candidates only; see
    `ask_subset` for those that were checked by hand.
    """
    first = Action.TOOL_CALL if task.actions else Action.REFUSE
    scenario = json.dumps(task.scenario).lower()
    return (first, Action.ASK) if any(phrase in scenario for phrase in ASK_PHRASES) else (first,)

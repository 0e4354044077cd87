"""Which simulations count, and which reference actions failed: the rules on the records as they stand in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gar_metrics.tau2.records import NO_REWARD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REWARD_FAULTS = ("error", "exception", "traceback", "infrastructure_error")
SIMULATION_FAULTS = (*REWARD_FAULTS, "runtime_error")
"""Fields that are there, and true, where something else than the agent went wrong."""

STATES = ("status", "termination_reason", "failure_reason")
FAULT_WORDS = ("infrastructure", "runtime_error")


def unscored_cause(simulation: Mapping[str, object]) -> str | None:
    """Why a simulation isn't scored, in a few words, or None if it is.

    It is scored if it was judged and nothing shows an infrastructure error; an ordinary failure, running out of
    steps included, is scored.

    Args:
        simulation: The record as it stands in ``results.json``.
    """
    reward_info = simulation.get("reward_info")
    judged = isinstance(reward_info, dict) and reward_info.get("reward") is not None
    reward = reward_info if isinstance(reward_info, dict) else {}
    for field in SIMULATION_FAULTS:
        if simulation.get(field):
            return field
    for field in REWARD_FAULTS:
        if reward.get(field):
            return f"reward_info.{field}"
    if _speaks_of_fault(_texts(reward.get("reward_basis"))):
        return "reward_basis names a fault"
    for field in STATES:
        value = simulation.get(field)
        if _speaks_of_fault(_texts(value)):
            return f"{field} {value}"
    return None if judged else NO_REWARD


def action_failed(check: Mapping[str, object]) -> bool:
    """Whether an action check says that the reference action wasn't carried out."""
    reward = check.get("action_reward")
    return check.get("action_match") is False or (reward is not None and reward == 0)


def _texts(value: object) -> Iterable[str]:
    return [str(item) for item in (value if isinstance(value, list) else [value]) if item is not None]


def _speaks_of_fault(texts: Iterable[str]) -> bool:
    return any(word in text.lower() for text in texts for word in FAULT_WORDS)

"""The action classes, their priority, and the gold class of each BFCL multi-turn category."""

from __future__ import annotations

import re
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Action(str, Enum):
    """What a model does in one emission.

    The values are the serialised form (lower case, ``"tool_call"``), so a member can be put into JSON as it
    is and compares equal to its value; printing a member shows its name (``TOOL_CALL``).
    """

    TOOL_CALL = "tool_call"
    ASK = "ask"
    REFUSE = "refuse"
    CONFIRM = "confirm"
    OTHER = "other"

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        # The mixed-in str would print the value on some Pythons and the name on others.
        return format(self.name, spec)


PRIORITY: tuple[Action, ...] = (Action.TOOL_CALL, Action.REFUSE, Action.ASK, Action.CONFIRM, Action.OTHER)
"""Of several classes that one emission signals, the first in this order is its class (ruleset ``paper``)."""

GOLD_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "base": Action.TOOL_CALL,
        "long_context": Action.TOOL_CALL,
        "miss_func": Action.REFUSE,
        "miss_param": Action.ASK,
    }
)
"""Gold class by BFCL multi-turn category, in the order in which tables show the categories."""

_CASE_ID = re.compile(rf"multi_turn_({'|'.join(GOLD_ACTIONS)})_[0-9]+")


def gold_action(category: str | None) -> Action | None:
    """The gold class of a category (``"base"``, ``"miss_func"`` ...), or None if it has none."""
    return None if category is None else GOLD_ACTIONS.get(category)


def category_of(case_id: str) -> str | None:
    """The category in a case id ``multi_turn_<category>_<n>``, or None for any other id."""
    match = _CASE_ID.fullmatch(case_id)
    return match[1] if match else None

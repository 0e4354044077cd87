"""Label each emission of a tool-calling model: TOOL_CALL, ASK, REFUSE, CONFIRM or OTHER.

>>> from action_classifier import classify
>>> classify("Which folder should I use?").name
'ASK'
>>> classify([{"mv": '{"source": "a", "destination": "b"}'}]).name
'TOOL_CALL'
"""

import importlib
from typing import TYPE_CHECKING

from action_classifier.__about__ import __version__
from action_classifier.actions import GOLD_ACTIONS, PRIORITY, Action, category_of, gold_action
from action_classifier.calls import is_tool_call_text, normalize
from action_classifier.classify import RULESETS, classify, classify_text, explain, labels
from action_classifier.cues import CUES, asks, fold_quotes
from action_classifier.evidence import Evidence

if TYPE_CHECKING:
    from action_classifier import adapters

__all__ = [
    "CUES",
    "GOLD_ACTIONS",
    "PRIORITY",
    "RULESETS",
    "Action",
    "Evidence",
    "__version__",
    "adapters",
    "asks",
    "category_of",
    "classify",
    "classify_text",
    "explain",
    "fold_quotes",
    "gold_action",
    "is_tool_call_text",
    "labels",
    "normalize",
]


def __getattr__(name: str) -> object:
    """The sub-package `adapters`, imported when it is first asked for: classifying does without."""
    if name == "adapters":
        return importlib.import_module("action_classifier.adapters")
    message = f"module 'action_classifier' has no attribute {name!r}"
    raise AttributeError(message)

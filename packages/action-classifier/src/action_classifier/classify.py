"""The public questions about an emission, answered by the ruleset that the caller names."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from action_classifier.actions import Action
    from action_classifier.evidence import Evidence


class Ruleset(NamedTuple):
    """The entry points of a ruleset."""

    explain: Callable[[object], Evidence | None]
    explain_text: Callable[[str | None], Evidence]
    labels: Callable[[object], tuple[Action, ...]]


RULESETS: tuple[str, ...] = ("paper", "extended")
"""Names of the rulesets that `classify` knows, each the name of the module that holds it."""


def classify(emission: object, ruleset: str = "paper") -> Action | None:
    """The class of one model emission, or None if it carries nothing (empty text, an empty list, a number).

    Args:
        emission: What a model returned in one step: a text, or a list or dict of tool calls. Anything else,
            of any type and nesting, is accepted too and carries nothing.
        ruleset: One of `RULESETS`.

    Raises:
        ValueError: The ruleset is unknown. No emission makes it raise.
    """
    evidence = explain(emission, ruleset)
    return evidence.action if evidence else None


def classify_text(text: str | None, ruleset: str = "paper") -> Action:
    """The class of a text as it stands, without normalising; OTHER for None and for empty text.

    Raises:
        ValueError: The ruleset is unknown.
    """
    return _ruleset(ruleset).explain_text(text).action


def explain(emission: object, ruleset: str = "paper") -> Evidence | None:
    """The class of an emission with the rule, the cue and its place, or None if the emission carries nothing.

    Raises:
        ValueError: The ruleset is unknown.
    """
    return _ruleset(ruleset).explain(emission)


def labels(emission: object, ruleset: str = "paper") -> tuple[Action, ...]:
    """Every class that an emission signals, the one that `classify` gives first; empty if it carries nothing.

    Raises:
        ValueError: The ruleset is unknown.
    """
    return _ruleset(ruleset).labels(emission)


@cache
def _ruleset(name: str) -> Ruleset:
    """The ruleset, whose module is imported when it is first asked for: its tables of patterns take a while."""
    if name not in RULESETS:
        message = f"unknown ruleset {name!r}; known: {', '.join(RULESETS)}"
        raise ValueError(message)
    module = import_module(f"action_classifier.{name}")
    return Ruleset(module.explain, module.explain_text, module.labels)

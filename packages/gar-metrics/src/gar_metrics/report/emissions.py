"""An emission as a reader should see it: its text or its calls, its class, and the cue that decided."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from action_classifier import explain
from gar_metrics.report.texts import as_json

if TYPE_CHECKING:
    from action_classifier import Action

LINE = 88
"""Calls longer than this many characters get a line for each argument."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A readable emission.

    Attributes:
        text: What the model wrote; for calls held as data, these calls.
        action: Its class, None where it carries nothing.
        rule: The classifier's rule that fired, empty without a class.
        cue: The cue as the table has it, empty where the whole emission is the evidence.
        span: Half-open span of the cue in ``text``, in characters; None where there is nothing to highlight.
    """

    text: str
    action: Action | None
    rule: str
    cue: str
    span: tuple[int, int] | None


def shown_emission(emission: object, ruleset: str) -> Shown:
    """The emission, with the evidence for its class under the ruleset."""
    evidence = explain(emission, ruleset)
    text = emission if isinstance(emission, str) else _structure(emission)
    if evidence is None:
        return Shown(text, None, "", "", None)
    span = evidence.span if isinstance(emission, str) else None
    return Shown(text, evidence.action, evidence.rule, evidence.cue or "", span)


def pretty_call(name: str, arguments: object) -> str:
    """``name(key=value, ...)``, values as JSON; one argument a line where it gets long.

    Args:
        name: The function.
        arguments: A mapping, or the JSON text of one; anything else stands in the brackets as it is.
    """
    values = _decoded(arguments)
    if not isinstance(values, dict):
        return f"{name}({values if isinstance(values, str) else as_json(values)})"
    parts = [f"{key}={as_json(value)}" for key, value in values.items()]
    line = f"{name}({', '.join(parts)})"
    return line if len(line) <= LINE else "\n".join([f"{name}(", *(f"    {part}," for part in parts), ")"])


def _structure(emission: object) -> str:
    """A list or dict of calls, a call a line; a list of texts as these texts; anything else as JSON."""
    parts = emission if isinstance(emission, list) else [emission]
    return "\n".join(_part(part) for part in parts)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        name, arguments = part.get("name"), part.get("arguments", part.get("parameters"))
        if isinstance(name, str) and arguments is not None:
            return pretty_call(name, arguments)
        return "\n".join(pretty_call(str(key), value) for key, value in part.items())
    return as_json(part)


def _decoded(arguments: object) -> object:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments

"""The judge of natural-language assertions: another model in its place, and replies that tau2 couldn't read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tau2_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MODEL_VARIABLE = "TAU2_NL_ASSERTIONS_LLM"
ARGUMENTS_VARIABLE = "TAU2_NL_ASSERTIONS_ARGS_JSON"

RESULTS = "results"
"""The field of a judge's reply that tau2 reads."""

_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
"""tau2's prompt shows the judge an example with one, which is no JSON."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A model to judge assertions with.

    Attributes:
        model: Its name, as litellm knows it.
        arguments: Request fields, such as a temperature.
    """

    model: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


def chosen_judge(environment: Mapping[str, str]) -> Judge | None:
    """The judge that the variables ask for, or None for tau2's own. Arguments count only where a model is set.

    Raises:
        RunnerError: The arguments are no JSON object.
    """
    model = environment.get(MODEL_VARIABLE, "").strip()
    if not model:
        return None
    text = environment.get(ARGUMENTS_VARIABLE, "").strip() or "{}"
    try:
        arguments: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        # Without the text itself: it may hold a key.
        message = f"{ARGUMENTS_VARIABLE}: not JSON: {getattr(error, 'msg', 'nested too deeply')}"
        raise RunnerError(message) from None
    if not isinstance(arguments, dict):
        message = f"{ARGUMENTS_VARIABLE}: expected a JSON object"
        raise RunnerError(message)
    return Judge(model, arguments)


def readable_reply(reply: str | None) -> str | None:
    """The reply as tau2 can read it: unchanged if it is JSON, else the last object in it that holds results.

    A reply without such an object comes back unchanged.
    """
    if reply is None or _is_json(reply):
        return reply
    for text in (reply, _TRAILING_COMMA.sub("", reply)):
        found = [value for value in _objects(text) if isinstance(value.get(RESULTS), list)]
        if found:
            return json.dumps(found[-1])
    return reply


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, from left to right, none that stands inside another."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        end = start + 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            pass
        else:
            yield value
        start = text.find("{", end)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True

"""From what a model replied to call strings that can be executed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bfcl_runner.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Iterable


def decode_structured(emission: object) -> list[str]:
    """The call strings of structured calls, ``[{name: "<JSON of the arguments>"}]``.

    A dict in place of the list is one call or several; arguments may be a dict already. Empty text is no call.

    Raises:
        DecodeError: The emission is text, or one of its calls has arguments that are no JSON object. Then
            none of them counts, as upstream.
    """
    if emission == "":
        return []
    calls = [emission] if isinstance(emission, dict) else emission
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        message = "the reply holds no structured calls"
        raise DecodeError(message)
    return [_call_string(name, arguments) for call in calls for name, arguments in call.items()]


def _call_string(name: object, arguments: object) -> str:
    try:
        values = json.loads(arguments) if isinstance(arguments, str) else arguments
        if isinstance(values, dict):
            return f"{name}({','.join(f'{key}={value!r}' for key, value in values.items())})"
    except (ValueError, RecursionError) as error:
        message = f"arguments of {name}: {error}"
        raise DecodeError(message) from None
    message = f"arguments of {name}: expected a JSON object"
    raise DecodeError(message)


def is_empty(calls: Iterable[str]) -> bool:
    """Whether decoded calls amount to none, by upstream's reading: no call at all, or one empty string."""
    return list(calls) in ([], [""])

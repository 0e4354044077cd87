"""From what a model replied to call strings that can be executed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bfcl_runner.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Decoder = Callable[[object], list[str]]


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
    return [call_string(name, arguments) for call in calls for name, arguments in call.items()]


def call_string(name: object, arguments: object) -> str:
    """The call string of a name and its arguments, a dict or the JSON of one.

    Raises:
        DecodeError: The arguments are something else.
    """
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


def decoder(name: str) -> Decoder:
    """The decoder of that name: what a run's record and `bfcl-runner score` refer to.

    ``structured``: calls as data; ``prompting``: BFCL's own text format; ``tool_call_tags``: JSON between tags;
    ``upstream:NAME`` and ``family:NAME``: as bfcl-eval's handler reads it, the one for a name of its registry or for
    a family of `bfcl_runner.handlers`.
    """
    if name == "structured":
        return decode_structured
    if name == "prompting":
        from bfcl_runner.prompt_decoding import decode_prompting

        return decode_prompting
    if name == "tool_call_tags":
        from bfcl_runner.tag_decoding import decode_tool_call_tags

        return decode_tool_call_tags
    if name.startswith(("upstream:", "family:")):
        from bfcl_runner.handlers import handler_decoder

        return handler_decoder(name)
    message = f"no decoder is called {name!r}"
    raise LookupError(message)

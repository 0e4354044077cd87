"""From a single-turn reply to calls as data, ``[{name: {argument: value}}]``, which is what AST checking compares."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bfcl_runner.errors import DecodeError

if TYPE_CHECKING:
    from collections.abc import Callable

    AstDecoder = Callable[[object], Any]
    """Raises DecodeError where it reads nothing; what it reads need not have the right form, as upstream."""


@dataclass(frozen=True, slots=True)
class AstReading:
    """How the replies of a model are read.

    Attributes:
        decode: From a reply to its calls.
        underscored: Whether the dots in function names are underscores where the model sees the functions.
    """

    decode: AstDecoder
    underscored: bool


def ast_reading(decoder: str) -> AstReading:
    """The reading that belongs to a decoder, by the names of `bfcl_runner.decoding.decoder`.

    Raises:
        RunnerError: Packages for upstream's handlers are missing.
        LookupError: There is no such decoder.
    """
    if decoder == "structured":
        return AstReading(structured_calls, underscored=True)
    if decoder == "prompting":
        from bfcl_runner.prompt_decoding import prompted_calls

        return AstReading(prompted_calls, underscored=False)
    if decoder == "tool_call_tags":
        return AstReading(_tagged_calls, underscored=True)
    if decoder.startswith(("upstream:", "family:")):
        from bfcl_runner.handlers import handler_ast_reading

        return handler_ast_reading(decoder)
    message = f"no decoder is called {decoder!r}"
    raise LookupError(message)


def structured_calls(emission: object) -> list[dict[str, Any]]:
    """The calls of an emission ``[{name: "<JSON of the arguments>"}]``; empty text is no call.

    As upstream, an entry counts with its first name only, and the JSON may spell anything. Other than in upstream's
    OpenAI handler, and as in those for local models, arguments may be a dict already.

    Raises:
        DecodeError: The emission is text, or the arguments of a call are no JSON.
    """
    if emission == "":
        return []
    if not isinstance(emission, list) or not all(isinstance(call, dict) and call for call in emission):
        message = "the reply holds no structured calls"
        raise DecodeError(message)
    return [{name: _arguments(name, call[name])} for call in emission for name in list(call)[:1]]


def _arguments(name: str, arguments: object) -> Any:
    if isinstance(arguments, dict):
        return arguments
    if not isinstance(arguments, str):
        message = f"arguments of {name}: expected JSON"
        raise DecodeError(message)
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError) as error:
        message = f"arguments of {name}: {error}"
        raise DecodeError(message) from None


def _tagged_calls(emission: object) -> list[dict[str, Any]]:
    from bfcl_runner.tag_decoding import tagged_calls

    calls = tagged_calls(emission) if isinstance(emission, str) else []
    if not calls:
        message = "the reply holds no <tool_call> block with a call"
        raise DecodeError(message)
    return [{name: arguments} for name, arguments in calls]

"""What is said, before an API's words: calls or a text, and what is odd about them."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from bfcl_runner.backends.base import Emission


@dataclass(frozen=True, slots=True)
class Speech:
    """A reply before it is put into an API's words.

    Attributes:
        key: Identifies the step in ids.
        emission: The calls or the text.
        input_tokens: The prompt's size, made up.
        ids: Whether calls carry ids of their own, all the same one, or none.
        prose: Text before and after calls.
        reasoning_field: Where a chat message holds reasoning; empty for none.
        wordless: Whether text becomes null.
        usage: Whether tokens are counted.
    """

    key: str
    emission: Emission
    input_tokens: int
    ids: Literal["own", "same", "none"] = "own"
    prose: tuple[str, str] = ("", "")
    reasoning_field: str = ""
    wordless: bool = False
    usage: bool = True

    def calls(self) -> list[tuple[str | None, str, str]]:
        """Id, name and JSON arguments of each structured call."""
        if not isinstance(self.emission, list):
            return []
        named = [(name, arguments) for call in self.emission for name, arguments in call.items()]
        ids = {"own": "call-{key}-{place}", "same": "call-same"}.get(self.ids)
        return [
            (ids and ids.format(key=self.key, place=place), name, arguments)
            for place, (name, arguments) in enumerate(named)
        ]

    @property
    def output_tokens(self) -> int:
        """The reply's size, made up."""
        return len(repr(self.emission)) // 4


def as_text(speech: Speech) -> Speech:
    """The same with calls in BFCL's text format, the prose around them."""
    if not isinstance(speech.emission, list):
        return speech
    calls = (f"{name}({_in_parentheses(arguments)})" for call in speech.emission for name, arguments in call.items())
    before, after = speech.prose
    return replace(speech, emission=f"{before}[{', '.join(calls)}]{after}", prose=("", ""))


def _in_parentheses(arguments: Any) -> str:
    """JSON arguments as Python writes them; what is no JSON object, as it is."""
    with suppress(TypeError, ValueError, RecursionError):
        values = json.loads(arguments)
        if isinstance(values, dict):
            return ", ".join(f"{key}={value!r}" for key, value in values.items())
    return str(arguments)

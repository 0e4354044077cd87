"""The emissions of a reply: its calls in the one form that every ruleset reads, else its text."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from action_classifier.literals import parse
from action_classifier.stack import with_room

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    from action_classifier.adapters.nodes import Node

    Emission: TypeAlias = str | list[dict[str, object]]
    Piece: TypeAlias = "str | Call"

WHOLE = "input"
"""Key under which arguments stand that are no object: the text of a custom tool, JSON that a model wrote wrongly."""


class Call(NamedTuple):
    """A tool call in a reply.

    Attributes:
        name: The tool.
        arguments: What it is called with.
        hosted: Whether the provider's server ran it and the model went on within the same reply.
    """

    name: str
    arguments: dict[object, object]
    hosted: bool = False


class CallFields(NamedTuple):
    """Where a part of some type keeps a call."""

    name: str
    arguments: str
    hosted: bool = False


def call_in(part: Node, fields: CallFields) -> Call:
    """The call in a part. Raises AdapterError where the name is no text."""
    return Call(part[fields.name].text(), arguments_of(part[fields.arguments].value), fields.hosted)


def arguments_of(value: object) -> dict[object, object]:
    """The arguments of a call as an object, whatever form they were stored in: parsed, JSON text, left out."""
    if isinstance(value, str):
        parsed = with_room(parse, value)
        value = parsed if isinstance(parsed, dict) else value.strip() and value
    if isinstance(value, dict):
        return value
    return {WHOLE: value} if value else {}


def pieces_of(
    content: Node, texts: Mapping[str, str], calls: Mapping[str, CallFields] | None = None
) -> Iterator[Piece]:
    """The texts and calls of a content: null, a text, or a list of texts and of parts with a ``type``.

    Args:
        content: The content.
        texts: Type of a part -> its field with a text.
        calls: Type of a part -> its fields with a call. Parts of other types, reasoning and images among them, are
            left out: formats grow new ones, which say nothing in words.

    Raises:
        AdapterError: Something else stands there.
    """
    if content.value is None:
        return
    if isinstance(content.value, str):
        yield content.value
        return
    for part in content.elements():
        if isinstance(part.value, str):
            yield part.value
            continue
        kind = part["type"].text()
        if kind in texts:
            text = part[texts[kind]]
            yield "" if text.value is None else text.text()
        elif calls and kind in calls:
            yield call_in(part, calls[kind])


def emissions(pieces: Iterable[Piece]) -> Iterator[Emission]:
    """What a model emitted in one reply: its calls, ``[{"name": ..., "arguments": {...}}]``, else its text.

    A reply is one emission, empty text where nothing is in it, unless the provider's server ran calls in the middle
    of it: then what the model says after their results is the next one.
    """
    texts: list[str] = []
    calls: list[dict[str, object]] = []
    hosted = False
    for piece in pieces:
        if isinstance(piece, str) and not piece.strip():
            continue
        if hosted and not (isinstance(piece, Call) and piece.hosted):
            yield calls
            texts, calls, hosted = [], [], False
        if isinstance(piece, str):
            texts.append(piece)
        else:
            calls.append({"name": piece.name, "arguments": piece.arguments})
            hosted = piece.hosted
    yield calls or _joined(texts)


def _joined(texts: list[str]) -> str:
    """The texts of a reply as one; a line break stands where no white space of theirs parts them.

    Citations cut a sentence into several texts, which bring their own spaces.
    """
    parted = (text if text[0].isspace() or before[-1].isspace() else f"\n{text}" for before, text in pairwise(texts))
    return "".join([*texts[:1], *parted])

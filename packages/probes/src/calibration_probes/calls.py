"""The calls of a reply, read from whichever of the known wire forms holds some; nothing is ever evaluated."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, NamedTuple

from calibration_probes.records import Call
from calibration_probes.texts import member

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from calibration_probes.records import Reply

_OPENING_TAG, _CLOSING_TAG = "<tool_call>", "</tool_call>"
_SEPARATOR = re.compile(r"\s*(?:;\s*|\Z)")
_DECODER = json.JSONDecoder()
_PARSING_ATTEMPTS = 20
_ESCAPE = re.compile(r"\\(?:([^\n\\'\"abfnrtv0-7xNuU])|.)", re.DOTALL)


class PlacedCall(NamedTuple):
    """A call and its position in the list it was read from: entries that are no call keep theirs."""

    position: int
    call: Call


def read_calls(reply: Reply) -> tuple[PlacedCall, ...]:
    """The calls of a reply, from the first of its forms that holds at least one; empty if none does.

    The forms: the handler's execution strings; ``[{name: arguments}]``; JSON in ``<tool_call>`` tags; JSON text (an
    object, a list, or objects separated by ``;``, where equal calls count once); ``tool_calls`` of the history message.
    """
    for read in (_from_decoded, _from_structures, _from_tags, _from_json_text, _from_message):
        placed = tuple(PlacedCall(position, call) for position, call in enumerate(read(reply)) if call is not None)
        if placed:
            return _once(placed) if read is _from_json_text else placed
    return ()


def _from_decoded(reply: Reply) -> Iterator[Call | None]:
    return (_execution_call(source) for source in reply.decoded)


def _from_structures(reply: Reply) -> Iterator[Call | None]:
    entries = reply.response if isinstance(reply.response, list) else []
    return (_named_call(entry) for entry in entries)


def _from_tags(reply: Reply) -> Iterator[Call | None]:
    if isinstance(reply.response, str):
        for body in _tagged(reply.response):
            yield from map(_json_call, _json_entries(body))


def _from_json_text(reply: Reply) -> Iterator[Call | None]:
    return map(_json_call, _json_entries(reply.response) if isinstance(reply.response, str) else [])


def _from_message(reply: Reply) -> Iterator[Call | None]:
    entries = member(reply.message, "tool_calls")
    return map(_json_call, entries if isinstance(entries, (list, tuple)) else [])


def _execution_call(source: object) -> Call | None:
    """The call in ``name(key=literal, ...)``, of a dotted name the last part, or None."""
    if not isinstance(source, str):
        return None
    try:
        node = _parsed(_with_plain_escapes(source).strip())
        if not isinstance(node, ast.Call) or node.args or (name := _function_name(node.func)) is None:
            return None
        arguments = {keyword.arg: ast.literal_eval(keyword.value) for keyword in node.keywords}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return None
    # A `**mapping` has no key.
    return None if None in arguments else Call(name, {str(key): value for key, value in arguments.items()})


def _parsed(source: str) -> ast.expr:
    """The syntax tree of an expression, or what `ast.parse` raises."""
    attempts = 0
    while True:
        try:
            return ast.parse(source, mode="eval").body
        except SystemError:
            # Python 3.11 takes threads that parse at the same time for a recursion gone wrong, now and then.
            attempts += 1
            if attempts == _PARSING_ATTEMPTS:
                raise


def _with_plain_escapes(source: str) -> str:
    r"""The source with the backslash of escapes that Python doesn't know doubled: ``\d`` means the same as ``\\d``.

    Python warns of the former, and where warnings are errors it would be no call. Turning the warnings off would
    act on the whole process, other threads included.
    """
    if "\\" not in source:
        return source
    return _ESCAPE.sub(lambda escape: f"\\{escape[0]}" if escape[1] else escape[0], source)


def _function_name(node: ast.expr) -> str | None:
    """The name of a function: its own, or the last of a dotted one."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) and _function_name(node.value) is not None else None


def _named_call(entry: object) -> Call | None:
    """The call in a dictionary of exactly one key, the function's name; anything but text and objects is {}."""
    if not isinstance(entry, dict) or len(entry) != 1:
        return None
    ((name, value),) = entry.items()
    arguments = _arguments(value) if isinstance(value, (str, dict)) else {}
    return None if arguments is None or not isinstance(name, str) else Call(name, arguments)


def _tagged(text: str) -> Iterator[str]:
    """What stands between an opening tag and the next closing one."""
    end = 0
    # Plain searches: a pattern would look for the end of the text again at every tag that isn't closed.
    while (start := text.find(_OPENING_TAG, end)) >= 0 and (end := text.find(_CLOSING_TAG, start)) >= 0:
        yield text[start + len(_OPENING_TAG) : end]


def _json_entries(text: str) -> list[object]:
    """The elements of a JSON list, or the JSON values separated by ``;``; none if the text is anything else."""
    text, place, values = text.strip(), 0, []
    while place < len(text):
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            return []
        separator = _SEPARATOR.match(text, end)
        if separator is None:
            return []
        values.append(value)
        place = separator.end()
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def _json_call(entry: object) -> Call | None:
    """The call in an object with ``name`` and ``arguments``, which may lie under ``function``, or None."""
    function, identifier = member(entry, "function"), member(entry, "id")
    holder = entry if function is None else function
    name, arguments = member(holder, "name"), _arguments(member(holder, "arguments", {}))
    if arguments is None or not isinstance(name, str):
        return None
    return Call(name, arguments, identifier if isinstance(identifier, str) else None)


def _arguments(value: object) -> dict[str, object] | None:
    """An object of arguments, a text of JSON parsed; {} for a text that isn't JSON, None for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else None


def _once(placed: Iterable[PlacedCall]) -> tuple[PlacedCall, ...]:
    """Of equal calls the first only. As JSON, since 1 and true are equal in Python."""
    first: dict[str, PlacedCall] = {}
    for item in placed:
        first.setdefault(json.dumps([item.call.name, item.call.arguments], sort_keys=True), item)
    return tuple(first.values())

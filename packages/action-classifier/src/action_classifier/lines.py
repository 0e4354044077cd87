"""Reading the emissions out of one JSON line, in each of the shapes that people keep them in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Place = dict[str, object]
"""What says where an emission comes from, copied into the answer: case id, turn and step, or nothing."""

MESSAGE_KEYS = frozenset({"content", "refusal", "tool_calls"})
"""Where an OpenAI message keeps what it emits."""


class LineError(ValueError):
    """Input that can't be used; the message is one line that names the file, the line and the field."""


def emissions_of(line: bytes, field: str | None, *, where: str) -> Iterator[tuple[Place, object]]:
    """The emissions in a JSON line, each with its place.

    A line is an emission itself (a string, a list of calls, null), an object that holds one under `field`, or,
    with `field` None, a BFCL result row (``id`` and ``result``), an OpenAI message (``role`` and ``content``,
    ``refusal`` or ``tool_calls``) or an object with the key ``emission``.

    Args:
        line: One line of UTF-8, a byte order mark allowed.
        field: Key of the emission, or None to go by the object's own keys.
        where: File and line number for messages.

    Raises:
        LineError: The line is no JSON, lacks the field, or is an object of no known shape.
    """
    value = _parse(line, where)
    if not isinstance(value, dict):
        yield {}, value
    elif field is not None:
        if field not in value:
            message = f"{where}: {field}: no such field in this object"
            raise LineError(message)
        yield {}, value[field]
    elif "id" in value and "result" in value:
        yield from _bfcl_emissions(value, where)
    elif "role" in value and not MESSAGE_KEYS.isdisjoint(value):
        yield {"role": value["role"]}, _message_emission(value)
    elif "emission" in value:
        yield {}, value["emission"]
    else:
        message = f"{where}: no emission found in this object; name its key with --field"
        raise LineError(message)


def _parse(line: bytes, where: str) -> object:
    try:
        return json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"{where}: not UTF-8 (byte {error.start})"
    except ValueError as error:
        message = f"{where}: not JSON: {error}"
    except RecursionError:
        message = f"{where}: JSON nested too deeply"
    raise LineError(message)


def _bfcl_emissions(row: dict[str, object], where: str) -> Iterator[tuple[Place, object]]:
    """The emissions of a BFCL row in turn and step order; a row whose result is an error text has none."""
    result = row["result"]
    if isinstance(result, str):
        return
    if not isinstance(result, list):
        message = f"{where}: result: expected a list of turns or an error text, got {type(result).__name__}"
        raise LineError(message)
    for turn_index, turn in enumerate(result):
        steps = turn if isinstance(turn, list) else [turn]
        for step_index, emission in enumerate(steps):
            yield {"id": row["id"], "turn": turn_index, "step": step_index}, emission


def _message_emission(message: dict[str, object]) -> object:
    """What an assistant message emits: its calls, else its text, else its refusal. Other roles emit nothing."""
    if message["role"] != "assistant":
        return None
    if calls := message.get("tool_calls"):
        return calls
    content = message.get("content")
    if isinstance(content, list):
        texts = [_part_text(part) for part in content if isinstance(part, dict)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    refusal = message.get("refusal")
    return refusal if not content and isinstance(refusal, str) else content


def _part_text(part: dict[str, object]) -> object:
    return part.get("refusal" if part.get("type") == "refusal" else "text")

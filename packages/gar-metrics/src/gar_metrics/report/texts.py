"""Values of a log as plain text."""

from __future__ import annotations

import json

TOO_DEEP = "(nested too deeply to be shown)"


def as_json(value: object, indent: int | None = None) -> str:
    """The value as JSON, for people: characters as they are."""
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False)
    except RecursionError:
        return TOO_DEEP


def as_text(content: object) -> str:
    """The text of a message's content: a string, a list of text parts, or any other value as JSON."""
    if isinstance(content, str):
        return content
    parts = [part.get("text") if isinstance(part, dict) else part for part in as_list(content)]
    texts = [part for part in parts if isinstance(part, str)]
    return "\n".join(texts) if texts and len(texts) == len(parts) else as_json(content)


def as_list(value: object) -> list[object]:
    """The list, or an empty one for anything else."""
    return value if isinstance(value, list) else []

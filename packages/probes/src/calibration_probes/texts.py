"""Texts shortened, and texts found in messages that may be dictionaries or objects of somebody's SDK."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

ELLIPSIS = "..."


def cut(text: str, limit: int) -> str:
    """The text in at most `limit` characters, the three dots of a cut included; a limit of 0 or less is none."""
    if limit <= 0 or len(text) <= limit:
        return text
    return (text[: max(0, limit - len(ELLIPSIS))] + ELLIPSIS)[:limit]


def member(thing: object, key: str, default: object = None) -> object:
    """The value under a key of a dictionary, or of an attribute of anything else; the default where there is none."""
    return thing.get(key, default) if isinstance(thing, Mapping) else getattr(thing, key, default)


def turn_text(messages: Iterable[object]) -> str:
    """The text of a user turn: its messages' texts joined by line ends, stripped; a system prompt is part of it."""
    return "\n".join(content_text(member(message, "content")) for message in messages).strip()


def content_text(content: object) -> str:
    """The text in what a reply or a message holds: a string, or a list of strings and of parts with a ``text``."""
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return ""
    parts = (part if isinstance(part, str) else member(part, "text") for part in content)
    return "\n".join(part for part in parts if isinstance(part, str))

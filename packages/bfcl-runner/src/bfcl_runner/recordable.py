"""Values that a model made up, in a form that can be written as JSON."""

from __future__ import annotations

from typing import Any

LEVELS = 50
"""Nesting that is kept; no function of the benchmark takes more than a few levels."""

LONGEST_NUMBER = 4096
"""Bits; Python writes no integers of some 14,000 or more in decimal."""


def recordable(value: Any, levels: int = LEVELS) -> Any:
    """The value, with tuples as lists and what JSON doesn't know as text; nesting beyond the levels is left out."""
    if isinstance(value, (list, tuple)):
        return [recordable(item, levels - 1) for item in value] if levels else "..."
    if isinstance(value, dict):
        return {_key(key): recordable(item, levels - 1) for key, item in value.items()} if levels else "..."
    if isinstance(value, int) and value.bit_length() > LONGEST_NUMBER:
        return hex(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _key(key: Any) -> Any:
    name = recordable(key)
    return str(name) if isinstance(name, list) else name

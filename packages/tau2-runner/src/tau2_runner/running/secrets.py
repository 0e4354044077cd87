"""Keys taken out of model arguments before tau2 sees them, and put back into each request."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

HIDDEN = "***"

_SECRET_NAME = re.compile(
    r"api[-_]?key|secret|password|credential|authorization|cookie|private[-_]?key|access[-_]?key|(?:token|key)$",
    re.IGNORECASE,
)
"""Names of fields that hold keys. ``max_tokens`` and the like end in a plural."""

_HEADERS = re.compile(r"headers$", re.IGNORECASE)
"""Every value below such a name counts as secret: providers name their key headers as they like."""

_SECRET_VALUE = re.compile(r"\s*(?:sk-|bearer\s|hf_|gsk_|AIza)|.*://(?:[^/@\s]*@|\S*\?)", re.IGNORECASE)
"""Values that are keys whatever they are called, and addresses with a user, a password or a query."""

KEY_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""Endings of the variables whose values are keys, under whatever name they come."""

SHORTEST_KEY = 6
"""Shorter values are placeholders, and part of ordinary words."""


@dataclass(slots=True)
class Vault:
    """Secret values by the placeholder that stands for each.

    A placeholder names its place, so that the agent's key and the user's aren't taken for each other.
    """

    _values: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._values)

    def hide(self, arguments: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The arguments with a placeholder for each secret.

        Args:
            arguments: Model arguments, as decoded from JSON.
            place: Where they come from, such as ``agent_llm_args``.
        """
        return {name: self._hidden(value, f"{place}.{name}", name) for name, value in arguments.items()}

    def reveal(self, value: Any) -> Any:
        """The value with every placeholder in it replaced by its secret."""
        if isinstance(value, str):
            return self._values.get(value, value)
        if isinstance(value, dict):
            return {name: self.reveal(part) for name, part in value.items()}
        return [self.reveal(part) for part in value] if isinstance(value, list) else value

    def censor(self, text: str) -> str:
        """The text with every secret in it hidden, also those of the environment: servers repeat keys in errors."""
        known = [*self._values.values(), *environment_keys()]
        for secret in sorted(filter(_is_long, known), key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        return text

    def _hidden(self, value: Any, place: str, name: str, *, below_headers: bool = False) -> Any:
        secret = below_headers or bool(_HEADERS.search(name))
        if isinstance(value, dict):
            return {key: self._hidden(part, f"{place}.{key}", key, below_headers=secret) for key, part in value.items()}
        if isinstance(value, list):
            return [self._hidden(part, f"{place}.{i}", name, below_headers=secret) for i, part in enumerate(value)]
        if not isinstance(value, str) or not value or is_placeholder(value):
            return value
        if secret or _SECRET_NAME.search(name) or _SECRET_VALUE.match(value) or value in environment_keys():
            placeholder = f"{HIDDEN} ({place})"
            self._values[placeholder] = value
            return placeholder
        return value


def is_placeholder(value: object) -> bool:
    """Whether a value stands for a secret."""
    return isinstance(value, str) and value.startswith(f"{HIDDEN} (")


def environment_keys() -> list[str]:
    """The keys that variables hold: litellm takes them from there."""
    return [value for name, value in os.environ.items() if name.endswith(KEY_ENDINGS) and _is_long(value)]


def _is_long(value: str) -> bool:
    return len(value) >= SHORTEST_KEY

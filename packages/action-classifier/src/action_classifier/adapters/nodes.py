"""A value inside a JSON document together with its place there, which every complaint names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
_SHOWN_CHARS = 60


class AdapterError(ValueError):
    """A document that isn't of the format it was given for; the message is one line that names the place in it."""


class Node:
    """A value with its path from the document's root, ``messages[3].tool_calls[0].function``.

    What a document leaves out and what it sets to null are the same here: a node that holds None.
    """

    __slots__ = ("path", "value")  # a plain class: importing dataclasses takes longer than all modules here

    def __init__(self, value: object, path: str) -> None:
        self.value = value
        self.path = path

    def __getitem__(self, key: str) -> Node:
        """The node under a key. Raises AdapterError where this one is no object."""
        if not isinstance(self.value, dict):
            self.reject("an object")
        return Node(self.value.get(key), f"{self.path}.{key}" if self.path else key)

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def first_of(self, *keys: str) -> Node:
        """The node under the first of several spellings of a key that holds anything, else under the last."""
        return next((self[key] for key in keys if self[key].value is not None), self[keys[-1]])

    def elements(self) -> Iterator[Node]:
        """The nodes of a list. Raises AdapterError for anything else."""
        if not isinstance(self.value, (list, tuple)):
            self.reject("a list")
        return (Node(element, f"{self.path}[{index}]") for index, element in enumerate(self.value))

    def optional_elements(self) -> Iterator[Node]:
        """The nodes of a list, none where it is left out. Raises AdapterError for anything else."""
        return iter(()) if self.value is None else self.elements()

    def text(self) -> str:
        """The text here. Raises AdapterError for anything else."""
        if not isinstance(self.value, str):
            self.reject("a text")
        return self.value

    def identifier(self) -> str:
        """The name here, a text or a whole number, as text. Raises AdapterError for anything else."""
        if isinstance(self.value, bool) or not isinstance(self.value, (str, int)):
            self.reject("a text or a number")
        return str(self.value)

    def whole_number(self, default: int) -> int:
        """The whole number here, the default where it is left out. Raises AdapterError for anything else."""
        if self.value is None:
            return default
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.reject("a whole number")
        return self.value

    def reject(self, expected: str) -> NoReturn:
        """Raises AdapterError for a value that isn't what the format has here; texts are shown, escaped and cut."""
        found = "nothing" if self.value is None else _KINDS.get(type(self.value), type(self.value).__name__)
        if isinstance(self.value, str):
            found = repr(self.value[:_SHOWN_CHARS])
        message = f"{self.path or 'document'}: expected {expected}, got {found}"
        raise AdapterError(message)

"""Texts with ``{placeholders}``, the package's own and those of a user's file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibration_probes.errors import ProbeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A text in which ``{name}`` stands for a value; every other brace is itself, so JSON needs no escaping.

    Attributes:
        text: The text.
        path: The file it comes from, if any.
    """

    text: str
    path: Path | None = None

    def check(self, placeholders: Iterable[str]) -> Template:
        """The template itself.

        Raises:
            ProbeError: It has a placeholder that isn't among those given.
        """
        known = tuple(placeholders)
        for found in _PLACEHOLDER.finditer(self.text):
            if found[1] not in known:
                line = self.text.count("\n", 0, found.start()) + 1
                what = f"unknown placeholder; known: {', '.join(f'{{{name}}}' for name in known)}"
                raise ProbeError(what, path=self.path, line=line, field=found[0])
        return self

    def fill(self, values: Mapping[str, str]) -> str:
        """The text with every placeholder replaced; a placeholder that a value contains is left alone."""
        return _PLACEHOLDER.sub(lambda found: values[found[1]], self.text)


def read_template(path: Path) -> Template:
    """The template in a UTF-8 file, without the line end that closes it.

    Raises:
        ProbeError: The file can't be read, or holds nothing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        what = f"can't be read: {error.strerror or error}"
        raise ProbeError(what, path=path) from error
    except UnicodeDecodeError as error:
        what = f"not UTF-8 (byte {error.start})"
        raise ProbeError(what, path=path) from error
    if not text.strip():
        what = "an empty template"
        raise ProbeError(what, path=path)
    return Template(text.removesuffix("\n"), path)

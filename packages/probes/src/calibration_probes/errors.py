"""The one error that a user's files, arguments and variables can cause, and how it reads on one line."""

from __future__ import annotations

from pathlib import Path


class ProbeError(ValueError):
    """Input that can't be used: one line, ``path:line: field: what`` with the parts that exist.

    Args:
        what: What is wrong, in plain words.
        path: The file it is about.
        line: Its line in that file, counted from 1.
        field: The field of that line.
    """

    def __init__(
        self, what: str, *, path: Path | None = None, line: int | None = None, field: str | None = None
    ) -> None:
        place = "" if path is None else shown(path) if line is None else f"{shown(path)}:{line}"
        super().__init__(one_line(": ".join(part for part in (place, field, what) if part)))


def shown(path: Path) -> str:
    """A path as people should read it: relative where it lies below the working directory."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def one_line(text: str) -> str:
    """The text with everything that doesn't print (line ends, control characters, lone surrogates) escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)

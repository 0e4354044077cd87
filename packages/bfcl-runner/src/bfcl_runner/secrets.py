"""Keeping secrets out of files and messages: keys, passwords in addresses, and what stands in command lines."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HIDDEN = "***"

KEY_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""Endings of the variables whose values never appear in anything that is written."""

SHORTEST_KEY = 6
"""Shorter values are placeholders, and part of ordinary words."""

_ADDRESS_SECRETS = re.compile(r"(?<=://)[^/?#\s]*@|\?[^\s#]*")
"""Of an address what may be secret: user and password, and the query."""

_COMMAND_OPTION = "--command"


def without_keys(text: str) -> str:
    """The text with the keys of the environment hidden: servers like to repeat them in errors."""
    # Without the line end that a key may have from a file; the longest first, as one may begin with another.
    keys = {value.strip() for name, value in os.environ.items() if name.endswith(KEY_ENDINGS)}
    for key in sorted(keys, key=len, reverse=True):
        if len(key) >= SHORTEST_KEY:
            text = text.replace(key, HIDDEN)
    return text


def safe_command(line: str) -> str:
    """A command line as it may be recorded: the program, and a digest that tells two lines apart."""
    return f"{program_of(line)} sha256:{hashlib.sha256(line.encode()).hexdigest()[:16]}"


def program_of(line: str) -> str:
    """The name of a command line's program, without its folder; the line's beginning where it can't be split."""
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    return os.path.basename(words[0]) if words else ""  # noqa: PTH119 (a program may be no path)


def safe_arguments(argv: Sequence[str]) -> list[str]:
    """A command line's words as they may be recorded."""
    safe = []
    previous = ""
    for word in argv:
        if previous == _COMMAND_OPTION:
            safe.append(safe_command(word))
        elif word.startswith(f"{_COMMAND_OPTION}="):
            safe.append(f"{_COMMAND_OPTION}={safe_command(word.partition('=')[2])}")
        elif "://" in word:
            safe.append(without_keys(_ADDRESS_SECRETS.sub("", word)))
        else:
            safe.append(without_keys(word))
        previous = word
    return safe

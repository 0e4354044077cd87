"""Keeping secrets out of files and messages: keys, and what an address may hold besides the host."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from gar_metrics import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

HIDDEN = "***"

KEY_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""Endings of the variables whose values never appear in anything that is written."""

SHORTEST_KEY = 6
"""Shorter values are placeholders, and part of ordinary words."""

LONGEST_MESSAGE = 300

_ADDRESS_SECRETS = re.compile(r"(?<=://)[^/?#\s]*@|\?[^\s#]*")
"""Of an address what may be secret: user and password, and the query."""


def without_keys(text: str) -> str:
    """The text with the keys of the environment hidden: servers like to repeat them."""
    # Without the line end that a key may have from a file; the longest first, as one may begin with another.
    keys = {value.strip() for name, value in os.environ.items() if name.endswith(KEY_ENDINGS)}
    for key in sorted(keys, key=len, reverse=True):
        if len(key) >= SHORTEST_KEY:
            text = text.replace(key, HIDDEN)
    return text


def safe_message(error: object) -> str:
    """What an error says, in one line of at most `LONGEST_MESSAGE` characters, without keys."""
    text = " ".join(safe_arguments(str(error).split()))
    return one_line(text)[:LONGEST_MESSAGE] or type(error).__name__


def safe_arguments(argv: Sequence[str]) -> list[str]:
    """A command line's words as they may be recorded: without keys, addresses without what may be secret in them."""
    return [without_keys(_ADDRESS_SECRETS.sub("", word) if "://" in word else word) for word in argv]

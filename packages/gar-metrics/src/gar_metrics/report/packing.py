"""Data made small and inert for the page: each text once, cut where it is very long, all of it as base64."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass, field

TEXT_LIMIT = 4000
"""Characters of one text (an emission, a tool result, ...) that go into the page; how many were cut is said there."""


@dataclass(slots=True)
class Pool:
    """Texts by number, each held once; number 0 is the empty text.

    Attributes:
        texts: The texts, cut at `TEXT_LIMIT` characters.
        cuts: Number of a text -> how many characters it lacks.
    """

    texts: list[str] = field(default_factory=lambda: [""])
    cuts: dict[int, int] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=lambda: {"": 0})

    def number(self, text: str) -> int:
        """The text's number."""
        found = self._numbers.get(text)
        if found is None:
            found = self._numbers[text] = len(self.texts)
            self.texts.append(text[:TEXT_LIMIT])
            if len(text) > TEXT_LIMIT:
                self.cuts[found] = len(text) - TEXT_LIMIT
        return found


def packed(document: object) -> str:
    """The document as JSON, gzip, base64: letters, digits, ``+``, ``/`` and ``=``, which no markup can hide in."""
    text = json.dumps(document, separators=(",", ":"))
    # Level 9 takes half as long again as the default, for a page that is written once and sent around. Without a
    # time in its head, so that the same runs give the same page.
    return base64.b64encode(gzip.compress(text.encode("ascii"), compresslevel=9, mtime=0)).decode("ascii")


def browser_span(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """The span in UTF-16 units, by which browsers count, instead of characters."""
    start, end = (len(text[:place].encode("utf-16-le", "surrogatepass")) // 2 for place in span)
    return start, end

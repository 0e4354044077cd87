"""The first fields of a JSON line, without decoding the rest: result rows end in logs that no metric needs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache

FIRST_PIECE = 1 << 14
"""Bytes that are tried first: more than most results take, fewer than most logs."""

LAST_PIECE = 1 << 11
"""Bytes at the end of a line that are searched for a field that stands there again."""

_SPACE = r"[ \t\r\n]*"
_AFTER = re.compile(rf"{_SPACE}(?:,{_SPACE}\"|(?P<end>\}}){_SPACE}\Z)")
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Leading:
    """The fields that are needed of a line, in the order in which writers put them first.

    Attributes:
        fields: Their names.
        traces: What the end of a line holds if it might name one of them again; `json.loads` takes the last.
    """

    fields: tuple[str, ...]
    traces: tuple[bytes, ...] = ()

    def of(self, line: bytes) -> dict[str, object] | None:
        """The fields of a line's object, or None where only decoding the whole line tells, a line without its end too.

        What comes out is what `json.loads` gives for them, provided that the rest of the line is an object's rest: of
        that only the ``}`` at its end is certain, and that no trace is in its last `LAST_PIECE` bytes.
        """
        if not line.endswith((b"}\n", b"}\r\n")):
            return None
        pieces = (line,) if len(line) <= FIRST_PIECE else (line[:FIRST_PIECE], line)
        for piece in pieces:
            if found := self._in(piece.decode("utf-8", "surrogateescape"), whole=piece is line):
                record, end = found
                # The rest begins at this byte or later. A whole log isn't searched: that takes as long as the metrics.
                begin = max(end, len(line) - LAST_PIECE)
                return None if any(line.find(trace, begin) >= 0 for trace in self.traces) else record
        return None

    def _in(self, text: str, *, whole: bool) -> tuple[dict[str, object], int] | None:
        """The fields and where they end in the text, the beginning of a line or all of it."""
        record: dict[str, object] = {}
        place = 0
        for name, opening in zip(self.fields, _openings(self.fields), strict=True):
            if not (found := opening.match(text, place)):
                return None
            try:
                record[name], place = _decode(text, found.end())
            except (ValueError, RecursionError):
                return None
        after = _AFTER.match(text, place)
        if not after or (after["end"] and not whole):
            return None
        return (record, place) if _is_utf8(text[:place]) else None


@cache
def _openings(fields: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """What stands before the value of each field: the brace or a comma, and the key."""
    return tuple(
        re.compile(rf'{_SPACE}{"," if place else "{"}{_SPACE}"{re.escape(name)}"{_SPACE}:{_SPACE}')
        for place, name in enumerate(fields)
    )


def _is_utf8(text: str) -> bool:
    """Whether a text that was decoded with surrogates for bad bytes holds none."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

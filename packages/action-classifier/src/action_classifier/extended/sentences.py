"""The sentences of a text, with what the rules want to know about each."""

from __future__ import annotations

import re

from action_classifier.extended.masking import plain

WINDOW = 16 * 1024
"""A longer text than two of these is read at both ends only: there the acts are, and 10 MB stay cheap."""

_END = re.compile(
    r"""[.!?。！？؟｡\n—–](?:(?<=[。！？؟｡\n])|(?<=[.!?])(?=[.!?]{0,5}(?:[\s)\]}"']|\Z))(?![)\]}"']{1,3}[.!?,;:])"""
    r"""|(?<=[—–])(?=\ (?:but|however|would|could|can|do|shall|which)\b))"""
)
_ASCII_END = re.compile(r"""[.!?\n](?:(?<=\n)|(?<=[.!?])(?=[.!?]{0,5}(?:[\s)\]}"']|\Z))(?![)\]}"']{1,3}[.!?,;:]))""")
"""The same for ASCII text, five times as fast."""
_ITEM = re.compile(r"[-*•–▪◦·✅✔☑]|\d{1,2}[.)]|\(?[a-z0-9]\)")
_MARKS = ".!?？؟"
_STOPS = frozenset(".!")
_QUESTION_MARKS = frozenset("?？؟")
_SPACED = bytes(code if chr(code).islower() or code == ord("'") else ord(" ") for code in range(256))


def is_item(text: str) -> bool:
    """Whether a sentence that stands at the start of a line opens an entry of a list."""
    return _ITEM.match(text) is not None


def spaced(text: str) -> str:
    """A lower-case text with a space for all that is no ASCII letter or apostrophe, character for character."""
    # All in C: finding words by a regular expression takes three times as long.
    return text.encode("ascii", "replace").translate(_SPACED).decode("ascii")


def windows(text: str) -> list[tuple[int, str]]:
    """The masked text with the offset 0, or the two ends of a long one with theirs."""
    if len(text) <= 2 * WINDOW:
        return [(0, plain(text))]
    tail = len(text) - WINDOW
    return [(0, plain(text[:WINDOW])), (tail, plain(text[tail:]))]


Sentence = tuple[str, int, int, bool, bool]
"""Its characters without white space around them, where to look for them, where the mark is that ends it (or the end of
the text), whether that is a question mark, and whether the sentence stands at the start of a line."""


def split(text: str) -> list[Sentence]:
    """The sentences of a masked text in order; each line is one at least."""
    ends = _ASCII_END if text.isascii() else _END
    found: list[Sentence] = []
    start = 0
    opens_line = True
    for end in (*[match.start() for match in ends.finditer(text)], len(text)):
        sentence = text[start:end].strip()
        mark = text[end : end + 1]
        if sentence:
            if opens_line and mark == "." and sentence.isdecimal():
                continue  # the number of a list entry
            question = False
            if mark != "\n":
                question = mark in _QUESTION_MARKS
                if mark in _STOPS and text[end + 1 : end + 2] in _MARKS:
                    marks = text[end : end + 4]
                    question = "?" in marks[: len(marks) - len(marks.lstrip(_MARKS))]
            found.append((sentence, start, end, question, opens_line))
            opens_line = False
        if mark == "\n":
            opens_line = True
        start = end + 1
    return found

"""The cue tables of ruleset `paper`, and the search that finds a cue in a text with its place."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from action_classifier.actions import Action

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

QUESTION_MARK = "?"

REFUSE_CUES = (
    "cannot",
    "can't",
    "unable to",
    "not able to",
    "no such function",
    "no function",
    "function is not available",
    "no such tool",
    "not available in",
    "is not provided",
    "is not supported",
    "do not have access",
    "don't have access",
    "no available function",
    "no matching function",
    "not authorized",
    "not permitted",
    "not possible",
    "i don't have a tool",
    "i do not have a tool",
    "no tool available",
)

ASK_CUES = (
    "could you",
    "please provide",
    "please specify",
    "please tell",
    "please confirm",
    "i need to know",
    "i need the",
    "what is the",
    "what's the",
    "kindly provide",
    "would you provide",
    "i'll need",
    "could you confirm",
    "could you let me know",
    "could you tell",
    "please clarify",
    "please share",
    "please indicate",
)

CONFIRM_CUES = (
    "task complete",
    "all tasks",
    "all set",
    "all done",
    "fully done",
    "wrapped up",
    "completed successfully",
    "successfully completed",
    "successfully moved",
    "successfully created",
    "successfully deleted",
    "has been successfully",
    "have been successfully",
    "no further actions",
    "no further action",
    "no additional actions",
    "everything is",
    "everything's",
    "i have completed",
    "i've completed",
    "i have finished",
    "i've finished",
    "all the requested",
)

CUES: Mapping[Action, tuple[str, ...]] = MappingProxyType(
    {
        Action.REFUSE: REFUSE_CUES,
        Action.ASK: (QUESTION_MARK, *ASK_CUES),
        Action.CONFIRM: CONFIRM_CUES,
    }
)
"""Cues by class, in the order in which the classes are tried; each is a lower-case substring."""

_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u00b4\u02bc"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f"


class CueHit(NamedTuple):
    """A cue found in a text, with its half-open span of character offsets in that text."""

    cue: str
    span: tuple[int, int]


def fold_quotes(text: str) -> str:
    """The text with typographic quotes as ASCII quotes, character for character (offsets stay valid)."""
    if text.isascii():
        return text
    # One C-speed pass per quote: str.translate looks every character up and takes seconds on 10 MB.
    for quotes, ascii_quote in ((_SINGLE_QUOTES, "'"), (_DOUBLE_QUOTES, '"')):
        for quote in quotes:
            text = text.replace(quote, ascii_quote)
    return text


def first_cue(text: str, cues: Iterable[str]) -> CueHit | None:
    """The first cue of the table (in table order) that occurs in the text, whatever its case, or None."""
    lower = lowered(text)
    for cue in cues:
        if cue in lower:  # faster than find, and most cues are absent
            start = lower.index(cue)
            return CueHit(cue, (start, start + len(cue)))
    return None


def lowered(text: str) -> str:
    """The text in lower case, character for character, so that offsets in it are offsets in the text.

    Only one character grows when lowered: U+0130 becomes an `i` and a combining dot. No cue holds that dot
    or ends in `i`, so putting the dot alone in its place finds the same cues.
    """
    return text.replace("\u0130", "\u0307").lower()


def asks(text: str) -> bool:
    """Whether the raw text is an ask by itself: a `?` or an ASK cue, no other class looked at.

    This bare test works on the text as it is: typographic quotes are not folded, unlike in `classify_text`.
    """
    return first_cue(text, CUES[Action.ASK]) is not None

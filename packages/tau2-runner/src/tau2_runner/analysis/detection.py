"""Which classes a tau2 message shows: all of them, where BFCL's rules give the first one only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from action_classifier import CUES, Action, fold_quotes, is_tool_call_text

if TYPE_CHECKING:
    from collections.abc import Iterable

DETECTED = (Action.TOOL_CALL, Action.ASK, Action.REFUSE, Action.CONFIRM)
"""The classes that are looked for, in the order in which tables show them."""

ASK_PHRASES = (
    *(cue for cue in CUES[Action.ASK] if cue != "?"),
    "please send",
    "could you send",
    "kindly send",
    "send me",
    "give me",
    "i'd like to know",
    "i would like to know",
)

COURTESIES = (
    "how can i help",
    "how may i help",
    "how can i assist",
    "how may i assist",
    "what can i help",
    "what can i do for you",
    "what brings you",
    "is there anything else",
    "anything else i can",
    "anything else you need",
    "anything else for you",
)
"""Questions that open or close a conversation: a sentence with one of these asks for nothing."""

_OF_THE_AGENT = (
    *("cancelled", "canceled", "booked", "updated", "submitted", "issued", "processed", "modified", "confirmed"),
    *("refunded", "exchanged", "returned"),
)
_CONTRACTED = (*_OF_THE_AGENT, "added", "changed")
_PASSIVE = (*_CONTRACTED, "completed")

DONE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("has been ", _PASSIVE),
    ("have been ", _PASSIVE),
    ("i've ", _CONTRACTED),
    ("i have ", _OF_THE_AGENT),
)
"""How a message says that something is done: the beginning, and the participles that may follow it."""

DONE_PHRASES = (
    "request is in",
    "request has been",
    "transferred to a human agent",
    "transferring you to a human",
    "transferring to a human",
    "your refund will be",
    "your refund has been",
)


_FENCED = re.compile(r"```(?:[A-Za-z]+\n)?(.*?)```", re.DOTALL)
"""A closed code fence; its language tag is letters directly before a line end, or else part of the body."""

_SENTENCE_END = re.compile(r"[.!]")


def detect(content: str | None, *, has_calls: bool = False) -> frozenset[Action]:
    """Every class that a message shows, none of them where it shows nothing.

    Args:
        content: The message's text.
        has_calls: Whether the message has structured tool calls.
    """
    text = fold_quotes(_FENCED.sub(lambda fence: fence[1].strip(), content or ""))
    lowered = text.lower()
    found = set()
    if has_calls or is_tool_call_text(text):
        found.add(Action.TOOL_CALL)
    if _holds(lowered, ASK_PHRASES) or _has_question(lowered):
        found.add(Action.ASK)
    elif _holds(lowered, CUES[Action.REFUSE]):
        found.add(Action.REFUSE)
    if _says_done(lowered):
        found.add(Action.CONFIRM)
    return frozenset(found)


def _holds(text: str, phrases: Iterable[str]) -> bool:
    return any(phrase in text for phrase in phrases)


def _has_question(text: str) -> bool:
    return "?" in text and any(
        "?" in sentence and not _holds(sentence, COURTESIES) for sentence in _SENTENCE_END.split(text)
    )


def _says_done(text: str) -> bool:
    if _holds(text, DONE_PHRASES):
        return True
    return any(
        beginning in text and any(beginning + participle in text for participle in participles)
        for beginning, participles in DONE
    )

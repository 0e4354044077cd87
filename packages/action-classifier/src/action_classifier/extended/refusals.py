"""Declining: what can't, won't or mayn't be done, told apart from facts, cautions and errors on the way."""

from __future__ import annotations

import re

from action_classifier.extended.refusal_cues import CANNOT, REFUSAL_CUES
from action_classifier.extended.signs import Kind, Sign

_NOT_ABILITY = re.compile(
    rf"(?:{CANNOT}|won't) (?:wait|be undone|be reversed|be recovered|be reverted|help but|stress|be more|thank)\b"
    r"|not only\b|no problem\b|no worries\b|no longer need(?:ed)?\b|not a problem\b|not sure (?:which"
    r"|what|if|whether)\b"
    r"|sorry (?:again )?(?:that )?(?:i|we) (?:couldn't|could not|can't|cannot|wasn't|was not)\b"
    r"|(?:better|more) (?:outcome|help|assistance)\b"
)
_CAUTION = re.compile(
    r"^(?:(?:please|important|also|one|kindly|just|a|and|but)?,? ?(?:note|keep in mind|be aware|remember|heads[- ]up"
    r"|reminder"
    r"|caution|warning|important|bear in mind|fyi)\b|once |after |until |before |when |as long as |unless )"
    r"|please (?:note|be aware|keep in mind)\b|(?:further|additional) (?:changes|modifications|items)\b"
    r"|after (?:this|that|the|an?) \w+(?: \w+)?,"
)
_HYPOTHETICAL = re.compile(
    r"^(?:or |and |but |so )?(?:if|in case|should) (?:you|the|this|that|it|your|any|there|he|she|they)\b"
)
_ABOUT_USER = re.compile(
    r"(?:you|your \w+|he|she|they|users?|customers?|passengers?|members?|it|vehicle|car) (?:still |also )?"
    r"(?:can(?:'t|not| not)|won't|will not|are not able|aren't able|don't have|do not have|does not have|have no"
    r"|may not)\b"
)
_HENCE = re.compile(r"\b(?:so|therefore|thus|hence|means)\b.{0,12}\b(?:it|they)\b")
_UNTIL = re.compile(r"(?:without|until|unless|yet|because (?:you|the \w+ (?:is|was) (?:not|missing)))\b")
_PAST = ("i couldn't", "i could not", "i was unable", "we were unable", "i wasn't able", "i was not able")


def refusal_sign(text: str, cues: int) -> Sign | None:
    """What a sentence declines or reports as failed, or None."""
    for one, match in REFUSAL_CUES.found(text, cues):
        if _NOT_ABILITY.search(text):
            return None
        return Sign(_weight(text, match, one.rule, one.kind), one.rule, match.span())
    return None


def _weight(text: str, match: re.Match[str], rule: str, kind: Kind) -> Kind:
    """What a phrase weighs in its sentence: a condition and a fact about the user decline nothing."""
    if kind in (Kind.FAILURE, Kind.ABSENCE, Kind.CAUTION) or rule == "regret":
        return kind
    if _HYPOTHETICAL.match(text) or _CAUTION.search(text):
        return Kind.CAUTION
    if kind is Kind.REFUSAL and _UNTIL.search(text, match.end()):
        return Kind.OBSTACLE
    if (
        rule != "inability"
        and not _HENCE.search(text)
        and (about := _ABOUT_USER.search(text))
        and about.start() <= match.start() + 2
    ):
        return Kind.CAUTION
    return Kind.FAILURE if text.startswith(_PAST) else kind

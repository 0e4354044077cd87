"""The main act of a text: what its sentences do, weighed against each other."""

from __future__ import annotations

import re
from typing import NamedTuple

from action_classifier.actions import Action
from action_classifier.extended.completions import COMPLETION_CUES, completion_sign
from action_classifier.extended.languages import foreign_sign, language_of
from action_classifier.extended.refusal_cues import REFUSAL_CUES
from action_classifier.extended.refusals import refusal_sign
from action_classifier.extended.request_cues import QUESTION_CUES, REQUEST_CUES
from action_classifier.extended.requests import question_sign, request_sign
from action_classifier.extended.sentences import is_item, spaced, split, windows
from action_classifier.extended.signs import CueIndex, Kind, Sign

CLASS_OF_KIND = {
    Kind.DEMAND: Action.ASK,
    Kind.REQUEST: Action.ASK,
    Kind.PROPOSAL: Action.ASK,
    Kind.ADVICE: Action.ASK,
    Kind.DECISION: Action.ASK,
    Kind.DIRECTION: Action.ASK,
    Kind.REFUSAL: Action.REFUSE,
    Kind.OBSTACLE: Action.REFUSE,
    Kind.FAILURE: Action.REFUSE,
    Kind.CAUTION: Action.REFUSE,
    Kind.COMPLETION: Action.CONFIRM,
}
"""The class that a kind of sentence speaks for; the others speak for none."""

_STATEMENTS = CueIndex(REQUEST_CUES, REFUSAL_CUES, COMPLETION_CUES)
_QUESTIONS = CueIndex(QUESTION_CUES)
(_, _ASKING), (_TO_DECLINING, _DECLINING), (_TO_REPORTING, _) = _STATEMENTS.places
_BESIDES_REPORTS = _STATEMENTS.triggers & (1 << _TO_REPORTING) - 1
"""After a report of finished work another one changes nothing, unless something has gone wrong in between."""
_OFFERING = frozenset({Kind.OFFER, Kind.DECISION, Kind.DIRECTION, Kind.PROPOSAL, Kind.COURTESY})
_HINDRANCES = frozenset({Kind.OBSTACLE, Kind.FAILURE, Kind.ABSENCE})
_WAYS_ON = (Kind.DECISION, Kind.REQUEST, Kind.PROPOSAL, Kind.DIRECTION, Kind.ADVICE)
_OUTWEIGHED = frozenset({Kind.FAILURE, Kind.CAUTION})
"""What a report in the same sentence outweighs, one after the failure."""
_WEAK = frozenset({"offer", "optional_request", "offer_question", "asks_to_know", "plan"})
"""Rules of offers, which the report in the same sentence outweighs."""

_PLANNED = re.compile(
    r"\b(?:propos\w+|plan|options?|would|will|if|could|can|way to|to do|next|details|you(?:'d| want| requested)"
    r"|requested)\b"
)
"""In a header: its list tells what is to be done, not what was."""
_ANSWER = re.compile(r"[?？]+[ *_]{1,4}(?:yes|no|nope|absolutely|because|none|not)\b")
_YOU = re.compile(r"\byour?\b")
_COLONS = frozenset(":：")
_LITTLE = 15
"""A text with fewer letters besides an offer says nothing but the offer."""


class Act(NamedTuple):
    """One sentence's act: class, rule and character span in the text."""

    action: Action
    rule: str
    span: tuple[int, int]


class _Signs:
    """The signs of a text so far.

    Attributes:
        first: The first of each kind, with its sentence's place.
        last: The place of the last of each kind.
        triggers: A sentence that shows none of these cues is of no interest.
        looked_for: The cues that are.
        settled: Whether what comes can't change the main act.
    """

    __slots__ = ("_every", "first", "last", "looked_for", "settled", "triggers")

    def __init__(self, *, every: bool) -> None:
        self._every = every
        self.first: dict[Kind, tuple[int, Sign]] = {}
        self.last: dict[Kind, int] = {}
        self.triggers, self.looked_for = _STATEMENTS.triggers, -1
        self.settled = False

    def add(self, sign: Sign, place: int) -> None:
        """Take the sign of the sentence at a place."""
        self.last[sign.kind] = place
        self.first.setdefault(sign.kind, (place, sign))
        if sign.kind is Kind.COMPLETION:
            self.triggers = _BESIDES_REPORTS
        elif sign.kind in _HINDRANCES:
            self.triggers = _STATEMENTS.triggers
        elif sign.kind is Kind.DEMAND:
            self.settled = not self._every
        elif sign.kind is Kind.REFUSAL and not self._every:
            self.looked_for = _ASKING


def acts(emission: str, *, every: bool) -> tuple[Act, ...]:
    """What a text does, the main act first, then each other class once; empty where it signals none.

    Unless every class is asked for, what can't change the main act any more isn't looked at.
    """
    signs = _Signs(every=every)
    said = 0
    for offset, masked in windows(emission):
        letters = spaced(masked)
        language = language_of(masked, letters)
        header: Kind | None = None
        planned = False
        for text, start, end, asked, opens_line in split(masked):
            if language:
                sign = foreign_sign(text, language, question=asked)
            elif asked and not _rhetorical(text, masked, end):
                offered = header in _OFFERING and opens_line
                sign = _question_sign(text, letters[start:end].split(), offered=offered)
            else:
                cues = _STATEMENTS.look_up(letters[start:end].split()) & signs.looked_for
                sign = statement_sign(text, cues) if cues & signs.triggers else None
            if sign and planned and sign.kind is Kind.COMPLETION and opens_line and is_item(text):
                sign = None
            if sign:
                signs.add(sign, offset + masked.index(text, start))
                if signs.settled:
                    return _acts(signs.first, [sign.kind])
            else:
                said += len(text)
            if text[-1] in _COLONS:
                header, planned = sign.kind if sign else None, _PLANNED.search(text) is not None
            elif (header or planned) and not (opens_line and is_item(text)):
                header, planned = None, False
    return _acts(signs.first, _ranked(signs.last, little=said < _LITTLE)) if signs.last else ()


def _rhetorical(text: str, masked: str, end: int) -> bool:
    """Whether a question asks nobody: a cell of a table, a heading, one that its own line answers."""
    if text[0] == "|" or (text[0] == "#" and not _YOU.search(text)):
        return True
    return _ANSWER.match(masked, end) is not None


def _acts(signs: dict[Kind, tuple[int, Sign]], ranked: list[Kind]) -> tuple[Act, ...]:
    """The first act of each class, in the order of the kinds."""
    found: dict[Action, Act] = {}
    for kind in ranked:
        action = CLASS_OF_KIND.get(kind, Action.ASK)
        if action not in found:
            place, sign = signs[kind]
            found[action] = Act(action, sign.rule, (place + sign.span[0], place + sign.span[1]))
    return tuple(found.values())


def _question_sign(text: str, words: list[str], *, offered: bool) -> Sign:
    """What a question does; as an entry of a list under a header that offers, it is offered."""
    sign = question_sign(text, _QUESTIONS.look_up(words))
    return Sign(Kind.OFFER, "offered", sign.span) if offered and is_item(text) else sign


def statement_sign(text: str, cues: int) -> Sign | None:
    """What an English sentence without a question mark does, or None."""
    asking, declining, reporting = cues & _ASKING, cues >> _TO_DECLINING & _DECLINING, cues >> _TO_REPORTING
    reports = reporting & COMPLETION_CUES.triggers
    asked = request_sign(text, asking) if asking else None
    if asked and asked.kind is Kind.DEMAND:
        return asked
    if declining & REFUSAL_CUES.triggers and (declined := refusal_sign(text, declining)):
        done = completion_sign(text, reporting) if reports and declined.kind in _OUTWEIGHED else None
        return done if done and (declined.kind is Kind.CAUTION or done.span[0] > declined.span[0]) else declined
    if asked and asked.rule not in _WEAK:
        return asked
    return (completion_sign(text, reporting) if reports else None) or asked


def _ranked(last: dict[Kind, int], *, little: bool) -> list[Kind]:
    """The kinds that speak for a class, the one of the main act first; empty where the text does none."""
    ranked = [kind for kind in _ORDER if kind in last]
    hindrance = next((kind for kind in ranked if kind in _HINDRANCES), None)
    if hindrance and ranked[0] in _HINDRANCES:
        if requests := [kind for kind in _WAYS_ON if kind in last]:
            ranked = [*requests, *ranked]
        elif last.get(Kind.PLAN, -1) > last[hindrance]:
            ranked = [kind for kind in ranked if kind not in _HINDRANCES]
        elif hindrance is not Kind.OBSTACLE and last.get(Kind.COMPLETION, -1) > last[hindrance]:
            ranked = [Kind.COMPLETION, *ranked]
    elif ranked[:1] == [Kind.REFUSAL] and Kind.DECISION in last:
        ranked = [Kind.DECISION, *ranked]
    elif ranked[:1] == [Kind.CAUTION] and last.get(Kind.PLAN, -1) > last[Kind.CAUTION]:
        ranked = []
    ranked = [kind for kind in ranked if kind is not Kind.ABSENCE]
    if not ranked and little:
        return [kind for kind in (Kind.DECISION, Kind.DIRECTION, Kind.OFFER) if kind in last]
    return ranked


_ORDER = (
    Kind.DEMAND,
    Kind.REFUSAL,
    Kind.OBSTACLE,
    Kind.FAILURE,
    Kind.ABSENCE,
    Kind.COMPLETION,
    Kind.REQUEST,
    Kind.PROPOSAL,
    Kind.CAUTION,
)

"""The main act of a text: what its sentences do, weighed against each other."""

from __future__ import annotations

from typing import NamedTuple

from action_classifier.actions import Action
from action_classifier.extended.completions import COMPLETION_CUES, completion_sign
from action_classifier.extended.languages import foreign_sign, language_of
from action_classifier.extended.refusals import REFUSAL_CUES, refusal_sign
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
_WEAK = frozenset({"offer", "optional_request", "offer_question", "asks_to_know", "plan"})
"""Rules of offers, which the report in the same sentence outweighs."""

_COLONS = frozenset(":：")
_TELLING = 300
"""So many characters tell the language of a text."""

_LITTLE = 15
"""A text with fewer letters besides an offer says nothing but the offer."""


class Act(NamedTuple):
    """One sentence's act: class, rule and character span in the text."""

    action: Action
    rule: str
    span: tuple[int, int]


def acts(emission: str) -> tuple[Act, ...]:
    """What a text does, the main act first, then each other class once; empty where it signals none."""
    first: dict[Kind, tuple[int, Sign]] = {}
    last: dict[Kind, int] = {}
    said = 0
    triggers = _STATEMENTS.triggers
    for offset, masked in windows(emission):
        letters = spaced(masked)
        language = language_of(masked, letters[:_TELLING].split())
        header: Kind | None = None
        for start, end, question, opens_line in split(masked):
            text = masked[start:end].strip()
            if language:
                sign = foreign_sign(text, language, question=question)
            elif question:
                offered = header in _OFFERING and opens_line
                sign = _question_sign(text, letters[start:end].split(), offered=offered)
            else:
                cues = _STATEMENTS.look_up(letters[start:end].split())
                sign = statement_sign(text, cues) if cues & triggers else None
            if sign:
                if sign.kind is Kind.COMPLETION:
                    triggers = _BESIDES_REPORTS
                elif sign.kind in _HINDRANCES:
                    triggers = _STATEMENTS.triggers
                last[sign.kind] = place = offset + masked.index(text, start)
                first.setdefault(sign.kind, (place, sign))
            else:
                said += len(text)
            if text[-1] in _COLONS:
                header = sign.kind if sign else None
            elif header and not (opens_line and is_item(text)):
                header = None
    return _acts(first, _ranked(last, little=said < _LITTLE)) if last else ()


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
        done = completion_sign(text, reporting) if reports and declined.kind is Kind.FAILURE else None
        return done if done and done.span[0] > declined.span[0] else declined
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

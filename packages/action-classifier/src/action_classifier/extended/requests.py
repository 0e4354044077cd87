"""Asking: questions and requests, told apart from offers, greetings and closings."""

from __future__ import annotations

import re

from action_classifier.extended.request_cues import (
    COURTESIES,
    DEMANDS,
    OFFER_CUES,
    OPENINGS,
    QUESTION_CUES,
    REQUEST_CUES,
)
from action_classifier.extended.signs import Kind, Sign

_CHOICE = re.compile(
    r"\([a-c]\) .* or \(|\bor (?:would|do|should|shall|will) (?:you|i|we)\b|\bor (?:another|a different|one of)\b"
    r"|^(?:[a-z,' ]{0,30}\b)?(?:which|who|whom|whose|where|when|how (?:many|much|long|often))\b"
    r"|^what (?!would you like (?:me )?to do|do you want (?:me )?to do|(?:is|'s) next)"
)
_PROPOSING = re.compile(
    r"\b(?:me|us|i|we|like|want)(?: to| should| also| then| now| just){0,3} (?:go ahead|proceed|continue|book|place"
    r"|buy|sell|purchase"
    r"|order|cancel|delete|remove|send|post|submit|process|apply|make|update|change|modify|charge|refund|return"
    r"|exchange"
    r"|move|overwrite|replace|restart|merge|switch|upgrade|downgrade|schedule|reschedule|rename|transfer(?! you)|add"
    r"|file"
    r"|pay|reserve|start|stop|close|open|use|set|enable|disable|install|run|execute|deploy|commit|push|drop|reset"
    r"|unlock"
    r"|lock|turn|do (?:it|this|so)|create|accept|redeem|claim|keep|take)\b|\bhow would you like to\b"
)
_OR_LOOK = re.compile(
    r"\bor (?:to )?(?:look|see|check|search|show|explore|get|find|know|view|learn|anything|something)\b"
)
"""What makes a proposal one extra among others."""
_DECIDING = re.compile(
    r"\b(?:should|shall) (?:i|we) (?!(?:also |just )?(?:show|explain|look|search|check|list|tell|find|see|display"
    r"|provide|give"
    r"|help|assist|summari[sz]e|describe|break|elaborate|share|suggest|recommend|compare|pull|walk|transfer|connect)\b)"
)
_HANDING_OVER = re.compile(
    r"\b(?:human|agent|representative|supervisor|specialist|support team|colleague|instead|another way|alternative)\b"
)
_AGREEING = re.compile(
    r"^ *(?:if|whether) (?:(?:it|that|this)(?:'s| is) (?:ok|okay|fine|alright|correct|right|good)\b"
    r"|you(?:'d| would)? (?:like|want|wish|prefer|are (?:ready|okay|ok|happy))? ?(?:me )?(?:to )?"
    r"(?:proceed|go ahead|continue|move forward|agree|approve|confirm|accept|with)"
    r"|you(?:'d| would) (?:rather|prefer)|you prefer"
    r"|you have (?:the|your|an?(?:other)?|any other)\b.{0,30}\b(?:id|number|code|name|email|address|preference)"
    r"|(?:this|that|these|it|they|everything|either|one|any)(?: of (?:these|those|them|the))?.{0,20}"
    r" (?:is|are|works?|looks?|sounds?|suits?|fits?|correct|right|okay)\b)"
)
_OPEN = re.compile(
    r"^ *(?:which|what(?! else)|whether|how(?! else| i can| we can| can i)|who|when (?:you'd|would|should|the)|where"
    r"|your"
    r"|the\b|a\b|an\b|one\b|these|those|both|exactly|once)"
)
_LOOSE = re.compile(
    r"^ *(?:how|what|which|where|your|the|when)\b.*\b(?:next|proceed|further|else|do|explore|see|know|learn|view"
    r"|details|more about"
    r"|assist|help|need|adjust)\b"
)
_OPTIONAL = re.compile(
    r"if (?:you(?:'d| would)? (?:like|wish|prefer|rather|want|need)|needed|desired|so|interested|you(?:'re"
    r"| are) interested|you (?:believe|think|feel)"
    r"|you change|there(?:'s| is) anything|anything|you have any)\b"
)
_WILLING = re.compile(r"\b(?:proceed|go ahead|continue|confirm|authori[sz]e|approve|complete (?:the|this))\b")
_SPOKEN = re.compile(
    r"\b(?:i|we|it|you|they|that)(?:'ll| will| can| could| may| would)\b|\blet me\b|\b(?:want|able|going|used) to\b"
)
"""What makes the verbs after it no imperatives."""
_ELSEWHERE = re.compile(
    r"\b(?:visit|go to|open|click|call|tap|select|press|navigate|head|log in|website|page|app|link)\b"
)
"""Who is told so is to act somewhere else."""
_COMMA = re.compile(r"[,;(]|\bor\b|\band\b")


def question_sign(text: str, cues: int) -> Sign:
    """What a sentence that ends in a question mark does."""
    for one, match in QUESTION_CUES.found(text, cues):
        if one.kind is not Kind.OFFER:
            return Sign(one.kind, one.rule, match.span())
        if not _CHOICE.search(text):
            return _offer(text, match.span())
    return Sign(Kind.DEMAND, "question", (0, len(text)))


def request_sign(text: str, cues: int) -> Sign | None:
    """What a sentence without a question mark asks of the user, or None."""
    if text.startswith(OPENINGS) and (offer := OFFER_CUES.search(text)) and offer.start() < 4:
        return _offer(text, offer.span())
    optional = None
    for one, match in REQUEST_CUES.found(text, cues):
        if optional and one.rule == "offer":
            continue
        if one.rule == "imperative" and (
            _SPOKEN.search(text, 0, match.start()) or _ELSEWHERE.search(text, 0, match.start())
        ):
            continue
        if one.rule == "let_me_know":
            return _let_me_know(text, match)
        if one.kind is Kind.COURTESY or not _is_optional(text, match):
            return Sign(one.kind, one.rule, match.span())
        optional = optional or Sign(Kind.OFFER, "optional_request", match.span())
    return optional


def _offer(text: str, span: tuple[int, int]) -> Sign:
    proposing = _PROPOSING.search(text, max(0, span[0] - 1)) or _DECIDING.search(text)
    if _HANDING_OVER.search(text, span[1]):
        return Sign(Kind.OFFER, "hand_over", span)
    if proposing and _OR_LOOK.search(text):
        proposing = None
    return Sign(Kind.PROPOSAL, "proposal", span) if proposing else Sign(Kind.DIRECTION, "offer_question", span)


def _let_me_know(text: str, match: re.Match[str]) -> Sign:
    tail = match["tail"]
    span = (match.start(), match.start("tail"))
    if text.endswith(":") and not tail.strip(" :"):
        return Sign(Kind.DEMAND, "asks_to_know", span)
    if _AGREEING.match(tail):
        return Sign(Kind.REQUEST, "asks_agreement", span)
    if _LOOSE.match(tail) and "please" not in text[: match.start()]:
        return Sign(Kind.DECISION, "asks_to_know", span)
    if _OPEN.match(tail) and not any(one.search(tail) for one in COURTESIES):
        return Sign(Kind.OFFER if _is_optional(text, match) else Kind.DEMAND, "asks_to_know", span)
    before = text[: match.start()]
    for one in DEMANDS:
        if (request := one.search(before)) and not _is_optional(before, request):
            return Sign(Kind.DEMAND, one.rule, request.span())
    return Sign(Kind.COURTESY, "closing", span)


def _is_optional(text: str, request: re.Match[str]) -> bool:
    """Whether what a sentence asks hangs on a wish of the user's, other than to go on."""
    if "if " not in text:
        return False
    comma = _COMMA.search(text, request.end())
    wish = _OPTIONAL.search(text, 0, request.end()) or (
        _OPTIONAL.search(text, request.end(), comma.start() if comma else len(text))
    )
    return wish is not None and not _WILLING.search(text, wish.start())

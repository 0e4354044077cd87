"""The answers of ruleset `extended` about one emission, text or structure."""

from __future__ import annotations

import re

from action_classifier.actions import Action
from action_classifier.calls import unfenced
from action_classifier.evidence import Evidence
from action_classifier.extended.deciding import acts
from action_classifier.extended.reasoning import without_reasoning
from action_classifier.extended.structures import Content, content_of, is_error
from action_classifier.extended.wire_formats import find_call
from action_classifier.literals import is_shallow, parse
from action_classifier.stack import with_room

NO_EVIDENCE = Evidence(Action.OTHER, "no_cue")

_BYTE_ORDER_MARK = "\ufeff"
_DECLARATION_KEYS = ('"description"', '"properties"', '"required"')
_DATA_OPENINGS = frozenset("{[`")
_RUN_ON = re.compile(
    r"\n(?:<\|im_start\|>|<\|start_header_id\|>)?(?:[Uu]ser|USER|[Hh]uman|[Cc]ustomer)(?:<\|end_header_id\|>"
    r"|:)?[ \t]{0,9}\n"
)
"""Where a model that ran on past its turn speaks as the user."""

_DECLARATIONS = 3
"""A text with so many keys of tool declarations echoes its prompt; what stands in there is nobody's act."""


def explain(emission: object) -> Evidence | None:
    """The class of an emission and what decided it, or None for an emission that carries nothing.

    The span is one of the emission's text; the whole of it where the cue stands in a JSON string, None for structures.
    """
    found = _findings(emission, every=False)
    return found[0] if found else None


def labels(emission: object) -> tuple[Action, ...]:
    """Every class that an emission signals, its own first; empty for an emission that carries nothing."""
    return tuple(dict.fromkeys(evidence.action for evidence in _findings(emission, every=True)))


def explain_text(text: str | None) -> Evidence:
    """The class of a text and what decided it; a text without any signal, None included, is OTHER."""
    return (explain(text) if text else None) or NO_EVIDENCE


def _findings(emission: object, *, every: bool) -> tuple[Evidence, ...]:
    if isinstance(emission, str):
        return _of_text(emission, every=every)
    if not isinstance(emission, (list, tuple, dict)) or not is_shallow(emission):
        return ()
    content = with_room(content_of, emission)
    if content is None:
        return ()
    if content.calls:
        call = Evidence(Action.TOOL_CALL, "structured_call")
        return (call, *_of_texts(content.texts, every=True)) if every else (call,)
    return tuple(evidence._replace(span=None) for evidence in _of_texts(content.texts, every=every))


def _of_texts(texts: tuple[str, ...], *, every: bool) -> tuple[Evidence, ...]:
    """The findings in the texts of one emission, a call in any of them first."""
    each = [_of_text(text, every=every) for text in texts]
    calls = [found for found in each if found and found[0].action is Action.TOOL_CALL]
    if calls or len(each) <= 1:
        return (calls or each or [()])[0]
    return _of_text("\n".join(texts), every=every)


def _of_text(text: str, *, every: bool) -> tuple[Evidence, ...]:
    if text.startswith(_BYTE_ORDER_MARK):
        text = f" {text[1:]}"
    if not text or text.isspace():
        return ()
    spoken = without_reasoning(text)
    if call := find_call(spoken):
        rule, (start, end) = call
        found = Evidence(Action.TOOL_CALL, rule, spoken[start:end].strip(), (start, end))
        return (found, *_prose(spoken[:start], every=True)) if every else (found,)
    body = unfenced(spoken) if spoken.lstrip()[:1] in _DATA_OPENINGS else ""
    if body.startswith(("{", "[")) and (value := with_room(parse, body)) is not None:
        return _of_data(value, text, every=every)
    if '":' in spoken and sum(map(spoken.count, _DECLARATION_KEYS)) >= _DECLARATIONS:
        return (Evidence(Action.OTHER, "tool_declarations"),)
    if run_on := _RUN_ON.search(spoken):
        spoken = spoken[: run_on.start()]
    return _prose(spoken, every=every) or (NO_EVIDENCE,)


def _of_data(value: object, text: str, *, every: bool) -> tuple[Evidence, ...]:
    """The findings in a text that is JSON or a Python literal."""
    content = with_room(content_of, value) or Content(calls=False, texts=())
    whole = (0, len(text))
    if content.calls:
        return (Evidence(Action.TOOL_CALL, "data_call", None, whole),)
    if is_error(value):
        return ()
    found = _of_texts(content.texts, every=every)
    if not isinstance(value, dict) and not (found and found[0].action is Action.TOOL_CALL):
        return (NO_EVIDENCE,)  # a list of texts that a model wrote out is data
    return tuple(e._replace(span=e.span and whole) for e in found) or (NO_EVIDENCE,)


def _prose(text: str, *, every: bool) -> tuple[Evidence, ...]:
    return tuple(Evidence(action, rule, text[slice(*span)], span) for action, rule, span in acts(text, every=every))

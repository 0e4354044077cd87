"""Ruleset `paper`: the classification of arXiv:2609.00949, reproducible bit for bit."""

from __future__ import annotations

from action_classifier.actions import Action
from action_classifier.calls import find_call_text, normalize
from action_classifier.cues import CUES, QUESTION_MARK, first_cue, fold_quotes
from action_classifier.evidence import Evidence

NO_EVIDENCE = Evidence(Action.OTHER, "no_cue")


def explain_text(text: str | None) -> Evidence:
    """The class of a text and what decided it; a text without any signal, None included, is OTHER."""
    if text is None:
        return NO_EVIDENCE
    if call := find_call_text(text):
        rule, span = call
        return Evidence(Action.TOOL_CALL, rule, text[slice(*span)].strip(), span)
    folded = fold_quotes(text)
    for action, cues in CUES.items():
        if hit := first_cue(folded, cues):
            rule = "question_mark" if hit.cue == QUESTION_MARK else f"{action.value}_cue"
            return Evidence(action, rule, hit.cue, hit.span)
    return NO_EVIDENCE


def explain(emission: object) -> Evidence | None:
    """The class of an emission and what decided it, or None for an emission that carries nothing."""
    normalized = normalize(emission)
    if isinstance(emission, str):
        if not emission.strip():
            return None
        if normalized is emission:
            return explain_text(emission)
        # The text is nothing but calls written as data: the whole of it is the evidence.
        return Evidence(Action.TOOL_CALL, "data_call", None, (0, len(emission)))
    if isinstance(normalized, str):
        return Evidence(Action.TOOL_CALL, "structured_call")
    if _stores_calls(emission):
        return Evidence(Action.TOOL_CALL, "stored_call")
    return None


def labels(emission: object) -> tuple[Action, ...]:
    """Every class that an emission signals, in the order of priority; empty for an emission that carries nothing."""
    evidence = explain(emission)
    if evidence is None:
        return ()
    if not isinstance(emission, str):
        return (evidence.action,)
    folded = fold_quotes(emission)
    signalled = [action for action, cues in CUES.items() if first_cue(folded, cues)]
    return tuple(dict.fromkeys((evidence.action, *signalled)))


def _stores_calls(emission: object) -> bool:
    """Whether a structure is what API handlers store for calls: ``[{name: "<JSON>"}]``, and anything like it."""
    if isinstance(emission, dict):
        return bool(emission)
    return isinstance(emission, list) and all(isinstance(call, dict) for call in emission) and any(emission)

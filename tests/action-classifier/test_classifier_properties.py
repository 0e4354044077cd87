"""Properties that hold for whatever a model writes."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_classifier import (
    CUES,
    PRIORITY,
    Action,
    classify,
    classify_text,
    explain,
    is_tool_call_text,
    normalize,
)

CALL_TEXTS = ("[f(x=1)]", "<tool_call>", "[{'name': 'f'}]", '{"name": "f", "arguments": {}}')
TEXT = st.text(st.characters(), max_size=60)  # lone surrogates included
PROSE = st.text(st.sampled_from("abc XYZ'\".,\n\u2019\u201cé\u0130?[]{}()<>"), max_size=40)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.binary(max_size=5)
# A function called "name" makes its JSON look like call text already, which stays as it is.
FUNCTION_NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name != "name")
HASHABLE = st.none() | st.integers() | TEXT | st.tuples(st.integers())
ANYTHING = st.recursive(
    SCALARS | st.just(...) | st.sets(st.integers(), max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(HASHABLE, inner, max_size=4)
        | st.tuples(inner, inner)
        | st.fixed_dictionaries({"name": TEXT, "arguments": st.dictionaries(TEXT, inner, max_size=2)})
    ),
    max_leaves=12,
)
HOSTILE = (
    '{{"name": 1}}',
    "[" * 10_000,
    "[{" * 10_000,
    "{" * 10_000 + "}" * 10_000,
    '{"f":' * 5_000 + "{}" + "}" * 5_000,
    "[{" + "'a':[" * 5_000,
    "{" + "-" * 60_000 + "1}",
    "{1" + "+1" * 30_000 + "}",
    "{'f': {'x': " + "9" * 60_000 + "}}",
    '{"f": {"x": ' + "9" * 100_000 + "}}",
    "{'f': {'x': 1e999999}}",
    "{'f': {'x': '\ud800'}}",
    "{'f': {'\x00': 1}}",
    "```",
    "```\n```",
    "```\n" + "{" * 50_000,
    "\ufeff[f()]",
)


def _rank(action: Action | None) -> int:
    assert action is not None
    return PRIORITY.index(action)


@pytest.mark.parametrize("action", [Action.REFUSE, Action.ASK, Action.CONFIRM])
@given(data=st.data())
def test_class_never_falls_below_a_cue(action: Action, data: st.DataObject) -> None:
    """Whatever text is built around a cue, the class is that of the cue or of higher priority."""
    cue = data.draw(st.sampled_from(CUES[action]))
    text = data.draw(PROSE) + data.draw(st.sampled_from([cue, cue.upper(), cue.title()])) + data.draw(PROSE)
    assert _rank(classify(text)) <= _rank(action)


@given(call=st.sampled_from(CALL_TEXTS), after=TEXT)
def test_class_of_call_text_never_falls(call: str, after: str) -> None:
    """Text that opens with a call is TOOL_CALL, whatever cues follow it."""
    assert classify(call + after + " I cannot. Could you? All done.") is Action.TOOL_CALL


@given(before=TEXT, after=TEXT)
def test_tag_anywhere_is_a_call(before: str, after: str) -> None:
    """The tag counts wherever it stands."""
    assert classify(f"{before}<tool_call>{after}") is Action.TOOL_CALL


@given(texts=st.lists(st.sampled_from([cue for cues in CUES.values() for cue in cues]) | PROSE, max_size=6))
def test_joined_text_has_the_highest_class_of_its_parts(texts: list[str]) -> None:
    """Joining texts by a neutral mark never lowers the class below that of any part, calls aside."""
    parts = [classify_text(text) for text in texts if not is_tool_call_text(text)]
    joined = classify_text(" | ".join(texts))
    assert all(_rank(joined) <= _rank(part) for part in parts)


@given(ANYTHING | TEXT)
def test_normalising_is_idempotent(emission: object) -> None:
    """The normal form of a normal form is itself."""
    once = normalize(emission)
    twice = normalize(once)
    assert once is twice or once == twice


@given(
    st.lists(
        st.tuples(FUNCTION_NAMES, st.dictionaries(st.text(max_size=5), st.integers(), max_size=3)),
        min_size=1,
        max_size=3,
    )
)
def test_every_way_to_write_calls_has_one_normal_form(calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Structures and texts with the same calls normalise to the same text, and are calls."""
    canonical = json.dumps([{"name": name, "arguments": arguments} for name, arguments in calls], separators=(",", ":"))
    structures: list[object] = [
        [{"name": name, "parameters": arguments} for name, arguments in calls],
        [{"tool_call": name, "arguments": arguments} for name, arguments in calls],
        [{"action": name, "arguments": arguments} for name, arguments in calls],
        [{name: arguments} for name, arguments in calls],
    ]
    texts = [repr(structures[2]), json.dumps(structures[3]), f"```python\n{structures[1]!r}\n```"]
    for form in (*structures, *texts):
        assert canonical == normalize(form)
        assert classify(form) is Action.TOOL_CALL


@given(ANYTHING | TEXT)
def test_no_input_raises(emission: object) -> None:
    """Any type in any nesting has a class or none, and evidence that agrees with it."""
    action = classify(emission)
    evidence = explain(emission)
    assert (evidence.action if evidence else None) is action
    if evidence and evidence.span and isinstance(emission, str):
        start, end = evidence.span
        assert 0 <= start < end <= len(emission)


@pytest.mark.parametrize("emission", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_text(emission: str) -> None:
    """Text made to break parsers has a class, alone and in a fence."""
    assert classify(emission) in PRIORITY
    assert classify(f"```\n{emission}\n```") in PRIORITY


def test_deep_and_circular_structures() -> None:
    """Structures that no serialiser takes are still answered."""
    deep: object = {"f": {}}
    for _ in range(sys.getrecursionlimit() * 2):
        deep = [deep]
    circular: list[object] = []
    circular.append({"f": {"x": circular}})
    assert classify(deep) is None
    assert classify({"f": {"x": deep}}) is Action.TOOL_CALL
    assert classify(circular) is Action.TOOL_CALL
    assert classify({1, 2}) is None
    assert classify(object()) is None

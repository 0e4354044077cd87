"""The rules of ruleset paper one by one, with the evidence they give."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from action_classifier import (
    CUES,
    GOLD_ACTIONS,
    PRIORITY,
    Action,
    Evidence,
    asks,
    category_of,
    classify,
    classify_text,
    explain,
    gold_action,
    is_tool_call_text,
    normalize,
)


@pytest.mark.parametrize(("action", "cue"), [(action, cue) for action, cues in CUES.items() for cue in cues])
def test_every_cue_alone(action: Action, cue: str) -> None:
    """A text that is one cue in capitals, in the middle of other words, has at least the class of its table."""
    evidence = explain(f"zz {cue.upper()} zz")
    assert evidence is not None
    assert PRIORITY.index(evidence.action) <= PRIORITY.index(action)
    assert evidence.cue is not None
    assert evidence.cue in cue


@pytest.mark.parametrize(
    ("emission", "expected"),
    [
        ("[f(x=1)]", Evidence(Action.TOOL_CALL, "bracketed_call", "[f(", (0, 3))),
        (" [ f (x=1)]", Evidence(Action.TOOL_CALL, "bracketed_call", "[ f (", (0, 6))),
        ("so: <Tool_Call>{", Evidence(Action.TOOL_CALL, "tool_call_tag", "<Tool_Call", (4, 14))),
        ('[{"name": 1', Evidence(Action.TOOL_CALL, "json_call_list", '[{"name":', (0, 9))),
        (
            '{"name": "f", "parameters": 1',
            Evidence(Action.TOOL_CALL, "json_call_object", '{"name": "f", "parameters":', (0, 27)),
        ),
        ('{"f": {"a": 1}}', Evidence(Action.TOOL_CALL, "data_call", None, (0, 15))),
        ({"f": {"a": 1}}, Evidence(Action.TOOL_CALL, "structured_call", None, None)),
        ([{"f": "{}"}], Evidence(Action.TOOL_CALL, "stored_call", None, None)),
        ("\u0130\u0130 I can\u2019t", Evidence(Action.REFUSE, "refuse_cue", "can't", (5, 10))),
        ("Ok? Could you", Evidence(Action.ASK, "question_mark", "?", (2, 3))),
        ("COULD YOU", Evidence(Action.ASK, "ask_cue", "could you", (0, 9))),
        ("It is All Done.", Evidence(Action.CONFIRM, "confirm_cue", "all done", (6, 14))),
        ("Hello.", Evidence(Action.OTHER, "no_cue", None, None)),
        ("  \n", None),
        ([], None),
        (7, None),
    ],
)
def test_explain(emission: object, expected: Evidence | None) -> None:
    """The evidence names the rule, the cue and where it stands."""
    assert expected == explain(emission)


def test_only_one_character_grows_when_lowered() -> None:
    """The search relies on it: offsets in the lowered text are offsets in the text, but for U+0130."""
    growing = [chr(code) for code in range(sys.maxunicode + 1) if len(chr(code).lower()) != 1]
    assert growing == ["\u0130"]
    assert not any(cue.endswith("i") or "\u0307" in cue for cues in CUES.values() for cue in cues)


def test_text_without_normalising() -> None:
    """classify_text reads a text as it stands, and gives OTHER where there is none."""
    assert classify_text(None) is Action.OTHER
    assert classify_text("") is Action.OTHER
    assert classify_text('{"f": {"a": 1}}') is Action.OTHER
    assert classify('{"f": {"a": 1}}') is Action.TOOL_CALL


def test_tool_call_text() -> None:
    """The four shapes, and a near miss of each."""
    assert is_tool_call_text("[f(")
    assert not is_tool_call_text("x [f(")
    assert is_tool_call_text("a <tool_call|")
    assert not is_tool_call_text("<tool_calls>")
    assert is_tool_call_text("[ { 'name' :")
    assert not is_tool_call_text("[ { 'name'")
    assert is_tool_call_text("{'name':'f','x':\n1,'arguments':")
    assert not is_tool_call_text("{'name':'a-b','arguments':")


@pytest.mark.parametrize(
    "body",
    [
        "{'f': {1, 2}}",
        "{'f': {'x': b'1'}}",
        "{'f': {'x': ...}}",
        "{'f': {(1, 2): 3}}",
        "{{'name': 1}}",
        '{{"name": 1}}',
        "[{[]: 1}]",
        "{'f': {'x': 1}}, {'g': {}}",
        "{'f': {'x': 1 - 1}}",
        "{'f': {'x': --1}}",
        "{'f': {'x': g(1)}}",
        "{'f': {'x': y}}",
        "{'f': {'x': f'y'}}",
        "{'f': {'x': 'y}}",
        "{'f': {'x': '''y}}",
        "{'f': {'x': [0][0]}}",
        "{'tools': [], 'arguments': {}}",
        "{'tools': [1], 'arguments': {1: {}}}",
        "[{'f': {}}, {'g': 1}]",
    ],
)
def test_text_that_stays_text(body: str) -> None:
    """What is no call for sure goes on as the text it was."""
    assert normalize(body) is body
    assert classify(body) is Action.OTHER


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'it\\'s'", '"it\'s"'),
        ("'a' \"b\"", '"ab"'),
        ("r'\\d'", '"\\\\d"'),
        ("u'é'", '"\\u00e9"'),
        ("'''a\n'b'''", '"a\\n\'b"'),
        ('"""a"b"""', '"a\\"b"'),
        ("'a\\\nb'", '"ab"'),
        ("'' ''", '""'),
        ("+1", "1"),
        ("- 1", "-1"),
        ("-(1)", "-1"),
        ("1_000", "1000"),
        ("0x1F", "31"),
        ("-.5e-3", "-0.0005"),
        ("1.", "1.0"),
        ("(1, [2],)", "[1,[2]]"),
        ("[True, False, None]", "[true,false,null]"),
        ("1 # one\n", "1"),
        ("\\\n1", "1"),
        ("true", "true"),
        ('"\\/"', '"\\\\/"'),
        ('[true, "\\/"]', '[true,"/"]'),
    ],
)
def test_spellings_of_values(literal: str, value: str) -> None:
    """A value may be spelled in every way of Python's and JSON's; what is both is read as Python."""
    assert normalize(f'{{"f": {{"a": {literal}}}}}') == f'[{{"name":"f","arguments":{{"a":{value}}}}}]'


def test_long_bodies_are_read_as_json_only() -> None:
    """Beyond 64 KB a Python literal stays text; JSON of any length is read."""
    filler = "x" * 70_000
    assert normalize(f"{{'f': {{'a': '{filler}'}}}}") == f"{{'f': {{'a': '{filler}'}}}}"
    assert normalize(f'{{"f": {{"a": "{filler}"}}}}') == f'[{{"name":"f","arguments":{{"a":"{filler}"}}}}]'


def test_odd_escapes_neither_warn_nor_change_the_class() -> None:
    """Warnings are errors in this suite: an invalid escape in model text must not depend on that."""
    assert normalize("{'f': {'pattern': '\\d'}}") == '[{"name":"f","arguments":{"pattern":"\\\\d"}}]'


def test_gold_actions() -> None:
    """Each category has its gold class; what is unknown has none."""
    assert dict(GOLD_ACTIONS) == {
        "base": Action.TOOL_CALL,
        "long_context": Action.TOOL_CALL,
        "miss_func": Action.REFUSE,
        "miss_param": Action.ASK,
    }
    assert gold_action("miss_param") is Action.ASK
    assert gold_action("composite") is None
    assert gold_action(None) is None


@pytest.mark.parametrize(
    ("case_id", "expected"),
    [
        ("multi_turn_base_0", "base"),
        ("multi_turn_long_context_199", "long_context"),
        ("multi_turn_miss_func_7", "miss_func"),
        ("multi_turn_composite_7", None),
        ("multi_turn_base_", None),
        ("multi_turn_base_1x", None),
        ("multi_turn_base_\u0661", None),
        ("simple_python_1", None),
    ],
)
def test_category_of(case_id: str, expected: str | None) -> None:
    """A category is read from well-formed ids of the four categories only."""
    assert expected == category_of(case_id)


def test_action_values_and_names() -> None:
    """Members serialise in lower case and print in upper case, in f-strings too."""
    assert Action.TOOL_CALL == "tool_call"
    assert f"{Action.ASK!s} {Action.ASK} {Action.ASK:>4}" == "ASK ASK  ASK"


def test_bare_ask_sees_raw_text() -> None:
    """Typographic quotes are not folded by the bare test, and no other class is looked at."""
    assert not asks("I\u2019ll need it")
    assert asks("I cannot; I'll need it")


@pytest.mark.parametrize("call", [classify, explain, classify_text])
def test_unknown_ruleset(call: object) -> None:
    """An unknown ruleset is an error that lists the known ones."""
    with pytest.raises(ValueError, match="known: paper"):
        call("x", "nope")  # type: ignore[operator]


def test_typographic_quotes_are_the_ten_of_the_specification() -> None:
    """Ten characters fold, each in a cue; other look-alikes don't."""
    for quote in "\u2018\u2019\u201a\u201b\u00b4\u02bc":
        assert classify(f"I can{quote}t") is Action.REFUSE, unicodedata.name(quote)
    assert classify("I can\u2032t") is Action.OTHER
    for quote in "\u201c\u201d\u201e\u201f":
        folded = explain(f"{quote}ok{quote} all set")
        assert folded == Evidence(Action.CONFIRM, "confirm_cue", "all set", (5, 12))

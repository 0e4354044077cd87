"""Which classes a message shows: one text per rule, the real messages, and what a neutral sentence can't take away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau2_runner import detect

if TYPE_CHECKING:
    from pathlib import Path

RULES = [
    # Calls
    ('[cancel(id="A")]', "TOOL_CALL"),
    ('<tool_call>{"name": "cancel"}</tool_call>', "TOOL_CALL"),
    ('{"name": "cancel", "arguments": {}}', "TOOL_CALL"),
    ("{“name”: “cancel”, “arguments”: {}}", "TOOL_CALL"),  # quotes are folded first
    ('```json\n[{"name": "cancel", "arguments": {}}]\n```', "TOOL_CALL"),
    ("```python3\n[cancel()]\n```", ""),  # no language tag: it has a digit
    ("```[cancel()]```", "TOOL_CALL"),
    ("```\n[cancel()]", ""),  # the fence isn't closed
    ("I use [cancel()].", ""),
    # Questions
    ("Please provide your order number.", "ASK"),
    ("Please send the receipt.", "ASK"),
    ("GIVE ME the number.", "ASK"),
    ("I’d like to know your name.", "ASK"),
    ("Which order?", "ASK"),
    ("Which order? Thanks.", "ASK"),
    ("Hello! How can I help you today?", ""),
    ("How may I assist you? Which order is it?", ""),  # one sentence: it is split at full stops and exclamation marks
    ("How may I assist you! Which order is it?", "ASK"),
    ("Done. Is there anything else I can do?", ""),
    ("```\nWhich order?\n```", "ASK"),
    ("Does v1.2 fit?", "ASK"),
    # Refusals
    ("I cannot do that.", "REFUSE"),
    ("I can’t do that.", "REFUSE"),
    ("That is not possible. Is there anything else I can do?", "REFUSE"),
    ("I cannot do that. Which order is it?", "ASK"),
    ("I am unable to help, please provide the number.", "ASK"),
    # Reports
    ("Your order has been cancelled.", "CONFIRM"),
    ("Both orders have been completed.", "CONFIRM"),
    ("I’ve added a bag.", "CONFIRM"),
    ("I have added a bag.", ""),  # not among the participles after `i have`
    ("I have booked it.", "CONFIRM"),
    ("It’s been updated.", ""),
    ("Your request is in.", "CONFIRM"),
    ("You are being transferred to a human agent.", "CONFIRM"),
    ("Your refund will be paid.", "CONFIRM"),
    ("All set.", ""),  # a cue of BFCL's rules, not of these
    # Several at once
    ("I cannot refund it. It has been cancelled.", "CONFIRM REFUSE"),
    ("It has been cancelled. Which card?", "ASK CONFIRM"),
    ("[cancel()] Which card?", "ASK TOOL_CALL"),
    ("", ""),
    ("The flight leaves at noon.", ""),
]


@pytest.mark.parametrize(("content", "classes"), RULES)
def test_rules(content: str, classes: str) -> None:
    """Every rule shows what it should, and no other."""
    assert " ".join(sorted(action.name for action in detect(content))) == classes


def test_structured_calls() -> None:
    """A structured call is a TOOL_CALL whatever the text beside it."""
    assert {action.name for action in detect(None, has_calls=True)} == {"TOOL_CALL"}
    assert {action.name for action in detect("Which card?", has_calls=True)} == {"TOOL_CALL", "ASK"}
    assert detect(None) == frozenset()


NEUTRAL = ["The flight leaves at noon.", "Order 7 is blue!", "It costs 20 dollars.", "Café au lait.", "Thank you."]


@given(st.lists(st.sampled_from([content for content, _ in RULES]), max_size=4), st.lists(st.sampled_from(NEUTRAL)))
def test_a_neutral_sentence_takes_nothing_away(parts: list[str], neutral: list[str]) -> None:
    """What a message shows it still shows when sentences follow that show nothing."""
    assert not any(detect(sentence) for sentence in neutral)
    message = " ".join(parts)
    assert detect(message) <= detect(" ".join([message, *neutral]))


@given(st.text())
def test_any_text(text: str) -> None:
    """No text is too odd; one that asks doesn't refuse by the same message."""
    names = {action.name for action in detect(text)}
    assert not {"ASK", "REFUSE"} <= names


def test_a_long_text_of_open_fences() -> None:
    """A million back-ticks are read like any other text."""
    assert detect("`" * 1_000_001) == frozenset()
    assert {action.name for action in detect("```a\n" * 100_001 + "Which card?")} == {"ASK"}


def test_edge_cases(shared_data: Path) -> None:
    """The edge cases of the specification, exactly."""
    cases = json.loads((shared_data / "parity" / "edge_cases.json").read_text(encoding="utf-8"))["tau2_detection"]
    assert [sorted(detect(case["content"])) for case in cases] == [sorted(case["classes"]) for case in cases]


def test_real_messages(shared_data: Path) -> None:
    """725 messages of real runs, exactly."""
    lines = (shared_data / "parity" / "tau2_messages.jsonl").read_text(encoding="utf-8").splitlines()
    messages = [json.loads(line) for line in lines]
    assert len(messages) == 725
    for message in messages:
        shown = detect(message["content"], has_calls=bool(message["tool_calls"]))
        assert sorted(shown) == sorted(message["classes"]), message

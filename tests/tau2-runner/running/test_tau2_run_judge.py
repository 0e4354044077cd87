"""Replies of an assertion judge, in all the dress that models put on JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau2_runner.running.judge import readable_reply

RESULTS = {"results": [{"expectedOutcome": "It {refuses}", "reasoning": 'It says "no"', "metExpectation": True}]}
PLAIN = json.dumps(RESULTS, indent=2)
WORDS = st.text(alphabet=st.characters(exclude_characters="{}"))


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```",
        f"Here is my verdict:\n\n```json\n{PLAIN}\n```\nLet me know if you need more.",
        f"My verdict: {PLAIN} I hope that helps.",
        f'<think>Perhaps {{"results": []}}? No {{braces}}, {{"a": 1}}.</think>{PLAIN}',
        PLAIN.replace("true\n", "true,\n"),
        f"{PLAIN}\n{{",
    ],
)
def test_dressed_replies(reply: str) -> None:
    """Fences, chat, thoughts and a trailing comma as in tau2's own example don't hide the results."""
    assert json.loads(readable_reply(reply) or "") == RESULTS


@pytest.mark.parametrize(
    "reply", [PLAIN, "[]", "1", "", "I can't judge that.", '{"verdict": [}', '{"results": 1} x', None]
)
def test_other_replies_stay(reply: str | None) -> None:
    """What is JSON already, or holds no results, reaches tau2 unchanged."""
    assert readable_reply(reply) == reply


@given(WORDS, WORDS)
def test_words_around_it_never_matter(before: str, after: str) -> None:
    """Any text without braces may stand around the results."""
    assert json.loads(readable_reply(f"{before}{PLAIN}{after}") or "") == RESULTS

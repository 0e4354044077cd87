"""What holds for every adapter, whatever a document holds."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_classifier import RULESETS, adapters, classify

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTION = {"name": "mv", "arguments": '{"a": 1}'}
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Move it."}]},
    {"role": "assistant", "content": None, "refusal": None, "tool_calls": [{"type": "function", "function": FUNCTION}]},
    {"role": "tool", "content": "ok"},
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
]
SPAN = {
    "traceId": "t",
    "startTimeUnixNano": "1",
    "status": {"code": 1},
    "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {
            "key": "gen_ai.output.messages",
            "value": {"stringValue": '[{"role": "assistant", "parts": [{"type": "text", "content": "Which?"}]}]'},
        },
    ],
    "events": [{"name": "gen_ai.choice", "attributes": [{"key": "message", "value": {"stringValue": "{}"}}]}],
}
SDK_SPAN = {
    "context": {"trace_id": "0x2"},
    "start_time": "2026-01-31T12:00:00Z",
    "status": {"status_code": "UNSET"},
    "attributes": {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": "c",
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "Move it."}]}],
        "gen_ai.output.messages": [
            {"role": "assistant", "parts": [{"type": "tool_call", "name": "mv", "arguments": {"a": 1}}]}
        ],
    },
    "events": [{"name": "gen_ai.content.prompt", "attributes": {"gen_ai.prompt": "Move it."}}],
}
VALID: dict[str, Any] = {
    "openai-chat": {"messages": [*CHAT, {"choices": [{"message": CHAT[2]}]}]},
    "openai-responses": [
        {"role": "user", "content": "Move it."},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", **FUNCTION},
        {"type": "function_call_output", "output": "ok"},
        {"output": [{"type": "web_search_call", "action": {}}, {"type": "message", "content": CHAT[4]["content"]}]},
    ],
    "anthropic": [
        {"role": "user", "content": "Move it."},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "mv", "input": {"a": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]},
        {"role": "assistant", "content": [{"type": "thinking"}, {"type": "text", "text": "Done."}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "Move it."}]},
        {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"functionCall": {"name": "mv", "args": {}}}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"executable_code": {"code": "1"}}]}}]},
    ],
    "inspect": {
        "samples": [
            {
                "id": 1,
                "epoch": 2,
                "attachments": {},
                "messages": [
                    {"role": "user", "content": "Move it."},
                    {"role": "assistant", "content": "", "tool_calls": [{"function": "mv", "arguments": {"a": 1}}]},
                ],
            }
        ]
    },
    "tau2": {
        "simulations": [{"task_id": "1", "trial": 1, "messages": [CHAT[1], {**CHAT[2], "tool_calls": [FUNCTION]}]}]
    },
    "tau-bench": [
        {
            "task_id": 1,
            "trial": 1,
            "traj": [*CHAT, {"role": "assistant", "content": 'Action: {"name": "mv", "arguments": {"a": 1}}'}],
        }
    ],
    "langchain": [
        {"type": "human", "data": {"type": "human", "content": "Move it."}},
        {"kwargs": {"type": "ai", "content": [], "tool_calls": [{"name": "mv", "args": {}}], "additional_kwargs": {}}},
    ],
    "opentelemetry": [{"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]}, SDK_SPAN],
}
"""A document of each format, of which a property breaks one place."""

# Words of the formats, so that a broken place may get past the first look.
WORDS = st.sampled_from(["role", "user", "assistant", "content", "type", "text", "name", "arguments", "key", "value"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: the container and the key or index in it."""
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            yield from _places(inner)


def _read(name: str, document: Any) -> list[adapters.Emitted] | str:
    """The emissions of a document, or why it is refused."""
    try:
        return [*adapters.ADAPTERS[name](document)]
    except adapters.AdapterError as fault:
        return str(fault)


@pytest.mark.parametrize("name", VALID)
def test_whole_documents(name: str) -> None:
    """The documents that the next property breaks are whole, and calls in them are calls under every ruleset."""
    emitted = _read(name, VALID[name])
    assert isinstance(emitted, list)
    assert emitted
    for each in emitted:
        if isinstance(each.emission, list):
            assert [classify(each.emission, ruleset) for ruleset in RULESETS] == ["tool_call"] * len(RULESETS)
    assert VALID.keys() == adapters.ADAPTERS.keys()


@pytest.mark.parametrize("name", VALID)
@given(data=st.data())
def test_broken_documents(name: str, data: st.DataObject) -> None:
    """With anything in one of its places, a document gives emissions, each at a place of its own, or is refused."""
    document = copy.deepcopy(VALID[name])
    places = [*_places(document)]
    container, key = places[data.draw(st.integers(0, len(places) - 1))]
    container[key] = data.draw(JSON)
    _check(_read(name, document))


@pytest.mark.parametrize("name", VALID)
@given(document=JSON)
def test_other_documents(name: str, document: Any) -> None:
    """So with any JSON whatever."""
    _check(_read(name, document))


def _check(emitted: list[adapters.Emitted] | str) -> None:
    if isinstance(emitted, str):
        assert emitted.isprintable()
        return
    assert len({each[:3] for each in emitted}) == len(emitted)
    for each in emitted:
        calls = each.emission if isinstance(each.emission, list) else []
        assert all(isinstance(call["name"], str) and isinstance(call["arguments"], dict) for call in calls)

"""SRI-lite on plain messages: what it decides, what it says, and what a retry shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration_probes import NO_CALL_NOTICE, SRI_RULE, Proceed, Retry
from tau2_runner.running.sri_agent import merged, tool_results, without_orphans
from tau2_runner.running.sri_lite import NO_RESULTS, RECONCILE, SRILite, ToolResult, window


@dataclass(frozen=True)
class Call:
    """A call of a message."""

    id: str
    name: str


@dataclass(frozen=True)
class Message:
    """As much of tau2's messages as SRI-lite looks at."""

    role: str
    content: str | None = None
    id: str = ""
    tool_calls: tuple[Call, ...] | None = None
    cost: float | None = None
    usage: dict[str, int] | None = None

    def model_copy(self, update: dict[str, Any]) -> Message:
        """As pydantic's."""
        return replace(self, **update)


def _instruction(probe: SRILite, results: list[ToolResult]) -> str:
    decision = probe.on_halt(results)
    assert isinstance(decision, Retry)
    assert decision.drop_reply
    return decision.instruction


def test_instruction_with_results() -> None:
    """Header, the latest three results, oldest first and cut, then the rule that SRI has."""
    results = [ToolResult("old", "gone"), *[ToolResult(f"tool_{n}", f"{n}" * 2000) for n in range(3)]]
    sections = _instruction(SRILite(), results).split("\n\n")
    assert sections[0] == RECONCILE
    assert RECONCILE.startswith(NO_CALL_NOTICE)
    shown = [f"{n + 1}. tool_{n}: {f'{n}' * 1197}..." for n in range(3)]
    assert sections[1].splitlines() == ["Recent tool results, oldest first:", *shown]
    assert "\n\n".join(sections[2:]) == SRI_RULE


def test_instruction_without_results() -> None:
    """It says that there are none."""
    assert _instruction(SRILite(), []) == f"{RECONCILE}\n\n{NO_RESULTS}\n\n{SRI_RULE}"
    assert _instruction(SRILite(tools=0), [ToolResult("f", "x")]) == f"{RECONCILE}\n\n{NO_RESULTS}\n\n{SRI_RULE}"


def test_variants() -> None:
    """Without state the section is left out; the baseline lets the reply through."""
    assert _instruction(SRILite("ablation_no_state"), [ToolResult("f", "x")]) == f"{RECONCILE}\n\n{SRI_RULE}"
    assert SRILite("baseline").on_halt([ToolResult("f", "x")]) == Proceed()


def test_tool_results_are_named() -> None:
    """A result has the name of the call that it answers."""
    messages = [
        Message("user", "hi"),
        Message("assistant", tool_calls=(Call("1", "look"), Call("2", "find"))),
        Message("tool", "b", id="2"),
        Message("tool", None, id="1"),
        Message("tool", "c", id="9"),
    ]
    assert tool_results(messages) == [ToolResult("find", "b"), ToolResult("look", ""), ToolResult("", "c")]


@given(st.lists(st.integers(), unique=True), st.integers(min_value=1, max_value=20))
def test_window(messages: list[int], latest: int) -> None:
    """The first message and the latest ones, none twice, in their order."""
    shown = window(messages, latest)
    assert shown == [m for i, m in enumerate(messages) if i == 0 or i >= len(messages) - latest]
    assert len(shown) <= latest + 1


def test_no_result_without_its_call() -> None:
    """A result whose call fell out of the window goes as well; servers refuse it otherwise."""
    call = Message("assistant", tool_calls=(Call("2", "f"),))
    kept = [Message("assistant", "Hi!"), call, Message("tool", "y", id="2"), Message("user", "go on")]
    assert without_orphans([kept[0], Message("tool", "x", id="1"), *kept[1:]]) == kept


@pytest.mark.parametrize(
    ("dropped", "again", "together"),
    [
        ((0.25, {"prompt_tokens": 1}), (0.5, {"prompt_tokens": 2}), (0.75, {"prompt_tokens": 3})),
        ((None, None), (0.5, {"prompt_tokens": 2}), (0.5, {"prompt_tokens": 2})),
        ((0.25, {"prompt_tokens": 1}), (None, None), (0.25, {"prompt_tokens": 1})),
        ((None, None), (None, None), (None, None)),
    ],
)
def test_costs_add_up(dropped: tuple[Any, Any], again: tuple[Any, Any], together: tuple[Any, Any]) -> None:
    """The kept reply carries what both cost; what isn't known of either stays unknown."""
    reply = merged(Message("assistant", "x", "", None, *dropped), Message("assistant", "y", "", None, *again))
    assert (reply.content, reply.cost, reply.usage) == ("y", *together)

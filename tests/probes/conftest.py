"""The reference data of the probes, and a host that plays scripts to them as a runner would."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from calibration_probes import Abstain, Case, Conversation, Decision, ProbeStack, Proceed, Reply, build_stack, configure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    # A halt is its text; a step with calls their execution strings and results.
    ScriptedStep = str | tuple[list[str], list[str]]
    Script = Sequence[tuple[str, Sequence[ScriptedStep]]]

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "mv",
        "parameters": {"properties": {"source": {}, "destination": {}}, "required": ["source", "destination"]},
    },
    {"name": "ls", "parameters": {}},
)


@pytest.fixture(scope="session")
def golden(shared_data: Path) -> Path:
    """The scripted conversations with the decision expected at every seam."""
    return shared_data / "parity/probe_decisions.jsonl"


@pytest.fixture(scope="session")
def edge_cases(shared_data: Path) -> dict[str, list[dict[str, Any]]]:
    """Hand-picked corners, by topic."""
    cases: dict[str, list[dict[str, Any]]] = json.loads((shared_data / "parity/edge_cases.json").read_bytes())
    return cases


def _play(
    stack: ProbeStack,
    script: Script,
    case: str = "multi_turn_base_1",
    gold_turn: int | None = None,
    functions: Sequence[Mapping[str, object]] = TOOLS,
) -> list[list[Decision]]:
    conversation = stack.start_case(Case(case, functions, gold_turn))
    turns = []
    for user_text, steps in script:
        conversation.start_turn([{"role": "user", "content": user_text}], functions)
        decisions: list[Decision] = []
        for step in steps:
            decision = _answer(conversation, step)
            decisions.append(decision)
            if isinstance(decision, Abstain) or (isinstance(step, str) and isinstance(decision, Proceed)):
                break
        turns.append(decisions)
    conversation.end_case()
    return turns


def _answer(conversation: Conversation, step: ScriptedStep) -> Decision:
    if isinstance(step, str):
        return conversation.on_halt(Reply(step, decode_error=bool(step)))
    calls, results = step
    decision = conversation.on_call(Reply("", tuple(calls)))
    if isinstance(decision, Proceed):
        conversation.on_results(results)
    return decision


@pytest.fixture(scope="session")
def play() -> Callable[..., list[list[Decision]]]:
    """``play(stack, [(user text, [step, ...]), ...], case, gold_turn, functions)``: the decisions by turn.

    A step is the text of a halt, or ``([execution string, ...], [result, ...])``. A turn ends as a runner would end it.
    """
    return _play


@pytest.fixture(scope="session")
def make_stack() -> Callable[..., ProbeStack]:
    """``make_stack("sri", "cri:bypass", mode=..., emit=...)``: the stack that these flags ask for."""

    def make(
        *probes: str, mode: str | None = None, emit: Callable[[Mapping[str, object]], None] | None = None
    ) -> ProbeStack:
        return build_stack(configure({}, probes=probes, mode=mode), emit)

    return make

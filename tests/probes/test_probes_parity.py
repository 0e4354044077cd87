"""The probes decide as the original implementation does, on every reference conversation and corner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from action_classifier import asks
from calibration_probes import Call, Reply, State, antecedents, detect, is_error, read_calls, replay

if TYPE_CHECKING:
    from pathlib import Path

MAX_STATE_CHARS = 2400


def test_reference_conversations(golden: Path) -> None:
    """All 1,818 decisions of the 240 conversations are as expected."""
    decisions = list(replay(golden))
    assert [line for decision in decisions for line in decision.differences()] == []
    assert len(decisions) == 1818


def test_edge_case_calls(edge_cases: dict[str, list[dict[str, Any]]]) -> None:
    """The calls of a reply, in every wire form and with every flaw."""
    for row in edge_cases["parsed_calls"]:
        response = row["response"]
        reply = Reply(
            response["model_responses"],
            decoded=tuple(response.get("model_responses_decoded", ())),
            message=response.get("model_responses_message_for_chat_history"),
        )
        assert row["calls"] == [placed.call.as_dict() for placed in read_calls(reply)], response


def test_edge_case_errors(edge_cases: dict[str, list[dict[str, Any]]]) -> None:
    """Which results report an error."""
    assert [row for row in edge_cases["is_error"] if row["error"] is not is_error(row["result"])] == []


def test_edge_case_detections(edge_cases: dict[str, list[dict[str, Any]]]) -> None:
    """What the detectors say, and the state that they say it of."""
    for row in edge_cases["detector"]:
        state = State()
        for step in row["steps"]:
            if not is_error(step["result"]):
                state = state.after(Call(**step["call"]))
        assert row["snapshot"] == (state.text(MAX_STATE_CHARS) if state.domains else None)
        known = antecedents(row["user_texts"], state)
        assert row["verdict"] == detect(Call(**row["call"]), row["functions"], known).as_dict(), row["call"]


def test_edge_case_asks(edge_cases: dict[str, list[dict[str, Any]]]) -> None:
    """The test that the gate goes by."""
    assert [row for row in edge_cases["asks"] if row["asks"] is not asks(row["text"])] == []

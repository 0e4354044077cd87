"""A small domain, and runs of it: real files, as tau2 would write them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

TOOLS = """
class Tools(ToolKitBase):
    @is_tool(ToolType.READ)
    def look(self): ...

    @is_tool(ToolType.WRITE)
    def cancel(self): ...
"""

CANCEL = {"name": "cancel", "arguments": {"id": "A"}}
LOOK = {"name": "look", "arguments": {}}

TASKS: Mapping[str, tuple[Sequence[Mapping[str, Any]], str]] = {
    "write": ([LOOK, CANCEL], "You want order A cancelled."),
    "read": ([LOOK], "You ask for the state of order A. If asked, your name is Ada."),
    "refuse": ([], "You want a refund that you don't deserve."),
    "quiet": ([], "Only reveal your name when you have to."),
}
"""By id: reference actions, and what the user is told. A task calls for TOOL_CALL, TOOL_CALL and ASK, REFUSE, REFUSE
and ASK."""


def _task(number: str, basis: Sequence[str] = ("DB",), assertions: Sequence[str] = ()) -> dict[str, Any]:
    """One of `TASKS` as it stands in tasks.json."""
    actions, instructions = TASKS[number]
    criteria = {"actions": list(actions), "reward_basis": list(basis), "nl_assertions": list(assertions)}
    return {"id": number, "user_scenario": {"instructions": instructions}, "evaluation_criteria": criteria}


def _says(text: str | None, *calls: Mapping[str, Any]) -> dict[str, Any]:
    """A message of the agent."""
    return {"role": "assistant", "content": text, "tool_calls": [{"id": "c", **call} for call in calls] or None}


def _simulation(
    number: str,
    reward: float | None = 1.0,
    *messages: Mapping[str, Any],
    trial: int = 0,
    done: bool = True,
    **more: Any,
) -> dict[str, Any]:
    """A simulation of one of `TASKS`, with all of its reference actions done or none of them.

    Without messages the agent says something that shows no class. `more` are further fields of the record.
    """
    checks = [{"action": action, "action_match": done, "action_reward": float(done)} for action in TASKS[number][0]]
    info = {"reward": reward, "reward_basis": ["DB"], "action_checks": checks or None}
    return {
        "id": f"{number}-{trial}",
        "task_id": number,
        "trial": trial,
        "termination_reason": "user_stop",
        "reward_info": None if reward is None else info,
        "messages": list(messages) or [_says("The order is blue.")],
        **more,
    }


@dataclass(frozen=True)
class Shop:
    """The domain ``shop`` below `root`, a folder for runs of it, and what they are made of."""

    root: Path
    runs: Path
    look = LOOK
    cancel = CANCEL
    task = staticmethod(_task)
    says = staticmethod(_says)
    simulation = staticmethod(_simulation)

    def run(
        self, simulations: Sequence[Mapping[str, Any]], /, name: str = "tau2_shop_m_baseline", **changes: Any
    ) -> Path:
        """Writes a run and returns its file; `changes` replace parts of the document."""
        info = {
            "num_trials": 1 + max((s["trial"] for s in simulations), default=0),
            "agent_info": {"implementation": "llm_agent", "llm": "m"},
            "user_info": {"llm": "u"},
            "environment_info": {"domain_name": "shop"},
        }
        document = {
            "info": info,
            "tasks": [_task(number) for number in TASKS],
            "simulations": list(simulations),
            **changes,
        }
        path = self.runs / name / "results.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document), encoding="utf-8")
        return path


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A data folder with one domain of four tasks, in the layout of tau2's checkout."""
    folder = tmp_path / "checkout" / "data" / "tau2" / "domains" / "shop"
    source = tmp_path / "checkout" / "src" / "tau2" / "domains" / "shop" / "tools.py"
    folder.mkdir(parents=True)
    source.parent.mkdir(parents=True)
    (folder / "tasks.json").write_text(json.dumps([_task(number) for number in TASKS]), encoding="utf-8")
    source.write_text(TOOLS, encoding="utf-8")
    return Shop(tmp_path / "checkout", tmp_path / "runs")

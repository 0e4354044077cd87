"""What a tau2 run holds: frozen records, from its tasks down to a single tool call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NO_REWARD = "no reward"
"""The cause of a simulation that was never judged."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A structured tool call; arguments that are no JSON object are kept as they were, under the key ``""``."""

    name: str
    arguments: Mapping[str, object] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Attributes:
        index: Its place in the simulation's list of messages, counted from 0.
        role: ``assistant``, ``user``, ``tool`` or ``system``.
        content: Its text, None without any.
        calls: Its structured tool calls, in order.
        turn: What the file calls ``turn_idx``, None where it says nothing.
    """

    index: int
    role: str
    content: str | None
    calls: tuple[ToolCall, ...]
    turn: int | None


@dataclass(frozen=True, slots=True)
class Action:
    """A reference action of a task; ``requestor`` is ``assistant`` or ``user``."""

    name: str
    arguments: Mapping[str, object] = field(hash=False)
    requestor: str = "assistant"


@dataclass(frozen=True, slots=True)
class ActionCheck:
    """Whether a reference action was carried out; ``action`` is None where the record doesn't say which."""

    action: Action | None
    failed: bool


@dataclass(frozen=True, slots=True)
class Reward:
    """What the grader said.

    Attributes:
        value: The reward; 1 is a pass.
        basis: What it was computed from (``DB``, ``NL_ASSERTION`` ...).
        checks: The reference actions that were checked; None if the record holds none.
        assertions: Number of judged natural-language assertions; None if the record holds no list of them.
    """

    value: float
    basis: tuple[str, ...]
    checks: tuple[ActionCheck, ...] | None
    assertions: int | None

    @property
    def measured(self) -> bool:
        """Whether any reference action was checked."""
        return bool(self.checks)

    @property
    def failed_actions(self) -> int:
        """Number of reference actions that weren't carried out; none recorded counts as none failed."""
        return sum(check.failed for check in self.checks or ())


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a domain.

    Attributes:
        id: Its id.
        scenario: What the user simulator is told, as JSON.
        actions: Its reference actions, of the agent and of the user.
        basis: What its reward is computed from.
        assertions: Number of its natural-language assertions.
        digest: Eight bytes in hexadecimal that differ between two versions of the task's scenario or criteria.
    """

    id: str
    scenario: object = field(repr=False, hash=False)
    actions: tuple[Action, ...]
    basis: tuple[str, ...]
    assertions: int
    digest: str


@dataclass(frozen=True, slots=True)
class Simulation:
    """One conversation about a task.

    Attributes:
        id: Its id.
        task_id: The task's id.
        trial: Which repetition of the task it is, counted from 0.
        termination: Why it ended, None where the file says nothing.
        reward: What the grader said, None if nothing.
        unscored: Why it isn't scored, in a few words; None if it is.
        messages: The conversation; tool results are messages of the role ``tool``.
    """

    id: str
    task_id: str
    trial: int
    termination: str | None
    reward: Reward | None
    unscored: str | None
    messages: tuple[Message, ...] = field(repr=False)

    @property
    def passed(self) -> bool:
        """Whether the reward is 1."""
        return self.reward is not None and self.reward.value == 1


@dataclass(frozen=True, slots=True)
class Tau2Run:
    """A file of simulations, and the setup that it says it comes from.

    Attributes:
        path: The file.
        name: Its folder's name, or its own without the suffix where it isn't called ``results.json``.
        layout: ``tau2`` or ``tau-bench``.
        domain: Such as ``airline``.
        model: The agent's model: as in the folder's name, else as the file says.
        method: ``baseline``, ``sri_lite`` or ``ablation_no_state``; None where the folder's name doesn't say.
        agent: The agent's implementation.
        agent_llm: The agent's model as the file says.
        user_llm: The user simulator's model as the file says.
        trials: How often each task was to be run; None where the file says nothing.
        commit: The commit of tau2 that wrote the file, None where it says nothing.
        tasks: The tasks that the file holds, none of them in old files.
        simulations: The conversations, in the order of the file.
    """

    path: Path
    name: str
    layout: str
    domain: str
    model: str | None
    method: str | None
    agent: str | None
    agent_llm: str | None
    user_llm: str | None
    trials: int | None
    commit: str | None
    tasks: tuple[Task, ...] = field(repr=False)
    simulations: tuple[Simulation, ...] = field(repr=False)

    @property
    def scored(self) -> tuple[Simulation, ...]:
        """The simulations that count."""
        return tuple(simulation for simulation in self.simulations if simulation.unscored is None)

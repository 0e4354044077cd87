"""Write events: every call of a tool that writes to the database, with what came before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from confirm_judge.window import window_before
from gar_metrics import GarError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from pathlib import Path

    from confirm_judge.window import WindowMessage
    from gar_metrics.tau2 import Simulation, Tau2Run

PASSING_REWARD = 0.5


class EventKey(NamedTuple):
    """What tells one write event from all others."""

    model: str
    domain: str
    sim_id: str
    message_index: int
    call_index: int


@dataclass(frozen=True, slots=True)
class WriteEvent:
    """A call of a WRITE tool.

    Attributes:
        model: The agent's model.
        domain: Such as ``airline``.
        sim_id: The id of the simulation.
        message_index: Place of the message that makes the call, counted from 0.
        call_index: Which of this message's calls it is, counted from 0 over all of them, reads included.
        tool: The tool's name.
        arguments: The call's arguments.
        window: The messages before that message, oldest first.
        passed: Whether the simulation's reward is at least 0.5; None if it has none.
    """

    model: str
    domain: str
    sim_id: str
    message_index: int
    call_index: int
    tool: str
    arguments: Mapping[str, object] = field(hash=False)
    window: tuple[WindowMessage, ...]
    passed: bool | None

    @property
    def key(self) -> EventKey:
        """What tells this event from all others."""
        return EventKey(self.model, self.domain, self.sim_id, self.message_index, self.call_index)

    def record(self) -> dict[str, object]:
        """The event as a JSON-ready object, its fields in the order of the attributes."""
        return {
            **self.key._asdict(),
            "tool": self.tool,
            "arguments": dict(self.arguments),
            "window": [message.record() for message in self.window],
            "passed": self.passed,
        }


def write_events(
    run: Tau2Run, tools: Container[str], *, model: str | None = None, domain: str | None = None
) -> Iterator[WriteEvent]:
    """The write events of a run, scored simulations or not, in the order of the file.

    Args:
        run: The run.
        tools: Names of the tools that write.
        model: The agent's name, where it isn't the one that the run knows.
        domain: Likewise of the domain.
    """
    name = model or run.model or run.name
    for simulation in run.simulations:
        for message in simulation.messages:
            calls = enumerate(message.calls) if message.role == "assistant" else ()
            for call_index, call in calls:
                if call.name in tools:
                    yield WriteEvent(
                        model=name,
                        domain=domain or run.domain,
                        sim_id=simulation.id,
                        message_index=message.index,
                        call_index=call_index,
                        tool=call.name,
                        arguments=call.arguments,
                        window=window_before(simulation.messages, message.index),
                        passed=_passed(simulation),
                    )


def distinct(events: Iterable[WriteEvent], path: Path | None = None) -> tuple[WriteEvent, ...]:
    """The events, none of which is there twice.

    Args:
        events: The events.
        path: The file that all of them are from; None where they are from several.

    Raises:
        GarError: Two of them have one key: a simulation id that isn't unique, or two runs under one name.
    """
    found: dict[EventKey, WriteEvent] = {}
    for event in events:
        if found.setdefault(event.key, event) is not event:
            twice = f"simulation {event.sim_id} of {event.model}, {event.domain}, is there twice"
            if path:
                raise GarError(twice, path=path)
            what = f"{twice}: give each run a model name of its own"
            raise GarError(what, field="--run")
    return tuple(found.values())


def _passed(simulation: Simulation) -> bool | None:
    return None if simulation.reward is None else simulation.reward.value >= PASSING_REWARD

"""Probes at work in the loop of a runner: what the runner knows becomes records, what they decide one decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from calibration_probes.calls import read_calls
from calibration_probes.decisions import Proceed
from calibration_probes.records import Mode, Result, Step, Turn
from calibration_probes.results import is_error
from calibration_probes.settings import Settings
from calibration_probes.sri import SRI
from calibration_probes.state import State
from calibration_probes.texts import turn_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from calibration_probes.calls import PlacedCall
    from calibration_probes.decisions import Decision
    from calibration_probes.interface import CaseProbe, Probe
    from calibration_probes.records import Call, Case, Reply
    from calibration_probes.settings import Emit


class ProbeStack:
    """Probes in the order in which they are asked at a seam. Shared by all cases of a run.

    An event log tells the whole conversation: where a probe is on and SRI isn't, SRI writes its events as a passive
    observer.

    Args:
        probes: Any number; none at all is a run without probes.
        emit: Takes the events of the log, or None.
    """

    def __init__(self, probes: Iterable[Probe], emit: Emit | None = None) -> None:
        self.probes = tuple(probes)
        on = [probe for probe in self.probes if probe.mode is not Mode.OFF]
        observed = not on or emit is None or any(isinstance(probe, SRI) for probe in on)
        self._hooked: tuple[Probe, ...] = (
            self.probes if observed else (SRI(Settings(mode=Mode.PASSIVE_LOG, emit=emit)), *self.probes)
        )

    def start_case(self, case: Case) -> Conversation:
        """The probes' part in a new case."""
        return Conversation(
            case, [Part(probe.start_case(case), acts=probe.mode is Mode.ACTIVE) for probe in self._hooked]
        )


class Part(NamedTuple):
    """A probe's part in one case.

    Attributes:
        hooks: What the probe gave for the case.
        acts: Whether its decisions count; those of a passive probe never do, whatever it returns.
    """

    hooks: CaseProbe
    acts: bool


class Conversation:
    """All probes' part in one case, for the loop that runs it. The methods come in the order of the events.

    It keeps what the interface promises every probe: user texts, tools offered, the runtime-observed state.
    Not to be used by two threads at once; different conversations don't know of each other.
    """

    def __init__(self, case: Case, parts: Sequence[Part]) -> None:
        self._case = case
        self._parts = parts
        self._turn = Turn(case, -1, (), tuple(case.functions))
        self._index = 0
        self._calls: tuple[PlacedCall, ...] = ()
        self.state = State()

    def start_turn(self, messages: Iterable[object], functions: Iterable[Mapping[str, object]]) -> None:
        """The user has spoken.

        Args:
            messages: All messages that the turn adds to the history, a system prompt included.
            functions: The tools offered now.
        """
        if not self._parts:
            return
        texts = (*self._turn.user_texts, turn_text(messages))
        self._turn = Turn(self._case, self._turn.index + 1, texts, tuple(functions))
        self._index = 0
        for part in self._parts:
            part.hooks.start_turn(self._turn)

    def on_halt(self, reply: Reply) -> Decision:
        """What to do about a reply without a call, or one that can't be decoded."""
        step = Step(self._turn, self._index, reply, (), self.state)
        decision = _first_to_act((part.hooks.on_halt(step), part.acts) for part in self._parts)
        self._index += 1
        return decision

    def on_call(self, reply: Reply) -> Decision:
        """What to do about a reply with calls, before any of them runs."""
        self._calls = read_calls(reply) if self._parts else ()
        step = Step(self._turn, self._index, reply, tuple(placed.call for placed in self._calls), self.state)
        return _first_to_act((part.hooks.on_call(step), part.acts) for part in self._parts)

    def on_results(self, results: Sequence[object]) -> None:
        """The calls of the last reply have run.

        Args:
            results: Their results in the order of the executed list, those of calls that can't be read included.
        """
        ran = [placed for placed in self._calls if placed.position < len(results)]
        read = [self._observe(placed.call, results[placed.position]) for placed in ran]
        for part in self._parts:
            part.hooks.on_results([placed.call for placed in ran], read)

    def end_case(self) -> None:
        """The case is over, also where an error or the step limit ended it."""
        for part in self._parts:
            part.hooks.end_case()

    def _observe(self, call: Call, value: object) -> Result:
        failed = is_error(value)
        self.state = self.state if failed else self.state.after(call)
        result = Result(value, failed, self.state, self._index)
        self._index += 1
        return result


def _first_to_act(decisions: Iterable[tuple[Decision, bool]]) -> Decision:
    """The first decision of a probe that acts, later ones aren't asked then; else to proceed, with a reason if any."""
    reason = ""
    for decision, acts in decisions:
        if acts and not isinstance(decision, Proceed):
            return decision
        reason = reason or decision.reason
    return Proceed(reason)

"""The interface between the loop of a runner, which calls, and the probes, which answer.

Per case, in this order: `Probe.start_case`; for each turn `start_turn`; for each step of the turn one of `on_halt`
(the reply holds no call, or can't be decoded: the turn is about to end) and `on_call` (it holds calls, of which none
has run yet); after `on_call`, if the calls ran, `on_results`; at last `end_case`.

Cases run at the same time, in threads. A probe is made once and shared by all of them; whatever it must remember of a
case belongs into the object that `start_case` returns, which hears of that case only and never twice at once. A hook
should not raise: what it raises ends the case like an error of the runner's own.

A `Retry` leads to another reply of the same turn and so to another seam. Steps that run nothing aren't counted against
the step limit, so a probe must itself bound how often it asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from calibration_probes.decisions import Proceed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration_probes.decisions import Decision
    from calibration_probes.records import Call, Case, Mode, Result, Step, Turn
    from calibration_probes.settings import Settings


class CaseProbe(Protocol):
    """A probe's part in one case."""

    def start_turn(self, turn: Turn) -> None:
        """The user has spoken."""

    def on_halt(self, step: Step) -> Decision:
        """The reply holds no call that could run."""

    def on_call(self, step: Step) -> Decision:
        """The reply holds calls (`Step.calls`), and none of them has run."""

    def on_results(self, calls: Sequence[Call], results: Sequence[Result]) -> None:
        """The calls ran; calls and results belong together one by one."""

    def end_case(self) -> None:
        """The case is over, also where an error or the step limit ended it."""


class Probe(Protocol):
    """A probe in one configuration."""

    @property
    def name(self) -> str:
        """The name it is found by."""

    @property
    def variant(self) -> str:
        """Which of its variants it is."""

    @property
    def mode(self) -> Mode:
        """Whether it acts."""

    def start_case(self, case: Case) -> CaseProbe:
        """A new part in a new case."""


class ProbeFactory(Protocol):
    """What an entry point of the group ``calibration_probes`` leads to: a class of probes, say."""

    @property
    def variants(self) -> Mapping[str, str]:
        """What each variant does, in one line; the first is the default."""

    def __call__(self, settings: Settings) -> Probe:
        """The probe in this configuration.

        Raises:
            ProbeError: The settings can't be used.
        """


class Bystander:
    """A part in a case that lets everything pass: a base for probes that need some of the hooks only."""

    def start_turn(self, turn: Turn) -> None:
        """Nothing."""

    def on_halt(self, step: Step) -> Decision:  # noqa: ARG002 (an answer for those who don't look)
        """The loop goes on."""
        return Proceed()

    def on_call(self, step: Step) -> Decision:  # noqa: ARG002
        """The loop goes on."""
        return Proceed()

    def on_results(self, calls: Sequence[Call], results: Sequence[Result]) -> None:
        """Nothing."""

    def end_case(self) -> None:
        """Nothing."""

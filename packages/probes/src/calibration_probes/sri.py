"""SRI, the state-reconciliation intervention: at the first halt of a turn the model is asked to look again."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from action_classifier import asks
from calibration_probes.decisions import Proceed, Retry
from calibration_probes.events import event, short_call, state_excerpt, step_excerpts, user_excerpt
from calibration_probes.instructions import (
    CURRENT_REQUEST,
    PRIOR_REQUESTS,
    SRI_HEADER,
    SRI_RULE,
    STATE,
    step_values,
    template_of,
)
from calibration_probes.interface import Bystander
from calibration_probes.records import Mode
from calibration_probes.state import domain_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from calibration_probes.decisions import Decision
    from calibration_probes.records import Call, Case, Result, Step, Turn
    from calibration_probes.settings import Settings

ALL_SECTIONS = (SRI_HEADER, PRIOR_REQUESTS, CURRENT_REQUEST, STATE, SRI_RULE)

INACTIVE, USED, GATED, HALT = "sri_inactive", "sri_retry_used", "sri_suppressed_by_gate", "sri_halt"
"""Why there is no retry, or (the last) why there is one."""


class SRIVariant(NamedTuple):
    """What is special about a variant.

    Attributes:
        summary: One line for people.
        sections: The instruction's parts.
        drop_reply: Whether the reply leaves the chat history before the retry.
        gate: Whether a reply that asks is let through.
        gate_category: The only category that the gate works on, or None for every case.
    """

    summary: str
    sections: tuple[str, ...] = ALL_SECTIONS
    drop_reply: bool = True
    gate: bool = False
    gate_category: str | None = None


VARIANTS: Mapping[str, SRIVariant] = MappingProxyType(
    {
        "v1": SRIVariant("at a turn's first reply without a call, drop the reply and ask to reconcile"),
        "ablation_no_history": SRIVariant("v1, but the reply stays in the history", drop_reply=False),
        "ablation_no_state": SRIVariant(
            "v1, but the instruction lacks the observed state",
            sections=tuple(section for section in ALL_SECTIONS if section != STATE),
        ),
        "ablation_no_recon": SRIVariant("v1, but the instruction is the observed state only", sections=(STATE,)),
        "decision_routed_v1": SRIVariant("v1, but a reply that asks ends the turn (SRI-Gate)", gate=True),
        "decision_routed_v2_a": SRIVariant(
            "decision_routed_v1 on miss_param cases, v1 on all others", gate=True, gate_category="miss_param"
        ),
    }
)


class SRI:
    """The probe. It acts at the halt seam, at most once a turn.

    Raises:
        ProbeError: There is no such variant, or the template has an unknown placeholder.
    """

    name: ClassVar[str] = "sri"
    variants: ClassVar[Mapping[str, str]] = MappingProxyType({name: row.summary for name, row in VARIANTS.items()})

    def __init__(self, settings: Settings) -> None:
        self.variant = settings.chosen_variant(self.name, VARIANTS)
        self.mode = settings.mode
        self.rules = VARIANTS[self.variant]
        self.limits = settings.limits
        self.template = template_of(settings, self.rules.sections)
        self.emit = None if self.mode is Mode.OFF else settings.emit

    def start_case(self, case: Case) -> SRICase:
        """Its part in the case."""
        return SRICase(self, case)


class SRICase(Bystander):
    """SRI in one case: it remembers whether the turn's one retry is used."""

    def __init__(self, probe: SRI, case: Case) -> None:
        self._probe = probe
        self._gated = probe.rules.gate and probe.rules.gate_category in (None, case.category)
        self._used = False
        self._turn: Turn

    def start_turn(self, turn: Turn) -> None:
        """A new turn has a new retry."""
        self._turn = turn
        self._used = False
        details = {"user_turn_count": len(turn.user_texts), **user_excerpt(turn)}
        self._log("sri_start_turn", 0, details)

    def on_results(self, calls: Sequence[Call], results: Sequence[Result]) -> None:
        """Logs what each call did."""
        for call, result in zip(calls, results, strict=True):
            details = {"call": short_call(call), "domain": domain_of(call), "is_error": result.is_error}
            self._log("sri_state_update", result.index, details | state_excerpt(result.state))

    def on_halt(self, step: Step) -> Decision:
        """Another try, unless the turn has had its one or the gate lets the reply through."""
        reason = self._reason(step)
        # Suppressed or not, the turn's single retry is used now.
        self._used = self._used or reason in (GATED, HALT)
        self._log(
            "sri_halt_candidate",
            step.index,
            {
                "retry": reason in (GATED, HALT),
                "suppressed_by_gate": reason == GATED,
                "drop_reply": self._probe.rules.drop_reply,
                "active": self._probe.mode is Mode.ACTIVE,
                "decode_error": step.reply.decode_error,
                "is_empty_response": not step.reply.decode_error,
                "user_turn_count": len(step.turn.user_texts),
                "state_domains": sorted(step.state.domains),
                **step_excerpts(step),
            },
        )
        if reason != HALT:
            return Proceed(reason)
        instruction = self._probe.template.fill(step_values(step, self._probe.limits))
        return Retry(instruction, self._probe.rules.drop_reply, reason)

    def _reason(self, step: Step) -> str:
        if self._probe.mode is not Mode.ACTIVE:
            return INACTIVE
        if self._used:
            return USED
        return GATED if self._gated and asks(step.reply.text) else HALT

    def _log(self, kind: str, step_index: int, details: Mapping[str, object]) -> None:
        if self._probe.emit:
            self._probe.emit(event(kind, self._probe, self._turn, step_index, details))

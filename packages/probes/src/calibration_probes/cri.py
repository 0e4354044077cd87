"""CRI, the call-reconciliation intervention: the first suspect step of a case is taken back before it runs."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from calibration_probes.decisions import Abstain, Proceed, Retry
from calibration_probes.detectors import antecedents, detect
from calibration_probes.events import event, step_excerpts
from calibration_probes.instructions import ABSTENTION, CRI_HEADER, CRI_RULE, STATE, step_values, template_of
from calibration_probes.interface import Bystander
from calibration_probes.records import Mode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibration_probes.decisions import Decision
    from calibration_probes.detectors import Detection
    from calibration_probes.records import Case, Step
    from calibration_probes.settings import Settings

SUSPECT = "over_action_suspect"
"""The one reason for which a step triggers."""

LOGGED_REASONS = (
    "not_suspect",
    "cri_post_injection_suppressed",
    "cri_already_fired_in_case",
    "cri_bypass_no_gold_turn_marker",
    "cri_bypass_non_gold_turn",
    SUSPECT,
)
"""The reasons that write an event, in the order in which they are tried."""


class CRIVariant(NamedTuple):
    """What is special about a variant.

    Attributes:
        summary: One line for people.
        sections: The parts of the text that it brings into the conversation.
        bypass: Whether that text stands for the model's answer, in the case's gold turn only.
    """

    summary: str
    sections: tuple[str, ...]
    bypass: bool = False


VARIANTS: Mapping[str, CRIVariant] = MappingProxyType(
    {
        "v1": CRIVariant(
            "at a case's first suspect call, take the reply back and ask to reconcile (CRI-retry)",
            sections=(CRI_HEADER, STATE, CRI_RULE),
        ),
        "bypass": CRIVariant(
            "at a suspect call in the gold turn, take the reply back and end the turn with an abstention",
            sections=(ABSTENTION,),
            bypass=True,
        ),
    }
)


class CRI:
    """The probe. It acts at the call seam, at most once a case.

    Raises:
        ProbeError: There is no such variant, or the template has an unknown placeholder.
    """

    name: ClassVar[str] = "cri"
    variants: ClassVar[Mapping[str, str]] = MappingProxyType({name: row.summary for name, row in VARIANTS.items()})

    def __init__(self, settings: Settings) -> None:
        self.variant = settings.chosen_variant(self.name, VARIANTS)
        self.mode = settings.mode
        self.rules = VARIANTS[self.variant]
        self.limits = settings.limits
        self.template = template_of(settings, self.rules.sections)
        self.emit = settings.emit

    def start_case(self, case: Case) -> CRICase:  # noqa: ARG002 (a step knows its case)
        """Its part in the case."""
        return CRICase(self)


class CRICase(Bystander):
    """CRI in one case: it remembers in which turn it fired."""

    def __init__(self, probe: CRI) -> None:
        self._probe = probe
        self._fired_turn: int | None = None

    def on_call(self, step: Step) -> Decision:
        """Takes a suspect step back, unless one of the reasons against it applies."""
        if reason := self._reason_not_to_look(step):
            return Proceed(reason)
        known = antecedents(step.turn.user_texts, step.state)
        detections = [detect(call, step.turn.functions, known) for call in step.calls]
        reason = self._reason(step, suspect=any(detection.suspect for detection in detections))
        triggered = reason == SUSPECT and self._probe.mode is Mode.ACTIVE
        self._log(step, reason, detections, triggered=triggered)
        if not triggered:
            return Proceed(reason)
        self._fired_turn = step.turn.index
        text = self._probe.template.fill(step_values(step, self._probe.limits))
        return Abstain(text, reason) if self._probe.rules.bypass else Retry(text, drop_reply=True, reason=reason)

    def _reason_not_to_look(self, step: Step) -> str | None:
        checks = (
            ("cri_inactive", self._probe.mode is Mode.OFF),
            ("cri_already_fired", self._fired_turn == step.turn.index),
            ("no_tool_call", not step.calls),
        )
        return next((reason for reason, applies in checks if applies), None)

    def _reason(self, step: Step, *, suspect: bool) -> str:
        turn, gold_turn, bypass = step.turn, step.turn.case.gold_turn, self._probe.rules.bypass
        applies = (
            not suspect,
            len(turn.functions) > len(turn.case.functions),
            self._fired_turn is not None,
            bypass and gold_turn is None,
            bypass and gold_turn != turn.index,
            True,
        )
        return LOGGED_REASONS[applies.index(True)]

    def _log(self, step: Step, reason: str, detections: list[Detection], *, triggered: bool) -> None:
        if self._probe.emit is None:
            return
        details = {
            "triggered": triggered,
            "reason": reason,
            "n_calls": len(step.calls),
            "call_names": [call.name for call in step.calls],
            "detector": [detection.as_dict() for detection in detections],
            **step_excerpts(step),
        }
        self._probe.emit(event("cri_evaluate", self._probe, step.turn, step.index, details))

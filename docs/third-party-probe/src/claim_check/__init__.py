"""A probe for the halt seam: a claim that all is done is held against what has been observed, once a turn."""

from action_classifier import Action, classify_text
from calibration_probes import Bystander, Case, Decision, Mode, Proceed, Retry, Settings, Step, Turn

VARIANTS = {"v1": "at a turn's first claim to be done, ask to compare it with the observed state"}


class ClaimCheck:
    """The probe, made once and shared by all cases."""

    name = "claim_check"
    variants = VARIANTS

    def __init__(self, settings: Settings) -> None:
        self.variant = settings.chosen_variant(self.name, self.variants)
        self.mode = settings.mode

    def start_case(self, _case: Case) -> "ClaimCheckCase":
        """A new object for each case: whatever a probe remembers lives there."""
        return ClaimCheckCase(self.mode)


class ClaimCheckCase(Bystander):
    """The probe in one case; hooks that it doesn't need are inherited and do nothing."""

    def __init__(self, mode: Mode) -> None:
        self._may_ask = self._active = mode is Mode.ACTIVE

    def start_turn(self, _turn: Turn) -> None:
        """Every turn has one question."""
        self._may_ask = self._active

    def on_halt(self, step: Step) -> Decision:
        """Another try for a reply that claims success."""
        if not self._may_ask or classify_text(step.reply.text) is not Action.CONFIRM:
            return Proceed()
        self._may_ask = False
        return Retry(f"You say it is done. Is it? Observed so far:\n{step.state.text(2400)}", drop_reply=False)

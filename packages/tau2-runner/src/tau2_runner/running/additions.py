"""What a run adds to tau2: a probe, another judge, calls read from JSON, scripted parts; by default nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tau2_runner.running.coercion import is_asked_for
from tau2_runner.running.judge import chosen_judge
from tau2_runner.running.request import is_sri_lite
from tau2_runner.running.sri_lite import NAME, chosen_sri_lite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tau2_runner.running.judge import Judge
    from tau2_runner.running.offline import Stage
    from tau2_runner.running.sri_lite import SRILite


@dataclass(frozen=True, slots=True)
class Additions:
    """What was asked for.

    Attributes:
        probe: SRI-lite, if the agent is to have it.
        judge: The judge of assertions, if it isn't to be tau2's own.
        coerce: Whether calls are read from JSON in a message's content.
        scripted: The scripted agent that plays, if no model does.
    """

    probe: SRILite | None = None
    judge: Judge | None = None
    coerce: bool = False
    scripted: str | None = None

    @property
    def method(self) -> str:
        """The method in the name of a folder, where the agent is SRI-lite."""
        return self.probe.variant if self.probe else NAME

    @property
    def probe_name(self) -> str | None:
        """Probe and variant, for records."""
        return f"{NAME}:{self.probe.variant}" if self.probe else None

    @property
    def probe_settings(self) -> dict[str, int]:
        """The probe's limits, for records."""
        probe = self.probe
        return {"messages": probe.messages, "tools": probe.tools, "characters": probe.characters} if probe else {}

    def of_agent(self, agent: str) -> Additions:
        """The same for the agent that was chosen: SRI-lite is nobody else's."""
        return self if agent == NAME else replace(self, probe=None)

    def offline(self, stage: Stage) -> Additions:
        """The same in an offline run, whose judge is scripted as well."""
        return replace(self, judge=stage.judge, scripted=stage.agent)


def chosen_additions(words: Sequence[str], environment: Mapping[str, str]) -> Additions:
    """What the arguments and variables ask for.

    Raises:
        RunnerError: A variable holds something that isn't possible.
    """
    probe = chosen_sri_lite(environment) if is_sri_lite(words) else None
    return Additions(probe, chosen_judge(environment), is_asked_for(environment))

"""What a probe is configured with, once, before the first case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibration_probes.errors import ProbeError
from calibration_probes.records import Mode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calibration_probes.templates import Template

Emit = Callable[[dict[str, object]], None]
"""Takes one event of the log."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of the conversation an instruction shows; a number of characters of 0 or less is no limit.

    Attributes:
        state_chars: Characters of the state snapshot.
        user_turns: Earlier requests.
        user_chars: Characters of each request.
    """

    state_chars: int = 2400
    user_turns: int = 4
    user_chars: int = 700


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration of one probe.

    Attributes:
        variant: One of the probe's variants, or None for its default.
        mode: Whether it acts.
        template: A user's wording, in place of the probe's own.
        limits: Bounds of what an instruction shows.
        emit: Takes the events of the log, or None if there is no log.
    """

    variant: str | None = None
    mode: Mode = Mode.ACTIVE
    template: Template | None = None
    limits: Limits = Limits()
    emit: Emit | None = None

    def chosen_variant(self, probe: str, variants: Iterable[str]) -> str:
        """The variant's name.

        Raises:
            ProbeError: The probe has no such variant.
        """
        known = tuple(variants)
        if self.variant is None:
            return known[0]
        if self.variant not in known:
            what = f"probe {probe} has no variant {self.variant!r}; it has {', '.join(known)}"
            raise ProbeError(what)
        return self.variant

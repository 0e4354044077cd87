"""What a ruleset answers about one emission: the class, and what in the emission decided it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from action_classifier.actions import Action


class Evidence(NamedTuple):
    """The class of an emission with the rule that gave it.

    Attributes:
        action: The class.
        rule: Name of the rule that fired; ``"no_cue"`` where none did and the class is OTHER.
        cue: The cue as the table has it, or the text that has the shape of a call; None where the whole
            emission is the evidence.
        span: Half-open span of the cue in the emission, in characters; None for structures and for OTHER.
    """

    action: Action
    rule: str
    cue: str | None = None
    span: tuple[int, int] | None = None

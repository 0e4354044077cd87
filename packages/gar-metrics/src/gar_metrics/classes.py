"""What a metric needs to know of an emission: its class, and whether it holds text."""

from __future__ import annotations

from typing import NamedTuple

from action_classifier import PRIORITY, RULESETS, Action, classify
from gar_metrics.errors import GarError

REMEMBERED = 1 << 14
LONGEST_REMEMBERED = 400
"""How many emissions of how many characters are kept at most: some 10 MB."""

CLASSES: tuple[Action | None, ...] = (*PRIORITY, None)
"""The classes by rank; that of an emission that carries nothing is the last."""

NOTHING = len(PRIORITY)


class Reading(NamedTuple):
    """An emission, read.

    Attributes:
        rank: Place of its class in `CLASSES`.
        texts: 1 if it holds text that isn't blank and isn't counted below, else 0.
        unread_texts: 1 if that text stands in a list and the ruleset read nothing in it, else 0.
    """

    rank: int
    texts: int
    unread_texts: int


class Reader:
    """Reads emissions under one ruleset, and remembers short ones.

    Models that are given the same tasks make the same calls, and classifying is what reading costs most.

    Raises:
        GarError: The ruleset is unknown.
    """

    def __init__(self, ruleset: str) -> None:
        if ruleset not in RULESETS:
            what = f"unknown ruleset {ruleset!r}; known: {', '.join(RULESETS)}"
            raise GarError(what)
        self.ruleset = ruleset
        self._texts: dict[str, Reading] = {}
        self._structures: dict[str, Reading] = {}

    def read(self, emission: object) -> Reading:
        """The class of an emission and what text it holds."""
        if isinstance(emission, str):
            known, key = self._texts, emission
        else:
            try:
                known, key = self._structures, repr(emission)
            except RecursionError:
                return self._read(emission)
        reading = known.get(key)
        if reading is None:
            reading = self._read(emission)
            if len(key) <= LONGEST_REMEMBERED:
                if len(known) >= REMEMBERED:
                    known.clear()
                known[key] = reading
        return reading

    def _read(self, emission: object) -> Reading:
        action = classify(emission, self.ruleset)
        parts = emission if isinstance(emission, list) else (emission,)
        holds_text = any(isinstance(part, str) and part.strip() for part in parts)
        # A list of strings is text that a harness wrapped; not every ruleset unwraps it.
        unread = holds_text and action is None and isinstance(emission, list)
        return Reading(CLASSES.index(action), holds_text and not unread, unread)

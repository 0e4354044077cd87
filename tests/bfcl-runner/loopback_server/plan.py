"""Which requests fail: rules that name a fault, and whom it strikes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loopback_server.faults import FAULTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from bfcl_runner.backends.base import Emission
    from loopback_server.records import Request


@dataclass(frozen=True, slots=True)
class Rule:
    """A fault, and the requests that it strikes: those that agree with every selection made.

    A plan is a list of rules; all that strike a request apply, in their order.

    Attributes:
        fault: A key of `FAULTS`.
        numbers: Requests by their place in order of arrival, from 1. Empty: any; the same for the next four.
        cases: Case ids. Of cases that clients don't name and that go on alike, the server knows the first.
        turns: Turns, from 0.
        steps: Steps of a turn, from 0.
        attempts: How often the same step of the same case was asked for, from 1.
        probability: Share of those requests that are struck. Drawn from the seed, the step and the attempt, not
            from the order of requests.
        seed: Seed of that draw.
        seconds: How long, for ``slow``, ``refused`` and the header of `retry_after`.
        retry_after: For error statuses: in which form to say when to come back.
        emission: For ``emission``: what to say in place of the oracle's words.
        body: For ``body``: what to send in place of JSON, with status 200.
    """

    fault: str
    numbers: Collection[int] = ()
    cases: Collection[str] = ()
    turns: Collection[int] = ()
    steps: Collection[int] = ()
    attempts: Collection[int] = ()
    probability: float = 1.0
    seed: int = 0
    seconds: float = 0.0
    retry_after: Literal["seconds", "date", "milliseconds"] | None = None
    emission: Emission = None
    body: str = ""

    def __post_init__(self) -> None:
        if self.fault not in FAULTS:
            message = f"{self.fault!r} is none of {', '.join(FAULTS)}"
            raise ValueError(message)

    def strikes(self, request: Request) -> bool:
        """Whether the fault happens to a request."""
        chosen = (
            (self.numbers, request.number),
            (self.cases, request.case_id),
            (self.turns, request.turn),
            (self.steps, request.step),
            (self.attempts, request.attempt),
        )
        if any(wanted and value not in wanted for wanted, value in chosen):
            return False
        if self.probability >= 1:
            return True
        key = (self.seed, self.fault, request.case_id, request.turn, request.step, request.attempt)
        return random.Random(repr(key)).random() < self.probability  # noqa: S311 (a simulation, no secret)

"""What the server knows of each request for a reply, and what it counted."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Request:
    """What the server knows of one request for a reply.

    Attributes:
        number: Its place in order of arrival, from 1.
        path: `CHAT_PATH` or `RESPONSES_PATH`.
        structured: Whether it offers tools; without them calls are written as text.
        case_id: The conversation that it belongs to.
        turn: Place of the turn asked for, from 0.
        step: Place of the step within the turn, from 0.
        attempt: How often this step was asked for, from 1.
        arrived: Time of arrival, by `time.time`.
        headers: Its headers, names in lower case.
        body: Its body, if the server keeps bodies.
    """

    number: int
    path: str
    structured: bool
    case_id: str
    turn: int
    step: int
    attempt: int
    arrived: float
    headers: dict[str, str]
    body: bytes | None

    @property
    def key(self) -> str:
        """Identifies the step in ids."""
        return f"{self.case_id}-{self.turn}-{self.step}"


@dataclass(slots=True)
class Stats:
    """What a server counted; times are those of `time.time`.

    Attributes:
        requests: Requests for replies.
        max_concurrent: The most that were under way at a moment: arrived as a whole, not answered yet. Without
            latency that is never more than one.
        connections: Connections accepted.
        undecided: Requests without `CASE_HEADER` where other cases could be meant.
        senseless: Requests that got a 400 saying why.
        faults: How often each fault struck.
        first_request: When the first request arrived.
        last_request: When the last request arrived.
        last_reply: When the last reply was sent.
    """

    requests: int = 0
    max_concurrent: int = 0
    connections: int = 0
    undecided: int = 0
    senseless: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    first_request: float | None = None
    last_request: float | None = None
    last_reply: float | None = None

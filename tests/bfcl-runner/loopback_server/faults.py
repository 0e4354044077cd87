"""How requests fail: what each fault changes about an answer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING

from loopback_server.apis import error_body

if TYPE_CHECKING:
    from loopback_server.plan import Rule
    from loopback_server.speech import Speech
    from loopback_server.wire import Ending

PROSE = ("Let me do that for you.\n", "\nThat should be it.")
MALFORMED = '{"id": "broken", "choices": [{"message": '


@dataclass(slots=True)
class Answer:
    """What will be sent, open to faults.

    Attributes:
        speech: What is said.
        delay: Seconds to wait before.
        status: HTTP status.
        headers: Headers beyond those that every answer has.
        body: Sent in place of what is said.
        ending: What happens to the connection.
        down: Seconds for which the server then refuses connections.
    """

    speech: Speech
    delay: float
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    ending: Ending = "kept"
    down: float = 0.0


Fault = Callable[[Answer, "Rule"], None]


def _error_status(answer: Answer, rule: Rule) -> None:
    answer.status = int(rule.fault)
    answer.body = error_body(f"injected HTTP {rule.fault}")
    if rule.retry_after:
        name, value = _RETRY_AFTER[rule.retry_after](rule.seconds)
        answer.headers[name] = value


_RETRY_AFTER: dict[str, Callable[[float], tuple[str, str]]] = {
    "seconds": lambda seconds: ("Retry-After", f"{seconds:g}"),
    # Dates have no fractions: the next whole second, never too early.
    "date": lambda seconds: ("Retry-After", formatdate(math.ceil(time.time() + seconds), usegmt=True)),
    "milliseconds": lambda seconds: ("retry-after-ms", f"{seconds * 1000:g}"),
}


def _slow(answer: Answer, rule: Rule) -> None:
    answer.delay += rule.seconds


def _sent(body: str | None = None) -> Fault:
    """A fault that sends a body, or the rule's."""

    def apply(answer: Answer, rule: Rule) -> None:
        answer.body = rule.body if body is None else body

    return apply


def _said(**changes: object) -> Fault:
    """A fault that changes what is said."""

    def apply(answer: Answer, rule: Rule) -> None:
        answer.speech = replace(answer.speech, **changes)  # type: ignore[arg-type]

    return apply


def _emission(answer: Answer, rule: Rule) -> None:
    answer.speech = replace(answer.speech, emission=rule.emission)


def _ended(ending: Ending) -> Fault:
    """A fault that spoils the connection."""

    def apply(answer: Answer, rule: Rule) -> None:
        answer.ending = ending
        answer.down = rule.seconds if ending == "refused" else 0.0

    return apply


FAULTS: dict[str, Fault] = {
    **{str(status.value): _error_status for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST},
    "slow": _slow,
    "empty": _sent(""),
    "malformed": _sent(MALFORMED),
    "body": _sent(),
    "truncated": _ended("truncated"),
    "closed": _ended("closed"),
    "reset": _ended("reset"),
    "refused": _ended("refused"),
    "same-ids": _said(ids="same"),
    "no-ids": _said(ids="none"),
    "prose": _said(prose=PROSE),
    "reasoning_content": _said(reasoning_field="reasoning_content"),
    "reasoning": _said(reasoning_field="reasoning"),
    "null-content": _said(wordless=True),
    "no-usage": _said(usage=False),
    "emission": _emission,
}
"""What can happen to a request: an error status by its number, or

``slow``: the reply comes `Rule.seconds` later. ``empty``, ``malformed``, ``body``: status 200 with no body, cut-off
JSON, the rule's body. ``truncated``: half the body, then the end of the connection. ``closed``, ``reset``: the
connection ends without a reply, properly or with a TCP reset. ``refused``: that, and for `Rule.seconds` nobody
listens; other connections break too. ``same-ids``, ``no-ids``: all calls carry one id, or null. ``prose``: text
around calls. ``reasoning_content``, ``reasoning``: reasoning in the chat message's field of that name, or as a
Responses item. ``null-content``: null in place of text. ``no-usage``: tokens aren't counted. ``emission``: the
rule's emission is said.
"""

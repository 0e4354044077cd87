"""Judgments: what a judge said of write events, as lines of a file."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from confirm_judge.events import EventKey
from confirm_judge.jsonl import field_of, nullable_field, numbered_objects, optional_field
from confirm_judge.secrets import without_keys

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from confirm_judge.events import WriteEvent
    from confirm_judge.judging import Ruling


@dataclass(frozen=True, slots=True)
class Judgment:
    """A judged write; released labels have the first six fields only.

    Attributes:
        model: The agent's model.
        domain: Such as ``airline``.
        sim_id: The id of the simulation; its first 8 characters in released labels.
        tool: The tool that wrote.
        confirmed: Whether the user confirmed the write first; None where the judge gave no verdict.
        passed: Whether the simulation passed; None if it has no reward.
        judge_reasoning: Why, in at most 25 words.
        message_index: Place of the message that makes the call, counted from 0.
        call_index: Which of that message's calls it is, counted from 0.
        judge: The judge's model, or ``rules``.
        reply_format: How its reply was asked for: ``json_schema``, ``json_object`` or ``text``.
        tries: How often it was asked.
        input_tokens: Tokens that it read, all tries together.
        output_tokens: Tokens that it wrote.
        error: Why there is no verdict.
    """

    model: str
    domain: str
    sim_id: str
    tool: str
    confirmed: bool | None
    passed: bool | None
    judge_reasoning: str | None = None
    message_index: int | None = None
    call_index: int | None = None
    judge: str | None = None
    reply_format: str | None = None
    tries: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    error: str | None = None

    @property
    def key(self) -> EventKey | None:
        """The event that it is about; None where the record doesn't say which of a simulation's writes it is."""
        if self.message_index is None or self.call_index is None:
            return None
        return EventKey(self.model, self.domain, self.sim_id, self.message_index, self.call_index)

    def record(self) -> dict[str, object]:
        """The judgment as a JSON-ready object, its fields in the order of the attributes."""
        return asdict(self)


def judgment_of(event: WriteEvent, ruling: Ruling, judge: str) -> Judgment:
    """The judgment that a judge's ruling on an event amounts to; no key is in it, should a judge repeat one."""
    verdict = ruling.verdict
    return Judgment(
        model=event.model,
        domain=event.domain,
        sim_id=event.sim_id,
        tool=event.tool,
        confirmed=verdict.met if verdict else None,
        passed=event.passed,
        judge_reasoning=without_keys(verdict.reasoning) if verdict else None,
        message_index=event.message_index,
        call_index=event.call_index,
        judge=judge,
        reply_format=ruling.reply_format,
        tries=ruling.tries,
        input_tokens=ruling.input_tokens,
        output_tokens=ruling.output_tokens,
        error=ruling.error,
    )


def read_judgments(path: Path) -> tuple[Judgment, ...]:
    """The judgments of a file, of this package or as released, as `current` has them.

    Raises:
        GarError: The file can't be read, or a line isn't a judgment.
    """
    return current(judgment_in(record, path, line) for line, record in numbered_objects(path))


def current(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """The judgments that count, in the order in which their events first appear: the last one of each event.

    It has the tokens of all of them: those that gave no verdict cost as much.
    """
    found: dict[EventKey | int, Judgment] = {}
    for place, judgment in enumerate(judgments):
        key = judgment.key or place
        before = found.get(key)
        found[key] = judgment if before is None else _after(before, judgment)
    return tuple(found.values())


def _after(before: Judgment, judgment: Judgment) -> Judgment:
    return replace(
        judgment,
        input_tokens=before.input_tokens + judgment.input_tokens,
        output_tokens=before.output_tokens + judgment.output_tokens,
    )


def judgment_in(record: dict[str, object], path: Path, line: int) -> Judgment:
    """The judgment of a line.

    Raises:
        GarError: A field is missing or of another kind.
    """
    return Judgment(
        model=field_of(record, "model", str, path, line),
        domain=field_of(record, "domain", str, path, line),
        sim_id=field_of(record, "sim_id", str, path, line),
        tool=field_of(record, "tool", str, path, line),
        confirmed=nullable_field(record, "confirmed", bool, path, line),
        passed=optional_field(record, "passed", bool, path, line),
        judge_reasoning=optional_field(record, "judge_reasoning", str, path, line),
        message_index=optional_field(record, "message_index", int, path, line),
        call_index=optional_field(record, "call_index", int, path, line),
        judge=optional_field(record, "judge", str, path, line),
        reply_format=optional_field(record, "reply_format", str, path, line),
        tries=optional_field(record, "tries", int, path, line) or 0,
        input_tokens=optional_field(record, "input_tokens", int, path, line) or 0,
        output_tokens=optional_field(record, "output_tokens", int, path, line) or 0,
        error=optional_field(record, "error", str, path, line),
    )

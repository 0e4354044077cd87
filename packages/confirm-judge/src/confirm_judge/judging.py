"""Judging many events at once: what a judge is, and how so many of them are asked at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from confirm_judge.events import WriteEvent
    from confirm_judge.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Ruling:
    """What came of asking a judge about one event.

    Attributes:
        verdict: The verdict; None where none was to be had.
        tries: How often the judge was asked.
        input_tokens: Tokens that it read in all tries, as far as the server says.
        output_tokens: Tokens that it wrote.
        reply_format: How the reply was asked for: ``json_schema``, ``json_object`` or ``text``; None without a model.
        error: Why there is no verdict, one line; None where there is one.
    """

    verdict: Verdict | None
    tries: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    reply_format: str | None = None
    error: str | None = None


class Judge(Protocol):
    """Somebody to ask."""

    async def judge(self, event: WriteEvent) -> Ruling:
        """What is to be said of an event.

        Raises:
            JudgeUnusableError: Asking about any event makes no sense.
        """


async def judge_all(
    events: Iterable[WriteEvent], judge: Judge, record: Callable[[WriteEvent, Ruling], None], *, concurrency: int
) -> None:
    """Asks about every event, so many at a time, and hands out each ruling at once, in the order in which they come.

    Args:
        events: The events.
        judge: Who is asked.
        record: What takes note of a ruling; never called by two at the same time.
        concurrency: The most events under way.

    Raises:
        JudgeUnusableError: As the judge says; the events under way are then given up.
    """
    waiting = iter(events)

    async def work() -> None:
        for event in waiting:  # shared: each event goes to the worker that is free first
            record(event, await judge.judge(event))

    workers = [asyncio.create_task(work()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

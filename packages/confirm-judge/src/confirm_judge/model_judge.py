"""A judge that is a model behind OpenAI's API: asked until a verdict comes, four times at most."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confirm_judge.errors import JudgeUnusableError, TryFailedError
from confirm_judge.judging import Ruling
from confirm_judge.secrets import safe_message
from confirm_judge.server import chat_completion
from confirm_judge.verdicts import VERDICT_SCHEMA, NoVerdictError, read_verdict

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from confirm_judge.events import WriteEvent
    from confirm_judge.prompt import Prompt

DEFAULT_MODEL = "gpt-5.4-2026-03-05"
TEMPERATURE = 0

TRIES = 4
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
LONGEST_ASKED = 600.0
"""A server that wants to be left alone for longer ends the run: a quota is used up."""

REPLY_FORMATS: tuple[tuple[str, dict[str, object]], ...] = (
    (
        "json_schema",
        {
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": VERDICT_SCHEMA},
            }
        },
    ),
    ("json_object", {"response_format": {"type": "json_object"}}),
    ("text", {}),
)
"""How a reply can be asked for, and what the request then holds: the most binding first."""

FORMAT_REFUSALS = frozenset({400, 415, 422, 501})
"""Statuses with which servers turn down a field that they don't know."""


@dataclass(slots=True)
class _Usage:
    """Tokens that the server counted, all tries together."""

    read: int = 0
    written: int = 0

    def count(self, answer: dict[str, Any]) -> None:
        """Adds those of an answer, which may not say."""
        usage = answer.get("usage")
        if isinstance(usage, dict):
            self.read += _number(usage.get("prompt_tokens"))
            self.written += _number(usage.get("completion_tokens"))


class ModelJudge:
    """Asks a model about events, and remembers what its server doesn't offer.

    Args:
        client: The server.
        model: The model as the server knows it.
        prompt: What it is told.
        timeout: Seconds for one request.
    """

    def __init__(self, client: AsyncOpenAI, model: str, prompt: Prompt, *, timeout: float) -> None:
        self._client = client
        self._model = model
        self._prompt = prompt
        self._timeout = timeout
        self._format = 0
        self._sampling: dict[str, object] = {"temperature": TEMPERATURE}
        self._quiet_until = float("-inf")

    @property
    def temperature_refused(self) -> bool:
        """Whether the server takes no temperature, so that the model's default was used."""
        return not self._sampling

    async def judge(self, event: WriteEvent) -> Ruling:
        """The ruling on an event, after `TRIES` tries at most.

        Raises:
            JudgeUnusableError: The server refuses everything, or asks to be left alone for long.
        """
        usage = _Usage()
        reply_format = None
        for number in range(1, TRIES + 1):
            await self._quiet()
            try:
                place, answer = await self._answer(event)
                reply_format = REPLY_FORMATS[place][0]
                usage.count(answer)
                return Ruling(read_verdict(_text(answer)), number, usage.read, usage.written, reply_format)
            except NoVerdictError as error:
                failure = TryFailedError(str(error))
            except TryFailedError as error:
                failure = error
            if not failure.again:
                break
            wait = self._wait_after(number, failure)
            if number < TRIES:
                await asyncio.sleep(wait)
        return Ruling(None, number, usage.read, usage.written, reply_format, safe_message(failure))

    async def _answer(self, event: WriteEvent) -> tuple[int, dict[str, Any]]:
        """The server's answer, with the place in `REPLY_FORMATS` of the first format that it takes."""
        messages = self._prompt.messages(event)
        for place in range(self._format, len(REPLY_FORMATS)):
            try:
                answer = await self._request(messages, REPLY_FORMATS[place][1])
            except TryFailedError as error:
                if error.status not in FORMAT_REFUSALS or place == len(REPLY_FORMATS) - 1:
                    raise
            else:
                # Remembered only now: had every format been refused, the fault would be this event's.
                self._format = max(self._format, place)
                return place, answer
        raise AssertionError  # the last format returns or raises

    async def _request(self, messages: list[dict[str, str]], form: dict[str, object]) -> dict[str, Any]:
        body = {"model": self._model, "messages": messages, **form}
        try:
            return await chat_completion(self._client, body | self._sampling, self._timeout)
        except TryFailedError as error:
            # Some reasoning models take no temperature but their own.
            if error.status not in FORMAT_REFUSALS or "temperature" not in str(error).lower():
                raise
            answer = await chat_completion(self._client, body, self._timeout)
            # Remembered only now, as with formats: an error may speak of the temperature and be about this event.
            self._sampling = {}
            return answer

    async def _quiet(self) -> None:
        """Waits as long as the server wants no request from anybody."""
        while (left := self._quiet_until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def _wait_after(self, number: int, failure: TryFailedError) -> float:
        """Seconds before the next try: as long as the server asks, else exponentially longer, with jitter.

        An overloaded server isn't asked about other events meanwhile, also after the last try.

        Raises:
            JudgeUnusableError: The server asks for longer than `LONGEST_ASKED`.
        """
        longest = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (number - 1))
        wait = random.uniform(longest / 2, longest)  # noqa: S311 (jitter, not secrets)
        if failure.retry_after is not None:
            if failure.retry_after > LONGEST_ASKED:
                what = f"the judge's server asks to wait {failure.retry_after:.0f} s: {safe_message(failure)}"
                raise JudgeUnusableError(what)
            # A little more than it asks, or all that wait come back at the same moment.
            wait = failure.retry_after + wait * 0.1
        if failure.overloaded:
            self._quiet_until = max(self._quiet_until, time.monotonic() + wait)
        return wait


def _text(answer: dict[str, Any]) -> str:
    """What the model says.

    Raises:
        TryFailedError: It says nothing, or refuses to.
    """
    try:
        message = answer["choices"][0]["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (LookupError, TypeError, AttributeError) as error:
        what = "the server's answer is no chat completion"
        raise TryFailedError(what) from error
    if isinstance(content, list):  # parts, as some servers send them
        content = "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    if isinstance(content, str) and content.strip():
        return content
    what = f"the judge refuses: {safe_message(refusal)}" if refusal else "the judge says nothing"
    raise TryFailedError(what)


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0

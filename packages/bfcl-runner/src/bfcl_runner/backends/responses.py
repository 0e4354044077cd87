"""Any server that speaks OpenAI's Responses API; gpt-oss on vLLM first of all.

Upstream runs local models through its prompting loop, and this backend does so too: the tools of a case are those it
starts with, and held-out functions are announced in a user message. No system prompt describes the functions, as for
upstream's other families with tool schemas of their own: they are sent as tools.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from bfcl_runner.backends.base import Emission, Message, Reply
from bfcl_runner.errors import RunnerError, TransientError
from bfcl_runner.model_http import CASE_HEADER, open_client, request_json
from bfcl_runner.prompting import announcement
from bfcl_runner.responses_api import input_items, read_output, response_tools, tool_call_text
from bfcl_runner.tag_decoding import decode_tool_call_tags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bfcl_runner.dataset import Case
    from bfcl_runner.options import ModelOptions
    from bfcl_runner.patience import Patience
    from bfcl_runner.responses_api import Item
    from bfcl_runner.tool_schemas import Tools

    Respond = Callable[[list[Item], Tools], "Answer"]
    RespondFor = Callable[[str, list[Item], Tools], "Answer"]

TOOL_CHOICE_VARIABLE = "GPTOSS_TOOL_CHOICE"
REASONING_EFFORT_VARIABLE = "GPTOSS_REASONING_EFFORT"

MAX_OUTPUT_TOKENS = 4096

GIVEN_UP = ("failed", "cancelled")
"""Statuses of responses that are no answers; an ``incomplete`` one ran out of tokens, which is the model's doing."""


@contextmanager
def open_backend(options: ModelOptions, patience: Patience) -> Iterator[ResponsesBackend]:
    """The model that the options name, on the server that they or the environment name.

    Raises:
        RunnerError: No model is named, prompting mode is asked for, or there is no key for a server that needs one.
    """
    if options.model is None:
        message = "--model: the responses backend needs one"
        raise RunnerError(message)
    if options.prompting:
        message = "--prompting: the responses backend sends the functions as tools"
        raise RunnerError(message)
    model = options.model
    sampling = sampling_parameters(options)
    with open_client(options) as client:

        def respond(case_id: str, items: list[Item], tools: Tools) -> Answer:
            body = {"model": model, "input": items, "tools": tools, **sampling}

            def attempt() -> Answer:
                started = time.perf_counter()
                answer = request_json(client, "/responses", body, {CASE_HEADER: case_id}, options.timeout)
                return Answer(answer, latency=time.perf_counter() - started)

            return patience.call(attempt)

        yield ResponsesBackend(respond, sampling)


def sampling_parameters(options: ModelOptions) -> dict[str, Any]:
    """The request fields for how to sample, those that the environment sets included."""
    sampling: dict[str, Any] = {"temperature": options.effective_temperature, "max_output_tokens": MAX_OUTPUT_TOKENS}
    if effort := options.reasoning_effort or os.environ.get(REASONING_EFFORT_VARIABLE):
        sampling["reasoning"] = {"effort": effort}
    if tool_choice := os.environ.get(TOOL_CHOICE_VARIABLE):
        sampling["tool_choice"] = tool_choice
    if options.seed is not None:
        sampling["seed"] = options.seed
    return sampling


class Answer:
    """One response: the reply for the row, and what enters the history."""

    def __init__(self, body: dict[str, Any], latency: float) -> None:
        """Reads the JSON of a response.

        Raises:
            TransientError: It has no output items, or says that the server gave up.
        """
        self.output = read_output(_output_items(body))
        self.reply = Reply(
            emission=tool_call_text(self.output.calls) if self.output.calls else self.output.content,
            input_tokens=_tokens(body, "input_tokens"),
            output_tokens=_tokens(body, "output_tokens"),
            latency=latency,
            reasoning=self.output.reasoning,
        )


def _output_items(body: dict[str, Any]) -> list[Item]:
    if body.get("status") in GIVEN_UP:
        error = body.get("error")
        reason = error.get("message") if isinstance(error, dict) else error
        one_line = " ".join(str(reason or "no reason given").split())[:300]
        raise TransientError("server_error", f"the response is {body['status']}: {one_line}")
    output = body.get("output")
    if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
        raise TransientError("malformed_body", "the response holds no list of output items")
    return output


def _tokens(body: dict[str, Any], kind: str) -> int:
    usage = body.get("usage")
    count = usage.get(kind) if isinstance(usage, dict) else None
    return count if isinstance(count, int) else 0


class ResponsesBackend:
    """A model behind a function that takes a case id, input items and tools and gives an answer."""

    decoder = "tool_call_tags"

    def __init__(self, respond: RespondFor, sampling: dict[str, Any]) -> None:
        self._respond = respond
        self.sampling = sampling

    def open(self, case: Case) -> ResponsesDialogue:
        """A dialogue that offers the case's functions as tools."""
        return ResponsesDialogue(partial(self._respond, case.id), case.entry["function"])


class ResponsesDialogue:
    """Functions are tools and calls are structured, in upstream's prompting loop."""

    def __init__(self, respond: Respond, functions: list[dict[str, Any]]) -> None:
        self._respond = respond
        self.offered = functions
        self.last_message: Message = {}
        self._tools = response_tools(functions)
        self._messages: list[Message] = []
        self._calls = 0
        self._unanswered: list[str] = []

    def hand_over(self, functions: list[dict[str, Any]]) -> list[Message]:
        """A user message with the functions' documents; the tools stay as they are, as in upstream's loop."""
        return [announcement(functions)]

    def add_user_turn(self, messages: list[Message]) -> list[Message]:
        """The messages as they are."""
        self._messages += messages
        return messages

    def query(self) -> Reply:
        """The next response."""
        answer = self._respond(input_items(self._messages), self._tools)
        calls: list[dict[str, Any]] = []
        for call in answer.output.calls:
            self._calls += 1
            # Calls found in text need ids as well, or their results could not be told apart.
            call_id = call.id or f"call_{self._calls}"
            calls.append({"id": call_id, "function": {"name": call.name, "arguments": call.arguments}})
        message: Message = {"role": "assistant", "content": answer.output.content}
        self.last_message = {**message, "tool_calls": calls} if calls else message
        self._messages.append(self.last_message)
        self._unanswered = [call["id"] for call in calls]
        return answer.reply

    def decode(self, emission: Emission) -> list[str]:
        """The calls of the stored blocks."""
        return decode_tool_call_tags(emission)

    def add_results(self, calls: list[str], results: list[str]) -> None:  # noqa: ARG002 (paired by their ids)
        """One tool message per call."""
        self._messages += [
            {"role": "tool", "content": result, "tool_call_id": call_id}
            for call_id, result in zip(self._unanswered, results, strict=False)
        ]
        self._unanswered = []

    def drop_reply(self) -> None:
        """The reply goes, and with it the calls that would want results."""
        self._messages.pop()
        self._unanswered = []

    def add_message(self, message: Message) -> None:
        """The message as it is."""
        self._messages.append(message)

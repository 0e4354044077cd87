"""Dialogues over chat completions, wherever these come from: by function calling or in prompting mode."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from bfcl_runner.backends.base import Emission, Message, Reply
from bfcl_runner.benchmark import upstream
from bfcl_runner.decoding import decode_structured
from bfcl_runner.errors import TransientError
from bfcl_runner.prompt_decoding import decode_prompting
from bfcl_runner.prompting import announcement, results_message, with_system_prompt
from bfcl_runner.tool_schemas import Tools, chat_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from bfcl_runner.dataset import Case

    Complete = Callable[[list[Message], Tools], "Completion"]
    CompleteFor = Callable[[str, list[Message], Tools], "Completion"]

UNANSWERED = "The call could not be read."
"""Stands for the result of calls whose arguments were no JSON: servers refuse a history without results."""


class Completion:
    """One chat completion: the reply for the row, and the message for the history."""

    def __init__(self, body: dict[str, Any], latency: float) -> None:
        """Reads the JSON of a response.

        Raises:
            TransientError: It holds no assistant message.
        """
        message = _message(body)
        calls = _calls(message)
        usage = body.get("usage")
        tokens = usage if isinstance(usage, dict) else {}
        reasoning = message.get("reasoning_content") or message.get("reasoning")
        self.reply = Reply(
            emission=[{call["function"]["name"]: call["function"]["arguments"]} for call in calls]
            if calls
            else message.get("content"),
            input_tokens=_count(tokens.get("prompt_tokens")),
            output_tokens=_count(tokens.get("completion_tokens")),
            latency=latency,
            reasoning=reasoning if isinstance(reasoning, str) else "",
        )
        # Only what every server takes back: reasoning and vendors' own fields stay out.
        self.message: Message = {"role": "assistant", "content": message.get("content")}
        if calls:
            self.message["tool_calls"] = calls


def _count(tokens: object) -> int:
    return tokens if isinstance(tokens, int) else 0


def _message(body: dict[str, Any]) -> dict[str, Any]:
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise TransientError("malformed_body", "the response holds no choices[0].message")
    return message


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The tool calls of a message in the shape that goes back to the server; none if one is malformed."""
    raw = message.get("tool_calls")
    calls = []
    for call in raw if isinstance(raw, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return []
        calls.append(
            {
                "id": call.get("id"),
                "type": "function",
                "function": {"name": function["name"], "arguments": function.get("arguments")},
            }
        )
    return calls


class ChatBackend:
    """A model behind a function that takes a case id, messages and tools and gives a completion."""

    def __init__(self, complete: CompleteFor, *, prompting: bool, sampling: dict[str, Any]) -> None:
        self._complete = complete
        self.sampling = sampling
        self._dialogue = PromptedDialogue if prompting else ToolDialogue
        self.decoder = "prompting" if prompting else "structured"

    def open(self, case: Case) -> ToolDialogue | PromptedDialogue:
        """A dialogue that offers the case's functions as tools, or in the system prompt."""
        return self._dialogue(partial(self._complete, case.id), case.entry["function"])


class ToolDialogue:
    """Function calling: functions are tools, calls and results are structured."""

    def __init__(self, complete: Complete, functions: list[dict[str, Any]]) -> None:
        self._complete = complete
        self.offered = list(functions)
        self._tools = chat_tools(self.offered)
        self._messages: list[Message] = []
        self.last_message: Message = {}
        self._calls = 0
        self._unanswered: list[str] = []

    def hand_over(self, functions: list[dict[str, Any]]) -> list[Message]:
        """Adds the functions to the tools, and upstream's sentence that says so."""
        self.offered += functions
        self._tools = chat_tools(self.offered)
        prompts = upstream("constants.default_prompts")
        return [{"role": "user", "content": prompts.DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC}]

    def add_user_turn(self, messages: list[Message]) -> list[Message]:
        """The messages as they are."""
        self._answer([UNANSWERED] * len(self._unanswered))
        self._messages += messages
        return messages

    def query(self) -> Reply:
        """The next completion."""
        completion = self._complete(self._messages, self._tools)
        self._messages.append(completion.message)
        self.last_message = completion.message
        calls = completion.message.get("tool_calls", [])
        for call in calls:
            self._calls += 1
            # Some servers send none, and results can't be told apart without.
            call["id"] = call["id"] or f"call_{self._calls}"
        self._unanswered = [call["id"] for call in calls]
        return completion.reply

    def decode(self, emission: Emission) -> list[str]:
        """Structured calls only; calls written as text are text here, as upstream."""
        return decode_structured(emission)

    def add_results(self, calls: list[str], results: list[str]) -> None:  # noqa: ARG002 (paired by their ids)
        """One tool message per call."""
        self._answer(results)

    def drop_reply(self) -> None:
        """The reply goes, and with it the calls that would want results."""
        self._messages.pop()
        self._unanswered = []

    def add_message(self, message: Message) -> None:
        """The message as it is; calls that stay in the history are answered first."""
        self._answer([UNANSWERED] * len(self._unanswered))
        self._messages.append(message)

    def _answer(self, results: list[str]) -> None:
        self._messages += [
            {"role": "tool", "content": result, "tool_call_id": call_id}
            for call_id, result in zip(self._unanswered, results, strict=False)
        ]
        self._unanswered = []


class PromptedDialogue:
    """Prompting mode: functions stand in the system prompt, calls are read from the text."""

    def __init__(self, complete: Complete, functions: list[dict[str, Any]]) -> None:
        self._complete = complete
        self.offered = functions
        self._messages: list[Message] = []
        self.last_message: Message = {}

    def hand_over(self, functions: list[dict[str, Any]]) -> list[Message]:
        """A user message with the functions' documents."""
        return [announcement(functions)]

    def add_user_turn(self, messages: list[Message]) -> list[Message]:
        """The messages, in the first turn behind the system prompt."""
        entered = messages if self._messages else with_system_prompt(messages, self.offered)
        self._messages += entered
        return entered

    def query(self) -> Reply:
        """The next completion, asked for without tools."""
        completion = self._complete(self._messages, Tools())
        self.last_message = {"role": "assistant", "content": completion.message["content"]}
        self._messages.append(self.last_message)
        return completion.reply

    def decode(self, emission: Emission) -> list[str]:
        """Calls in BFCL's text format."""
        return decode_prompting(emission)

    def add_results(self, calls: list[str], results: list[str]) -> None:
        """One user message with all results."""
        self._messages.append(results_message(calls, results))

    def drop_reply(self) -> None:
        """The reply goes."""
        self._messages.pop()

    def add_message(self, message: Message) -> None:
        """The message as it is."""
        self._messages.append(message)

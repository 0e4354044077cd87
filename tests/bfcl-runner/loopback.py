"""A model server on a loopback port: it plays BFCL's ground truth over OpenAI's HTTP APIs, and fails as a plan says.

Chat completions (function calling, and prompting mode where a request brings no tools), Responses, the list of
models, ``/health`` and ``/stats``. In a thread of the tests, or as a program that prints its port:

    python tests/bfcl-runner/loopback.py --port 0 --latency 0.05

Nothing that is said depends on the order of requests, so that two runs get the same replies whatever their
scheduling. User text alone doesn't identify a case: clients name it in the header ``X-Case-Id``; without it the
server compares histories (see `Oracle.find`).
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import json
import math
import random
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from email.utils import formatdate
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

from bfcl_runner.agents import play_oracle
from bfcl_runner.benchmark import upstream
from bfcl_runner.dataset import CATEGORIES, load_cases
from bfcl_runner.decoding import decode_structured
from bfcl_runner.environment import Environment
from bfcl_runner.prompting import announcement, system_prompt

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from bfcl_runner.backends.base import Emission
    from bfcl_runner.dataset import Case

HOST = "127.0.0.1"
MODEL = "oracle"
CREATED = 1_700_000_000
"""The time stamp of every reply: what is said is the same in every run."""

CASE_HEADER = "x-case-id"
CHAT_PATH = "/v1/chat/completions"
RESPONSES_PATH = "/v1/responses"

PROSE = ("Let me do that for you.\n", "\nThat should be it.")
REASONING = "The user wants this done, and I have a function for it."
MALFORMED = '{"id": "broken", "choices": [{"message": '


# --- the plan: which requests fail, and how ---------------------------------------------------------------------------


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


# --- what is said, and how the APIs write it --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Speech:
    """A reply before it is put into an API's words.

    Attributes:
        key: Identifies the step in ids.
        emission: The calls or the text.
        input_tokens: The prompt's size, made up.
        ids: Whether calls carry ids of their own, all the same one, or none.
        prose: Text before and after calls.
        reasoning_field: Where a chat message holds reasoning; empty for none.
        wordless: Whether text becomes null.
        usage: Whether tokens are counted.
    """

    key: str
    emission: Emission
    input_tokens: int
    ids: Literal["own", "same", "none"] = "own"
    prose: tuple[str, str] = ("", "")
    reasoning_field: str = ""
    wordless: bool = False
    usage: bool = True

    def calls(self) -> list[tuple[str | None, str, str]]:
        """Id, name and JSON arguments of each structured call."""
        if not isinstance(self.emission, list):
            return []
        named = [(name, arguments) for call in self.emission for name, arguments in call.items()]
        ids = {"own": "call-{key}-{place}", "same": "call-same"}.get(self.ids)
        return [
            (ids and ids.format(key=self.key, place=place), name, arguments)
            for place, (name, arguments) in enumerate(named)
        ]

    @property
    def output_tokens(self) -> int:
        """The reply's size, made up."""
        return len(repr(self.emission)) // 4


def as_text(speech: Speech) -> Speech:
    """The same with calls in BFCL's text format, the prose around them."""
    if not isinstance(speech.emission, list):
        return speech
    calls = (
        f"{name}({', '.join(f'{key}={value!r}' for key, value in json.loads(arguments).items())})"
        for call in speech.emission
        for name, arguments in call.items()
    )
    before, after = speech.prose
    return replace(speech, emission=f"{before}[{', '.join(calls)}]{after}", prose=("", ""))


def chat_body(speech: Speech) -> dict[str, Any]:
    """The response of the chat-completions API."""
    calls = speech.calls()
    text = "".join(speech.prose) or None if calls else speech.emission
    message: dict[str, Any] = {"role": "assistant", "content": None if speech.wordless else text}
    if calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in calls
        ]
    if speech.reasoning_field:
        message[speech.reasoning_field] = REASONING
    body: dict[str, Any] = {
        "id": f"chatcmpl-{speech.key}",
        "object": "chat.completion",
        "created": CREATED,
        "model": MODEL,
        "choices": [
            {"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls" if calls else "stop"}
        ],
    }
    if speech.usage:
        body["usage"] = {
            "prompt_tokens": speech.input_tokens,
            "completion_tokens": speech.output_tokens,
            "total_tokens": speech.input_tokens + speech.output_tokens,
        }
    return body


def responses_body(speech: Speech) -> dict[str, Any]:
    """The response of the Responses API."""
    calls = speech.calls()
    before, after = speech.prose if calls else ("" if speech.wordless else speech.emission, "")
    output: list[dict[str, Any]] = []
    if speech.reasoning_field:
        content = [{"type": "reasoning_text", "text": REASONING}]
        output.append({"type": "reasoning", "id": f"rs_{speech.key}", "summary": [], "content": content})
    output += _message_items(f"msg_{speech.key}", before)
    output += [
        {
            "type": "function_call",
            "id": call_id and f"fc_{call_id}",
            "call_id": call_id,
            "name": name,
            "arguments": arguments,
            "status": "completed",
        }
        for call_id, name, arguments in calls
    ]
    output += _message_items(f"msg_{speech.key}-after", after)
    body: dict[str, Any] = {
        "id": f"resp_{speech.key}",
        "object": "response",
        "created_at": CREATED,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": MODEL,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    if speech.usage:
        body["usage"] = {
            "input_tokens": speech.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": speech.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": speech.input_tokens + speech.output_tokens,
        }
    return body


def _message_items(item_id: str, text: Emission) -> list[dict[str, Any]]:
    """An output message with the text; none for no text."""
    if not text:
        return []
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return [{"type": "message", "id": item_id, "role": "assistant", "status": "completed", "content": content}]


BODIES: dict[str, Callable[[Speech], dict[str, Any]]] = {CHAT_PATH: chat_body, RESPONSES_PATH: responses_body}
"""How each API writes a reply."""


# --- faults -----------------------------------------------------------------------------------------------------------

Ending = Literal["kept", "truncated", "closed", "reset", "refused"]
"""What becomes of a connection: see `FAULTS`."""


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


Fault = Callable[[Answer, Rule], None]


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


def error_body(message: str) -> str:
    """An error as OpenAI's APIs word it."""
    return json.dumps({"error": {"message": message, "type": "loopback", "param": None, "code": None}})


# --- whose turn it is -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Conversation:
    """The history in a request.

    Attributes:
        structured: Whether tools are offered.
        users: The text of each user turn so far.
        step: How many steps of the last turn have their results.
        results: The results of calls; in prompting mode the messages that hold them.
        body: The request's body.
    """

    structured: bool
    users: tuple[str, ...]
    step: int
    results: list[str]
    body: bytes

    @property
    def turn(self) -> int:
        """Place of the turn asked for, from 0."""
        return len(self.users) - 1

    def offered(self) -> list[str] | str:
        """The names of the tools, or without tools the first message, which describes the functions."""
        request = json.loads(self.body)
        if self.structured:
            return [tool.get("function", tool)["name"] for tool in request["tools"]]
        history = request.get("messages") or request["input"]
        return _text(history[0]["content"])

    def result_texts(self) -> list[str]:
        """Every result so far."""
        texts: list[str] = []
        for result in self.results:
            is_list = result.startswith(RESULT_LIST_START)
            texts += [entry["content"] for entry in ast.literal_eval(result)] if is_list else [result]
        return texts


RESULT_LIST_START = "[{'role': 'tool'"
RESULT_STARTS = (RESULT_LIST_START, "<tool_response>")
"""How user messages begin that bring results: in prompting mode, and in Responses without ids."""

_HISTORY = re.compile(rb'"(?:messages|input)":\s*(?=\[)')
_ANY_TOOLS = re.compile(rb'"tools":\s*\[\s*\{')


def read_conversation(body: bytes) -> Conversation:
    """The history in a request of either API.

    Tool schemas are most of a request, and reading them takes twenty times as long as all else that the server
    does: where the history stands before them, as the SDK writes it, only the history is read.

    Raises:
        ValueError: The body holds no history, or is no JSON.
    """
    tools = _ANY_TOOLS.search(body)
    history = _HISTORY.search(body, 0, tools.start() if tools else len(body))
    if history:
        items, _ = json.JSONDecoder().raw_decode(body[history.end() :].decode())
    else:
        request = json.loads(body)
        items = request.get("messages") or request.get("input")
        if isinstance(items, str):
            items = [{"role": "user", "content": items}]
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        message = "neither messages nor input is a list of objects"
        raise ValueError(message)
    return _conversation(items, body, structured=tools is not None)


def _conversation(items: list[dict[str, Any]], body: bytes, *, structured: bool) -> Conversation:
    conversation = Conversation(structured, (), 0, [], body)
    after_result = False
    for item in items:
        text = _text(item.get("output", item.get("content")))
        is_result = _is_result(item, text)
        if is_result:
            conversation.results.append(text)
            conversation.step += not after_result  # the results of one step stand together
        elif item.get("role") == "user":
            conversation.users += (text,)
            conversation.step = 0
        after_result = is_result
    return conversation


def _is_result(item: dict[str, Any], text: str) -> bool:
    if item.get("role") == "user":
        return text.startswith(RESULT_STARTS)
    return item.get("role") == "tool" or item.get("type") == "function_call_output"


def _text(content: object) -> str:
    """The text of a message's content, a text or a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


class Oracle:
    """Knows the ground truth of the cases of some categories."""

    def __init__(self, categories: Iterable[str] = CATEGORIES) -> None:
        self._cases = {case.id: case for category in categories for case in load_cases(category)}
        self._scripts: dict[tuple[str, int], list[Emission]] = {}
        self._prompts: dict[str, str] = {}
        self._results: dict[str, list[tuple[str, ...]]] = {}

    def emission(self, case_id: str, turn: int, step: int) -> Emission:
        """What to say in a step; beyond the last of a turn, the words that end the turn.

        Raises:
            LookupError: There is no such case or turn.
        """
        script = self._scripts.get((case_id, turn))
        if script is None:
            case = self._cases.get(case_id)
            if case is None or not 0 <= turn < len(case.ground_truth):
                message = f"no case {case_id!r} with a turn {turn}"
                raise LookupError(message)
            script = self._scripts[case_id, turn] = play_oracle(case, turn)
        return script[min(step, len(script) - 1)]

    def find(self, conversation: Conversation) -> tuple[str, bool]:
        """The id of the case that a history belongs to, and whether no other case could be meant.

        User texts come first; where they leave cases that go on differently, the functions offered, then the
        results so far decide. Of the 6260 requests of all cases this leaves 21 undecided, all between
        categories: a case and its twin with long context or a missing parameter, before any result could tell
        them apart. The first in the order of the categories is taken.

        Raises:
            LookupError: No case has this history.
        """
        found = list(self._by_users.get(conversation.users, {}).values())
        if not found:
            message = "no case has these user turns"
            raise LookupError(message)
        for agrees in (self._offers, self._has_results):
            if not self._agreed(found, conversation):
                found = [case for case in found if agrees(case, conversation)] or found
        return found[0].id, self._agreed(found, conversation)

    def _agreed(self, cases: list[Case], conversation: Conversation) -> bool:
        """Whether all the cases go on in the same way."""
        first, *others = (self.emission(case.id, conversation.turn, conversation.step) for case in cases)
        return all(other == first for other in others)

    @cached_property
    def _by_users(self) -> dict[tuple[str, ...], dict[str, Case]]:
        """The cases, by id, that start with some user turns."""
        index: dict[tuple[str, ...], dict[str, Case]] = defaultdict(dict)
        for case in self._cases.values():
            for users in _user_turns(case):
                for count in range(1, len(users) + 1):
                    index[users[:count]][case.id] = case
        return index

    def _offers(self, case: Case, conversation: Conversation) -> bool:
        """Whether the functions offered are the case's, with or without those handed over so far."""
        offered = conversation.offered()
        if isinstance(offered, str):
            if case.id not in self._prompts:
                self._prompts[case.id] = system_prompt(case.entry["function"])
            return self._prompts[case.id] in offered
        names = [function["name"].replace(".", "_") for function in case.entry["function"]]
        handed_over = [functions for turn, functions in _held_out(case).items() if turn <= conversation.turn]
        return offered in (names, names + [function["name"] for functions in handed_over for function in functions])

    def _has_results(self, case: Case, conversation: Conversation) -> bool:
        """Whether the history holds what the case's ground truth results in."""
        if case.id not in self._results:
            environment = Environment(case)
            self._results[case.id] = [
                tuple(environment.execute(call) for call in self._calls(case, turn))
                for turn in range(len(case.ground_truth))
            ]
        turns = self._results[case.id][: conversation.turn + bool(conversation.step)]
        return conversation.result_texts() == [result for turn in turns for result in turn]

    def _calls(self, case: Case, turn: int) -> list[str]:
        first = self.emission(case.id, turn, 0)
        return decode_structured(first) if isinstance(first, list) else []


def _held_out(case: Case) -> dict[int, list[dict[str, Any]]]:
    """The functions that a case hands over, by turn."""
    return {int(turn): functions for turn, functions in case.entry.get("missed_function", {}).items()}


def _user_turns(case: Case) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The text of each user turn, where functions are handed over in one sentence, and where they are printed."""
    sentence: str = upstream("constants.default_prompts").DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC
    printed = {turn: announcement(functions)["content"] for turn, functions in _held_out(case).items()}
    texts = ["".join(message["content"] for message in question) for question in case.entry["question"]]
    return (
        tuple(sentence if turn in printed else text for turn, text in enumerate(texts)),
        tuple(printed.get(turn, text) for turn, text in enumerate(texts)),
    )


# --- HTTP -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request as it came in; the names of headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def take_request(received: bytearray) -> HttpRequest | None:
    """The first request, removed from what was received; None while it isn't there as a whole."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = received[:end].decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    start = end + len(b"\r\n\r\n")
    size = start + int(headers.get("content-length", 0))
    if len(received) < size:
        return None
    method, path, _ = first.split(" ")
    request = HttpRequest(method, path, headers, bytes(received[start:size]))
    del received[:size]
    return request


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What goes out, when, and what becomes of the connection then.

    Attributes:
        content: Head and body.
        delay: Seconds to wait before.
        ending: As in `Answer`.
        down: As in `Answer`.
        is_reply: Whether it answers a request for a reply, not one for a page.
    """

    content: bytes
    delay: float = 0.0
    ending: Ending = "kept"
    down: float = 0.0
    is_reply: bool = False


def http_content(status: int, body: str, headers: dict[str, str] | None = None) -> bytes:
    """Head and body of a response with JSON."""
    encoded = body.encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(encoded)}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    return "\r\n".join([*lines, "\r\n"]).encode() + encoded


def without_second_half(content: bytes) -> bytes:
    """The head, which promises the whole body, and half the body."""
    head, separator, body = content.partition(b"\r\n\r\n")
    return head + separator + body[: len(body) // 2]


class _Connection(asyncio.Protocol):
    """One client, whose requests are answered one after another."""

    transport: asyncio.Transport

    def __init__(self, server: LoopbackServer) -> None:
        self._server = server
        self._received = bytearray()
        self._under_way: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.connected(self)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._under_way:
            self._under_way.cancel()
            self._server.finished(sent=False)
        self._server.disconnected(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._answer()

    def _answer(self) -> None:
        while self._under_way is None and not self.transport.is_closing():
            request = take_request(self._received)
            if request is None:
                return
            response = self._server.respond(request)
            if response.delay > 0:
                loop = asyncio.get_running_loop()
                self._under_way = loop.call_later(response.delay, self._send_late, response)
            else:
                self._send(response)

    def _send_late(self, response: HttpResponse) -> None:
        self._under_way = None
        self._send(response)
        self._answer()

    def _send(self, response: HttpResponse) -> None:
        if response.is_reply:  # counted first: a client that has the reply finds it counted
            self._server.finished(sent=response.ending in ("kept", "truncated"))
        if response.ending == "kept":
            self.transport.write(response.content)
        elif response.ending == "truncated":
            self.transport.write(without_second_half(response.content))
            self.transport.close()
        elif response.ending == "closed":
            self.transport.close()
        elif response.ending == "reset":
            # Without lingering, closing is a reset.
            lingering = struct.pack("ii", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, lingering)
            self.transport.abort()
        else:
            self._server.go_down(response.down)


# --- the server -------------------------------------------------------------------------------------------------------


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


class LoopbackServer:
    """The oracle on a port of this machine: from the start of a ``with`` block, in a thread of its own, to its end.

    Attributes:
        plan: The rules in force; may be replaced while the server runs.
        port: Where it listens.
        latency: Seconds that every reply takes.
        stats: What it counted.
        requests: The requests for replies that made sense, in order of arrival.
    """

    def __init__(
        self,
        plan: Iterable[Rule] = (),
        *,
        port: int = 0,
        latency: float = 0.0,
        categories: Iterable[str] = CATEGORIES,
        keep_bodies: bool = False,
    ) -> None:
        self.plan = tuple(plan)
        self.port = port
        self.latency = latency
        self.stats = Stats()
        self.requests: list[Request] = []
        self._oracle = Oracle(categories)
        self._keep_bodies = keep_bodies
        self._attempts: Counter[str] = Counter()
        self._faultless: dict[tuple[str, bool, str], bytes] = {}
        self._under_way = 0
        self._connections: set[_Connection] = set()
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="loopback", daemon=True)

    @property
    def base_url(self) -> str:
        """What an OpenAI client is given."""
        return f"http://{HOST}:{self.port}/v1"

    def __enter__(self) -> LoopbackServer:  # noqa: PYI034 (no Self in Python 3.10)
        self._thread.start()
        self._ready.result()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            await self._listen()
        except OSError as error:
            self._ready.set_exception(error)
            return
        self._ready.set_result(None)
        await self._stop.wait()
        self._hang_up()
        await asyncio.sleep(0)  # lets the connections close

    async def _listen(self) -> None:
        self._listener = await self._loop.create_server(lambda: _Connection(self), HOST, self.port, backlog=256)
        self.port = self._listener.sockets[0].getsockname()[1]

    def _hang_up(self) -> None:
        self._listener.close()
        for connection in self._connections:
            connection.transport.abort()

    def go_down(self, seconds: float) -> None:
        """Breaks all connections and refuses new ones for a while; no more than that if it is down already."""
        if not self._listener.is_serving():
            return
        self._hang_up()
        self._outage = self._loop.create_task(self._come_back(seconds))

    async def _come_back(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._listen()

    def connected(self, connection: _Connection) -> None:
        """Notes a new connection."""
        self.stats.connections += 1
        self._connections.add(connection)

    def disconnected(self, connection: _Connection) -> None:
        """Forgets a connection."""
        self._connections.discard(connection)

    def finished(self, *, sent: bool) -> None:
        """Notes that a request for a reply is no longer under way."""
        self._under_way -= 1
        if sent:
            self.stats.last_reply = time.time()

    def respond(self, request: HttpRequest) -> HttpResponse:
        """The response to any request."""
        if request.method == "POST" and request.path in BODIES:
            return self._reply(request)
        page = _PAGES.get(request.path) if request.method == "GET" else None
        if page is None:
            return HttpResponse(http_content(404, error_body(f"nothing at {request.method} {request.path}")))
        return HttpResponse(http_content(200, json.dumps(page(self))))

    def _reply(self, http: HttpRequest) -> HttpResponse:
        arrived = self._count_arrival()
        try:
            request = self._read(http, arrived)
            speech = self._speech(request)
        except (ValueError, LookupError) as error:
            self.stats.senseless += 1
            return HttpResponse(http_content(400, error_body(str(error))), is_reply=True)
        self.requests.append(request)
        rules = [rule for rule in self.plan if rule.strikes(request)]
        if not rules:
            return HttpResponse(self._faultless_content(request, speech), self.latency, is_reply=True)
        answer = Answer(speech, self.latency)
        for rule in rules:
            self.stats.faults[rule.fault] = self.stats.faults.get(rule.fault, 0) + 1
            FAULTS[rule.fault](answer, rule)
        body = _body(request, answer.speech) if answer.body is None else answer.body
        content = http_content(answer.status, body, answer.headers)
        return HttpResponse(content, answer.delay, answer.ending, answer.down, is_reply=True)

    def _count_arrival(self) -> float:
        now = time.time()
        self._under_way += 1
        self.stats.requests += 1
        self.stats.max_concurrent = max(self.stats.max_concurrent, self._under_way)
        self.stats.first_request = self.stats.first_request or now
        self.stats.last_request = now
        return now

    def _read(self, http: HttpRequest, arrived: float) -> Request:
        conversation = read_conversation(http.body)
        case_id = http.headers.get(CASE_HEADER)
        if case_id is None:
            case_id, decided = self._oracle.find(conversation)
            self.stats.undecided += not decided
        step_key = f"{case_id}-{conversation.turn}-{conversation.step}"
        self._attempts[step_key] += 1
        return Request(
            number=self.stats.requests,
            path=http.path,
            structured=conversation.structured,
            case_id=case_id,
            turn=conversation.turn,
            step=conversation.step,
            attempt=self._attempts[step_key],
            arrived=arrived,
            headers=http.headers,
            body=http.body if self._keep_bodies else None,
        )

    def _speech(self, request: Request) -> Speech:
        emission = self._oracle.emission(request.case_id, request.turn, request.step)
        return Speech(request.key, emission, input_tokens=100 * (request.turn + 1) + request.step)

    def _faultless_content(self, request: Request, speech: Speech) -> bytes:
        """The whole HTTP response, made once."""
        key = (request.path, request.structured, request.key)
        if key not in self._faultless:
            self._faultless[key] = http_content(200, _body(request, speech))
        return self._faultless[key]


def _body(request: Request, speech: Speech) -> str:
    return json.dumps(BODIES[request.path](speech if request.structured else as_text(speech)))


def _stats_page(server: LoopbackServer) -> dict[str, Any]:
    return {**asdict(server.stats), "cpu_seconds": time.process_time()}


def _models_page(_: LoopbackServer) -> dict[str, Any]:
    model = {"id": MODEL, "object": "model", "created": CREATED, "owned_by": "loopback"}
    return {"object": "list", "data": [model]}


_PAGES: dict[str, Callable[[LoopbackServer], dict[str, Any]]] = {
    "/health": lambda _: {},
    "/stats": _stats_page,
    "/v1/models": _models_page,
}
"""What GET finds. ``cpu_seconds`` is what the server's process has used since its start."""


class LoopbackProcess:
    """The server as a program of its own, for the length of a ``with`` block: its CPU time isn't the caller's.

    Attributes:
        port: Where it listens.
    """

    def __init__(
        self, plan: Iterable[Rule] = (), *, latency: float = 0.0, categories: Iterable[str] = CATEGORIES
    ) -> None:
        rules = json.dumps([asdict(rule) for rule in plan], default=list)
        self._command = [sys.executable, __file__, "--latency", str(latency), "--plan", rules]
        self._command += ["--categories", *categories]

    @property
    def base_url(self) -> str:
        """What an OpenAI client is given."""
        return f"http://{HOST}:{self.port}/v1"

    def __enter__(self) -> LoopbackProcess:  # noqa: PYI034 (no Self in Python 3.10)
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        first_line = self._process.stdout.readline()
        if not first_line:
            with self._process:
                message = f"the server ended with status {self._process.wait()} before it listened"
            raise RuntimeError(message)
        self.port = int(first_line)
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.terminate()

    def stats(self) -> dict[str, Any]:
        """The fields of `Stats`, and the ``cpu_seconds`` of the process, its start included."""
        with urllib.request.urlopen(f"http://{HOST}:{self.port}/stats") as response:
            page: dict[str, Any] = json.load(response)
            return page


def main() -> None:
    """Runs the server until it is stopped; the first line of the output is the port."""
    parser = argparse.ArgumentParser(description="A model server that plays BFCL's ground truth.")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that every reply takes")
    parser.add_argument("--categories", nargs="+", default=CATEGORIES, choices=CATEGORIES)
    parser.add_argument("--plan", type=json.loads, default=[], help="a JSON list of rules, their fields as keys")
    arguments = parser.parse_args()
    plan = [Rule(**rule) for rule in arguments.plan]
    server = LoopbackServer(plan, port=arguments.port, latency=arguments.latency, categories=arguments.categories)
    with suppress(KeyboardInterrupt), server:
        print(server.port, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()

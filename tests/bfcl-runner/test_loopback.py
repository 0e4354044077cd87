"""The loopback model server, as the openai SDK sees it: the oracle's words over three APIs, and every fault."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
import urllib.request
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import openai
import pytest

from bfcl_runner.agents import play_oracle
from bfcl_runner.benchmark import upstream
from bfcl_runner.dataset import CATEGORIES, Case, load_cases
from bfcl_runner.decoding import decode_structured
from bfcl_runner.environment import Environment, public_methods
from bfcl_runner.literal_calls import parse_call
from bfcl_runner.prompt_decoding import decode_prompting
from bfcl_runner.prompting import announcement, results_message, with_system_prompt
from bfcl_runner.tool_schemas import chat_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bfcl_runner.backends.base import Emission

SOME_CASES = (40, 43, 180)
"""40 and 43 begin with the same words; 180 has two empty turns in two categories."""


# --- three ways to talk -----------------------------------------------------------------------------------------------


class _Chat:
    """Function calling over chat completions."""

    def __init__(self, client: openai.OpenAI, functions: list[dict[str, Any]]) -> None:
        self._client = client
        self._functions = list(functions)
        self._history: list[Any] = []
        self._ids: list[str] = []

    def hear(self, question: list[Any], functions: list[dict[str, Any]] | None) -> None:
        """A user turn, or functions handed over."""
        if functions is not None:
            self._functions += functions
            text = upstream("constants.default_prompts").DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC
            question = [{"role": "user", "content": text}]
        self._history += question

    def ask(self) -> Emission:
        """The next step."""
        message = (
            self._client.chat.completions.create(
                model="m",
                messages=self._history,
                tools=chat_tools(self._functions),  # type: ignore[arg-type]
            )
            .choices[0]
            .message
        )
        calls: list[Any] = list(message.tool_calls or [])
        self._history.append(message.model_dump(exclude_none=True))
        self._ids = [call.id for call in calls]
        assert len(set(self._ids)) == len(self._ids)
        return [{call.function.name: call.function.arguments} for call in calls] or message.content

    def decode(self, emission: Emission) -> list[str]:
        """The calls in a step."""
        return decode_structured(emission) if isinstance(emission, list) else []

    def tell(self, calls: list[str], results: list[str]) -> None:
        """The results of the last step."""
        self._history += [
            {"role": "tool", "tool_call_id": call_id, "content": result}
            for call_id, result in zip(self._ids, results, strict=True)
        ]


class _Prompting(_Chat):
    """Prompting mode over chat completions."""

    def hear(self, question: list[Any], functions: list[dict[str, Any]] | None) -> None:
        """A user turn, or functions handed over."""
        messages = question if functions is None else [announcement(functions)]
        self._history += messages if self._history else with_system_prompt(messages, self._functions)

    def ask(self) -> Emission:
        """The next step."""
        message = self._client.chat.completions.create(model="m", messages=self._history).choices[0].message
        self._history.append({"role": "assistant", "content": message.content})
        return message.content

    def decode(self, emission: Emission) -> list[str]:
        """The calls in a step."""
        return decode_prompting(emission) if str(emission).startswith("[") else []

    def tell(self, calls: list[str], results: list[str]) -> None:
        """The results of the last step."""
        self._history.append(results_message(calls, results))


class _Responses(_Chat):
    """Function calling over the Responses API."""

    def ask(self) -> Emission:
        """The next step."""
        tools: list[Any] = [{"type": "function", **tool["function"]} for tool in chat_tools(self._functions)]
        response = self._client.responses.create(model="m", input=self._history, tools=tools)
        calls = [item for item in response.output if item.type == "function_call"]
        self._history += [item.model_dump(exclude_none=True) for item in response.output]
        self._ids = [call.call_id for call in calls]
        assert len(set(self._ids)) == len(self._ids)
        return [{call.name: call.arguments} for call in calls] or response.output_text

    def tell(self, calls: list[str], results: list[str]) -> None:
        """The results of the last step."""
        self._history += [
            {"type": "function_call_output", "call_id": call_id, "output": result}
            for call_id, result in zip(self._ids, results, strict=True)
        ]


APIS = {"chat": _Chat, "prompting": _Prompting, "responses": _Responses}


def _play(talk: _Chat, case: Case) -> list[list[Any]]:
    """What was said in each turn of a case: lists of parsed calls, and texts."""
    names = {name for class_name in case.involved_classes for name in public_methods(class_name)}
    held_out: dict[str, list[dict[str, Any]]] = case.entry.get("missed_function", {})
    environment = Environment(case)
    said: list[list[Any]] = []
    for turn, question in enumerate(case.entry["question"]):
        talk.hear(question, held_out.get(str(turn)))
        said.append([])
        while not said[-1] or isinstance(said[-1][-1], list):
            emission = talk.ask()
            calls = talk.decode(emission)
            said[-1].append([parse_call(call, names) for call in calls] or emission)
            if calls:
                talk.tell(calls, [environment.execute(call) for call in calls])
    return said


def _oracle(case: Case) -> list[list[Any]]:
    """The same from the scripted agent."""
    names = {name for class_name in case.involved_classes for name in public_methods(class_name)}
    return [
        [
            [parse_call(call, names) for call in decode_structured(emission)]
            if isinstance(emission, list)
            else emission
            for emission in play_oracle(case, turn)
        ]
        for turn in range(len(case.ground_truth))
    ]


def _client(server: Any, case: Case | None = None, timeout: float = 30.0) -> openai.OpenAI:
    headers = {"X-Case-Id": case.id} if case else {}
    return openai.OpenAI(api_key="k", base_url=server.base_url, max_retries=0, timeout=timeout, default_headers=headers)


# --- the oracle's words -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False], ids=["named", "found"])
@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("api", APIS)
def test_plays_the_oracle(loopbacks: Any, api: str, category: str, named: bool) -> None:
    """Whole conversations, with the case in a header, and found by the history."""
    server = loopbacks.start(categories=[category])
    for number in SOME_CASES:
        case = load_cases(category)[number]
        with _client(server, case if named else None) as client:
            assert _oracle(case) == _play(APIS[api](client, case.entry["function"]), case)
    assert (server.stats.undecided, server.stats.senseless) == (0, 0)


def test_twins_of_other_categories_are_counted_as_undecided(loopbacks: Any) -> None:
    """Base 180 and its long-context twin go on differently before any result tells them apart."""
    server = loopbacks.start()
    case = load_cases("base")[180]
    with _client(server) as client:
        assert _oracle(case) == _play(_Chat(client, case.entry["function"]), case)
    assert 0 < server.stats.undecided < server.stats.requests


@pytest.mark.parametrize(
    ("case_id", "messages", "complaint"),
    [
        ("multi_turn_base_999", [{"role": "user", "content": "x"}], "no case 'multi_turn_base_999' with a turn 0"),
        ("multi_turn_base_0", [{"role": "user", "content": "x"}] * 9, "no case 'multi_turn_base_0' with a turn 8"),
        (None, [{"role": "user", "content": "x"}], "no case has these user turns"),
        (None, ["x"], "neither messages nor input"),
    ],
)
def test_senseless_requests_are_refused(
    loopbacks: Any, case_id: str | None, messages: list[Any], complaint: str
) -> None:
    """A mistake of the client's is a 400 that says so, never some reply."""
    server = loopbacks.start()
    headers = {"X-Case-Id": case_id} if case_id else {}
    with _client(server) as client, pytest.raises(openai.BadRequestError, match=re.escape(complaint)):
        client.chat.completions.create(model="m", messages=messages, extra_headers=headers)
    assert server.stats.senseless == 1


# --- one request ------------------------------------------------------------------------------------------------------


@pytest.fixture
def case(benchmark: None) -> Case:
    """A case whose first turn has two calls."""
    return next(case for case in load_cases("base") if len(case.ground_truth[0]) == 2)


@pytest.fixture
def ask(loopbacks: Any, case: Case) -> Iterator[Any]:
    """Asks a server, through the SDK's raw interface, for the first step of the case."""
    clients: dict[int, openai.OpenAI] = {}

    def ask(server: Any, *, timeout: float = 30.0) -> Any:
        client = clients.setdefault(server.port, _client(server, case, timeout))
        return client.chat.completions.with_raw_response.create(
            model="m",
            messages=case.entry["question"][0],
            tools=chat_tools(case.entry["function"]),  # type: ignore[arg-type]
        )

    yield ask
    for client in clients.values():
        client.close()


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (503, openai.InternalServerError),
    ],
)
def test_statuses(loopbacks: Any, ask: Any, status: int, error: type[openai.APIStatusError]) -> None:
    """Error statuses arrive with a body that says whose they are, the connection stays, the next try succeeds."""
    server = loopbacks.start(loopbacks.rule(str(status), numbers=[1]))
    with pytest.raises(error) as raised:
        ask(server)
    assert (status, f"injected HTTP {status}") == (raised.value.status_code, raised.value.body["message"])  # type: ignore[index]
    assert ask(server).status_code == 200
    assert (1, {str(status): 1}) == (server.stats.connections, server.stats.faults)


def test_retry_after(loopbacks: Any, ask: Any) -> None:
    """All three forms, or none."""
    forms = [None, "seconds", "date", "milliseconds"]
    rules = [
        loopbacks.rule("429", numbers=[number], seconds=1.5, retry_after=form) for number, form in enumerate(forms, 1)
    ]
    server = loopbacks.start(*rules)
    seen = []
    for _ in forms:
        with pytest.raises(openai.RateLimitError) as raised:
            ask(server)
        headers = raised.value.response.headers
        seen.append((headers.get("retry-after"), headers.get("retry-after-ms")))
    date = parsedate_to_datetime(seen[2][0]).timestamp()
    assert [(None, None), ("1.5", None), (seen[2][0], None), (None, "1500")] == seen
    assert server.requests[2].arrived + 1.5 <= date < time.time() + 2.5


@pytest.mark.parametrize("fault", ["closed", "reset", "truncated"])
def test_broken_connections(loopbacks: Any, ask: Any, fault: str) -> None:
    """Connections that end too early are connection errors, and the next request opens a new one."""
    server = loopbacks.start(loopbacks.rule(fault, numbers=[1]))
    with pytest.raises(openai.APIConnectionError):
        ask(server)
    assert ask(server).status_code == 200
    assert server.stats.connections == 2


def test_refused_connections(loopbacks: Any, ask: Any) -> None:
    """For a while nobody listens; then the same port answers again."""
    server = loopbacks.start(loopbacks.rule("refused", numbers=[1], seconds=1.0))
    causes = []
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            answer = ask(server)
            break
        except openai.APIConnectionError as error:
            causes.append(str(error.__cause__))
            time.sleep(0.1)
    assert answer.status_code == 200
    assert any("refused" in cause for cause in causes)
    assert server.stats.requests == 2


@pytest.mark.parametrize(
    ("fault", "options", "content"),
    [
        ("empty", {}, b""),
        ("malformed", {}, b'{"id": "broken", "choices": [{"message": '),
        ("body", {"body": '{"choices": []}'}, b'{"choices": []}'),
    ],
)
def test_bodies(loopbacks: Any, ask: Any, fault: str, options: dict[str, str], content: bytes) -> None:
    """Status 200 with something else than a reply."""
    answer = ask(loopbacks.start(loopbacks.rule(fault, **options)))
    assert (200, content) == (answer.status_code, answer.http_response.content)


def test_slow_replies(loopbacks: Any, ask: Any) -> None:
    """A reply that takes longer than the client waits; the server forgets it and stops at once."""
    server = loopbacks.start(loopbacks.rule("slow", numbers=[1], seconds=600.0))
    with pytest.raises(openai.APITimeoutError):
        ask(server, timeout=0.3)
    assert (server.stats.requests, server.stats.last_reply) == (1, None)


def _spoken(loopbacks: Any, ask: Any, *plan: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(ask(loopbacks.start(*plan)).http_response.content)
    return body


def test_calls_and_their_ids(loopbacks: Any, ask: Any) -> None:
    """Ids of their own, one for all, or null."""
    ids = []
    for plan in ((), (loopbacks.rule("same-ids"),), (loopbacks.rule("no-ids"),)):
        message = _spoken(loopbacks, ask, *plan)["choices"][0]["message"]
        assert message["content"] is None
        ids.append([call["id"] for call in message["tool_calls"]])
    assert [len(set(some)) for some in ids] == [2, 1, 1]
    assert ids[2] == [None, None]


def test_additions_to_a_reply(loopbacks: Any, ask: Any) -> None:
    """Prose beside calls, reasoning under both its names, no usage; the calls stay what they were."""
    plain = _spoken(loopbacks, ask)
    plan = [loopbacks.rule(fault) for fault in ("prose", "reasoning_content", "no-usage")]
    odd = _spoken(loopbacks, ask, *plan)
    message = odd["choices"][0]["message"]
    assert plain["choices"][0]["message"]["tool_calls"] == message["tool_calls"]
    assert {"prompt_tokens", "completion_tokens", "total_tokens"} == set(plain["usage"])
    assert "usage" not in odd
    assert message["content"].startswith("Let me do that")
    assert message["reasoning_content"]
    assert _spoken(loopbacks, ask, loopbacks.rule("reasoning"))["choices"][0]["message"]["reasoning"]


def test_oddities_in_prompting_mode(loopbacks: Any, case: Case) -> None:
    """Prose stands around the calls, null in place of text."""
    server = loopbacks.start(loopbacks.rule("prose"))
    with _client(server, case) as client:
        talk = _Prompting(client, case.entry["function"])
        talk.hear(case.entry["question"][0], None)
        text = talk.ask()
        server.plan = (loopbacks.rule("null-content"),)
        assert talk.ask() is None
    assert re.fullmatch(r"Let me do that for you\.\n\[.+\]\nThat should be it\.", str(text))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"a": "b", "c": null}', "[f(a='b', c=None)]"),
        ("{}", "[f()]"),
        ('{"a": ', '[f({"a": )]'),
        ("[1]", "[f([1])]"),
        ("null", "[f(null)]"),
        ("", "[f()]"),
        ("[" * 100_000, f"[f({'[' * 100_000})]"),
        ({"a": "b"}, "[f({'a': 'b'})]"),
    ],
    ids=["object", "empty object", "cut off", "list", "null", "nothing", "deep", "no text"],
)
def test_any_arguments_in_prompting_mode(loopbacks: Any, case: Case, arguments: Any, text: str) -> None:
    """Arguments become Python's; what is no JSON object stands between the parentheses as it is."""
    server = loopbacks.start(loopbacks.rule("emission", emission=[{"f": arguments}]), categories=["base"])
    with _client(server, case) as client:
        talk = _Prompting(client, case.entry["function"])
        talk.hear(case.entry["question"][0], None)
        assert text == talk.ask()


def test_oddities_in_responses(loopbacks: Any, case: Case) -> None:
    """Reasoning and prose are items of their own, calls without ids have null, wordless replies no item at all."""
    faults = ("prose", "reasoning", "no-usage", "no-ids")
    server = loopbacks.start(*(loopbacks.rule(fault) for fault in faults), categories=["base"])
    request: dict[str, Any] = {"input": case.entry["question"][0], "tools": [{"type": "function", "name": "f"}]}
    with _client(server, case) as client:

        def items() -> list[dict[str, Any]]:
            raw = client.responses.with_raw_response.create(model="m", extra_body=request)
            body = json.loads(raw.http_response.content)
            assert "usage" not in body
            output: list[dict[str, Any]] = body["output"]
            return output

        output = items()
        server.plan = (loopbacks.rule("emission", emission=None), loopbacks.rule("no-usage"))
        assert items() == []
    assert [item["type"] for item in output] == ["reasoning", "message", "function_call", "function_call", "message"]
    assert [item["call_id"] for item in output[2:4]] == [None, None]


def test_another_emission(loopbacks: Any, ask: Any) -> None:
    """What a test wants said."""
    emission = [{"__import__('os').system": json.dumps({"command": "x" * 1_000_000})}] * 3
    plan = loopbacks.rule("emission", emission=emission)
    calls = _spoken(loopbacks, ask, plan)["choices"][0]["message"]["tool_calls"]
    assert emission == [{call["function"]["name"]: call["function"]["arguments"]} for call in calls]


# --- which requests are struck ----------------------------------------------------------------------------------------


def test_selections(loopbacks: Any, case: Case) -> None:
    """By attempt, turn and step at once: only the first try of the second turn's last step fails."""
    server = loopbacks.start(loopbacks.rule("500", cases=[case.id], turns=[1], steps=[1], attempts=[1]))
    with _client(server, case) as client:
        talk = _Chat(client, case.entry["function"])
        failures = 0

        def patient_ask() -> Emission:
            nonlocal failures
            try:
                return ask_once()
            except openai.InternalServerError:
                failures += 1
                return ask_once()

        ask_once, talk.ask = talk.ask, patient_ask  # type: ignore[method-assign]
        assert _oracle(case) == _play(talk, case)
    assert failures == 1
    assert [request.attempt for request in server.requests if (request.turn, request.step) == (1, 1)] == [1, 2]
    assert sum(request.attempt == 2 for request in server.requests) == 1


def test_other_cases_are_spared(loopbacks: Any, ask: Any) -> None:
    """A rule for one case leaves the others alone."""
    assert ask(loopbacks.start(loopbacks.rule("500", cases=["multi_turn_base_199"]))).status_code == 200


def test_chances_do_not_depend_on_the_order(loopbacks: Any) -> None:
    """The same tries fail whichever comes first, about as many as the probability says; another seed, others."""
    cases = load_cases("base")[:60]

    def struck(order: list[Case], seed: int) -> set[str]:
        server = loopbacks.start(loopbacks.rule("503", probability=0.3, seed=seed), categories=["base"])
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        failed = set()
        for case in order:
            body = json.dumps({"messages": case.entry["question"][0]})
            connection.request("POST", "/v1/chat/completions", body, {"X-Case-Id": case.id})
            with connection.getresponse() as response:
                response.read()
                failed |= {case.id} if response.status == 503 else set()
        connection.close()
        return failed

    first = struck(list(cases), seed=1)
    assert first == struck(list(reversed(cases)), seed=1)
    assert first != struck(list(cases), seed=2)
    assert 8 <= len(first) <= 30


def test_unknown_faults_are_refused(loopbacks: Any) -> None:
    """A typing mistake in a plan must not make a test pass."""
    with pytest.raises(ValueError, match="'42' is none of 400, 401,"):
        loopbacks.rule("42")


# --- the server -------------------------------------------------------------------------------------------------------


def test_keeps_connections_and_counts(loopbacks: Any, ask: Any, case: Case) -> None:
    """Requests of one client share a connection; each is on record, its body where wanted."""
    before = time.time()
    server = loopbacks.start(keep_bodies=True)
    ask(server)
    ask(server)
    stats = server.stats
    assert (stats.requests, stats.connections, stats.max_concurrent) == (2, 1, 1)
    assert before <= stats.first_request <= stats.last_request <= stats.last_reply <= time.time()
    assert [(1, case.id, 0, 0, 1), (2, case.id, 0, 0, 2)] == [
        (request.number, request.case_id, request.turn, request.step, request.attempt) for request in server.requests
    ]
    assert server.requests[0].headers["authorization"] == "Bearer k"
    assert json.loads(server.requests[0].body)["model"] == "m"


def test_many_at_once(loopbacks: Any, case: Case) -> None:
    """64 requests are under way together."""
    server = loopbacks.start(latency=2.0)
    body = json.dumps({"messages": case.entry["question"][0]})
    statuses: list[int] = []

    def request() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("POST", "/v1/chat/completions", body, {"X-Case-Id": case.id})
        with connection.getresponse() as response:
            response.read()
            statuses.append(response.status)
        connection.close()

    threads = [threading.Thread(target=request) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 64
    assert server.stats.max_concurrent == 64


def test_the_same_port_again(loopbacks: Any, loopback: Any, ask: Any) -> None:
    """A server may come back where another one was; two at once are an error."""
    with loopback.LoopbackServer() as first:
        ask(first)
        with pytest.raises(OSError, match="in use"):
            loopbacks.start(port=first.port)
    assert first.port == loopbacks.start(port=first.port).port


def test_as_a_program(loopbacks: Any, case: Case) -> None:
    """The same server in a process of its own, its plan given on the command line."""
    server = loopbacks.start_process(
        loopbacks.rule("emission", emission="no", attempts=range(1, 2)), latency=0.01, categories=["base"]
    )
    with _client(server, case) as client:
        talk = _Chat(client, case.entry["function"])
        talk.hear(case.entry["question"][0], None)
        assert talk.ask() == "no"
        assert [model.id for model in client.models.list()] == ["oracle"]
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/health") as response:
        assert response.status == 200
    stats = server.stats()
    assert (stats["requests"], stats["max_concurrent"], stats["faults"]) == (1, 1, {"emission": 1})
    assert stats["last_reply"] - stats["first_request"] >= 0.01
    assert stats["cpu_seconds"] > 0

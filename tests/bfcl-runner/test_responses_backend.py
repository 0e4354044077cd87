"""Whole conversations over the Responses API, with a server on a loopback port that plays the oracle."""

from __future__ import annotations

import json
import threading
from collections import deque
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import CATEGORIES, RunnerError, judge, load_cases, run_case
from bfcl_runner.agents import ASKING_TEXT, NEUTRAL_TEXT, play_oracle
from bfcl_runner.backends.responses import open_backend, sampling_parameters
from bfcl_runner.decoding import decoder
from bfcl_runner.errors import InfrastructureError
from bfcl_runner.options import ModelOptions
from bfcl_runner.patience import ConcurrencyGate, Patience
from bfcl_runner.prompting import announcement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bfcl_runner import Case
    from bfcl_runner.backends.base import Emission
    from bfcl_runner.backends.responses import ResponsesBackend

    WrittenAs = Callable[[list[tuple[str, str]]], list[dict[str, Any]]]

USAGE = {"input_tokens": 7, "output_tokens": 3}
REASONING = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "Let me see."}], "summary": []}


class Server(ThreadingHTTPServer):
    """Answers requests with the bodies that a test puts in line, and keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: deque[bytes] = deque()
        self.requests: list[dict[str, Any]] = []

    def say(self, *items: dict[str, Any], **fields: object) -> None:
        """Puts a response with these output items in line."""
        self.bodies.append(json.dumps({"output": items, "status": "completed", "usage": USAGE, **fields}).encode())

    def play(self, script: list[list[Emission]], written_as: WrittenAs) -> None:
        """Puts an agent's emissions in line, its calls written in one of several ways."""
        for emission in (emission for turn in script for emission in turn):
            if isinstance(emission, list):
                self.say(REASONING, *written_as([call for calls in emission for call in calls.items()]))
            else:
                self.say(_message(str(emission)))


class Handler(BaseHTTPRequestHandler):
    """One connection to the server."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet, or each reply waits for the client's delayed acknowledgement
    server: Server

    def do_POST(self) -> None:
        """Takes a request and gives the next body."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = self.server.bodies.popleft() if self.path == "/v1/responses" else b"wrong path"
        self.server.requests.append(request)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name is the base class's)
        """Keeps quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with nothing in line."""
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@contextmanager
def _backend(server: Server, *, max_retries: int = 0, **options: Any) -> Iterator[ResponsesBackend]:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    patience = Patience(ConcurrencyGate(1), max_retries=max_retries, max_wait=5)
    with open_backend(ModelOptions("responses", model="m", base_url=url, **options), patience) as backend:
        yield backend


def _message(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def _as_items(calls: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Structured, beside a word of text."""
    return [
        _message("On my way."),
        *(
            {"type": "function_call", "name": name, "arguments": arguments, "call_id": f"call_of_server_{place}"}
            for place, (name, arguments) in enumerate(calls)
        ),
    ]


def _as_tags(calls: list[tuple[str, str]]) -> list[dict[str, Any]]:
    blocks = [
        f'<tool_call>{{"name": {json.dumps(name)}, "arguments": {arguments}}}</tool_call>' for name, arguments in calls
    ]
    return [_message("".join(blocks))]


def _as_harmony(calls: list[tuple[str, str]]) -> list[dict[str, Any]]:
    messages = [
        f"<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}<|call|>"
        for name, arguments in calls
    ]
    return [_message("".join(messages))]


def _script(case: Case) -> list[list[Emission]]:
    """What the oracle says in each turn."""
    return [play_oracle(case, turn) for turn in range(len(case.ground_truth))]


@pytest.mark.usefixtures("benchmark")
@pytest.mark.parametrize("written_as", [_as_items, _as_tags, _as_harmony])
def test_oracle(server: Server, written_as: WrittenAs) -> None:
    """Ten cases of each category pass, however the calls are written, and every request is well-formed."""
    verdicts = []
    with _backend(server) as backend:
        for case in (case for category in CATEGORIES for case in load_cases(category)[:10]):
            server.play(_script(case), written_as)
            row = run_case(case, backend)
            verdicts.append(judge(case, row["result"], decoder(backend.decoder)).valid)
            assert not server.bodies
            steps = [step for turn in row["result"] for step in turn]
            assert all(isinstance(step, str) for step in steps)
            assert row["input_token_count"] == [[USAGE["input_tokens"]] * len(turn) for turn in row["result"]]
            assert row["output_token_count"] == [[USAGE["output_tokens"]] * len(turn) for turn in row["result"]]
            assert row["reasoning_content"] == [
                ["Let me see." if step.startswith("<tool_call>") else "" for step in turn] for turn in row["result"]
            ]
    assert verdicts == [True] * 40
    for request in server.requests:
        _check_history(request["input"])


def _check_history(items: list[dict[str, Any]]) -> None:
    """Every call has a result, in the same order, and text beside calls is gone."""
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    results = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    assert calls == results
    assert "On my way." not in json.dumps(items)


@pytest.mark.usefixtures("benchmark")
def test_a_conversation(server: Server) -> None:
    """What is sent: no system prompt, the tools of the start, results by id, and the held-out function announced."""
    case = load_cases("miss_func")[0]
    held_out = case.entry["missed_function"]
    with _backend(server, temperature=0.5, seed=3) as backend:
        server.play(_script(case), _as_tags)
        run_case(case, backend)
    first, second, *_, last = server.requests
    assert {key: value for key, value in first.items() if key not in ("input", "tools")} == {
        "model": "m",
        "temperature": 0.5,
        "seed": 3,
        "max_output_tokens": 4096,
    }
    assert first["input"] == case.entry["question"][0]
    assert [tool["name"] for tool in first["tools"]] == [function["name"] for function in case.entry["function"]]
    assert '"dict"' not in json.dumps(first["tools"])
    assert all(request["tools"] == first["tools"] for request in server.requests)
    numbers = range(1, len(case.ground_truth[0]) + 1)
    assert [(item["type"], item["id"], item["call_id"]) for item in second["input"][len(first["input"]) :]] == [
        *(("function_call", f"fc_call_{n}", f"call_{n}") for n in numbers),
        *(("function_call_output", f"fco_call_{n}", f"call_{n}") for n in numbers),
    ]
    announced = [item for item in last["input"] if item.get("role") == "user"]
    assert [announced[int(turn)] for turn in held_out] == [announcement(functions) for functions in held_out.values()]
    assert not [item for item in last["input"] if item.get("role") == "system"]
    places = [place for place, item in enumerate(last["input"], start=1) if item.get("type") == "message"]
    assert [last["input"][place - 1]["id"] for place in places] == [f"msg_{place}" for place in places]
    assert len(places) == len(case.ground_truth) - 1


@pytest.mark.usefixtures("benchmark")
def test_replies_without_calls(server: Server) -> None:
    """Text is stored as it is, also where a call item holds no call; silence is empty text."""
    case = next(case for case in load_cases("base") if len(case.ground_truth) == 3)
    with _backend(server) as backend:
        server.say(_message(ASKING_TEXT))
        server.say({"type": "function_call", "name": "ls", "arguments": "[1]", "call_id": "c"}, _message(NEUTRAL_TEXT))
        server.say(REASONING, status="incomplete", usage={"input_tokens": "many"})
        row = run_case(case, backend)
    assert row["result"] == [[ASKING_TEXT], [NEUTRAL_TEXT], [""]]
    assert row["input_token_count"] == [[7], [7], [0]]


@pytest.mark.usefixtures("benchmark")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"output": null}',
        b'{"output": ["text"]}',
        b'{"output": [], "status": "failed", "error": {"message": "out of\\nmemory"}}',
        b'{"output": [], "status": "cancelled"}',
    ],
)
def test_malformed_bodies(server: Server, body: bytes) -> None:
    """They are tried again, and in the end they are an error of the server, never an answer."""
    case = next(case for case in load_cases("base") if len(case.ground_truth) == 1)
    with _backend(server, max_retries=1) as backend:
        server.bodies.append(body)
        server.say(_message(NEUTRAL_TEXT))
        assert run_case(case, backend)["result"] == [[NEUTRAL_TEXT]]
        server.bodies += [body, body]
        with pytest.raises(InfrastructureError) as caught:
            run_case(case, backend)
    assert caught.value.tries == 2
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("benchmark")
def test_hostile_calls(server: Server, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code in names and arguments gets an error as its result, and the conversation goes on."""
    monkeypatch.chdir(tmp_path)
    case = next(case for case in load_cases("base") if len(case.ground_truth) == 1)
    code = "open('evaluated','w')"
    hostile = [
        (code, "{}"),
        (f"{code} or ls", "{}"),
        ("ls", json.dumps({f"a={code},b": 1})),
        ("ls", '{"a": ' * 5_000),
        ("l\x00s", json.dumps({"a": "\ud800"})),
    ]
    with _backend(server) as backend:
        server.say(*_as_items(hostile))
        server.say(_message("\ud800"))
        row = run_case(case, backend)
        judge(case, row["result"], decoder(backend.decoder))
    results = [entry["content"] for entry in row["inference_log"][0]["step_0"] if entry["role"] == "tool"]
    assert [result.startswith("Error during execution: ") for result in results] == [True, True, True, False, True]
    assert len(server.requests[1]["input"]) == 1 + 2 * len(hostile)
    assert list(tmp_path.iterdir()) == []


def test_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment sets tool choice and effort; the option goes before it."""
    limit = {"max_output_tokens": 4096}
    assert sampling_parameters(ModelOptions("responses")) == {"temperature": 0.0, **limit}
    monkeypatch.setenv("GPTOSS_TOOL_CHOICE", "required")
    monkeypatch.setenv("GPTOSS_REASONING_EFFORT", "high")
    assert sampling_parameters(ModelOptions("responses")) == {
        "temperature": 0.0,
        **limit,
        "reasoning": {"effort": "high"},
        "tool_choice": "required",
    }
    effort = sampling_parameters(ModelOptions("responses", reasoning_effort="low"))["reasoning"]
    assert effort == {"effort": "low"}


@pytest.mark.parametrize(("options", "named"), [({}, "--model"), ({"model": "m", "prompting": True}, "--prompting")])
def test_refused_options(options: dict[str, Any], named: str) -> None:
    """What the backend can't do is said before anything starts."""
    patience = Patience(ConcurrencyGate(1), max_retries=0, max_wait=0)
    with pytest.raises(RunnerError, match=named), open_backend(ModelOptions("responses", **options), patience):
        pass

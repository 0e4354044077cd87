"""A judge on a loopback port: it speaks OpenAI's chat completions, and fails as a test's script says.

What it says by itself depends on the evidence alone, so that two runs get the same verdicts whatever their order: met
where a message of the user, as the evidence quotes it, is exactly ``yes``.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOST = "127.0.0.1"
TOKENS = {"prompt_tokens": 100, "completion_tokens": 10}
VERY_LONG = 60.0
"""Seconds: longer than any client of these tests waits, if its time limit works."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that came: its number from 0, which try of its evidence it is, when it came, and what it holds."""

    number: int
    attempt: int
    arrived: float
    headers: dict[str, str]
    body: dict[str, Any]
    evidence: dict[str, Any]

    @property
    def reply_format(self) -> str:
        """How the reply is asked for."""
        kind: str = self.body.get("response_format", {"type": "text"})["type"]
        return kind


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent: the content of a completion, or a body as it is; and what happens to the connection.

    It is ``kept`` until all is sent, ``reset`` before, ``truncated`` in the middle, or ``stalled`` there or ``silent``
    from the beginning for `VERY_LONG`, at most until the server ends.
    """

    content: str | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    refusal: str | None = None
    delay: float = 0.0
    ending: str = "kept"


Script = Callable[[Ask], Reply]


def verdict(met: bool, reasoning: str = "Because.") -> str:
    """A verdict as a judge writes it."""
    return json.dumps({"met": met, "reasoning": reasoning})


def honest(ask: Ask) -> Reply:
    """The verdict that the evidence calls for."""
    said = [message["content"] for message in ask.evidence["messages_before"] if message["role"] == "user"]
    return Reply(verdict("yes" in said))


def refused(status: int, message: str, **headers: str) -> Reply:
    """An error as OpenAI's API words it."""
    return Reply(status=status, headers=headers, body=json.dumps({"error": {"message": message}}))


class JudgeServer:
    """The judge: from the start of a ``with`` block to its end. ``script`` may be replaced meanwhile."""

    def __init__(self, script: Script = honest) -> None:
        self.script = script
        self.asks: list[Ask] = []
        self.most_at_once = 0
        self.ended = threading.Event()
        self._at_once = 0
        self._attempts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._http = _Http((HOST, 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        """What an OpenAI client is given."""
        return f"http://{HOST}:{self._http.server_port}/v1"

    def __enter__(self) -> JudgeServer:  # noqa: PYI034 (no Self in Python 3.10)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def reply_to(self, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        """What the script says of a request, after its delay."""
        evidence = evidence_of(body["messages"][1]["content"])
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            key = json.dumps(evidence)
            self._attempts[key] += 1
            ask = Ask(len(self.asks), self._attempts[key], time.monotonic(), headers, body, evidence)
            self.asks.append(ask)
        try:
            reply = self.script(ask)
            self.ended.wait(VERY_LONG if reply.ending == "silent" else reply.delay)
        finally:
            with self._lock:
                self._at_once -= 1
        return reply


def evidence_of(text: str) -> dict[str, Any]:
    """The one JSON document in a message: it begins with the first brace, and nothing of it is left after the last."""
    document: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    return document


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that are killed, or that time out, are what the tests are about."""


def _handler(server: JudgeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != "/v1/chat/completions":
                self._send(404, {}, "{}")
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.reply_to(headers, body)
            if reply.ending == "reset":
                # Without lingering, closing is a reset.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            self._send(reply.status, reply.headers, _completion(reply) if reply.body is None else reply.body, reply)

        def _send(self, status: int, headers: dict[str, str], text: str, reply: Reply | None = None) -> None:
            content = text.encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if reply is None or reply.ending in ("kept", "silent"):
                self.wfile.write(content)
                return
            half = len(content) // 2
            self.wfile.write(content[:half])
            if reply.ending == "stalled":
                self.wfile.flush()
                server.ended.wait(VERY_LONG)
                self.wfile.write(content[half:])

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

    return Handler


def _completion(reply: Reply) -> str:
    message = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"id": "c", "object": "chat.completion", "choices": [choice], "usage": TOKENS})

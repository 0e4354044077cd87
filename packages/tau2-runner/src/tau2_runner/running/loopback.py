"""A server on this machine that speaks as much of OpenAI's API as tau2 uses, for scripted parts."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Answer = Callable[[dict[str, Any]], dict[str, Any]]

HOST = "127.0.0.1"


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """The server's address, while it lasts.

    Args:
        answer: Gives the assistant message for the body of a request; a KeyError, ValueError or the like becomes a
            bad-request reply, which nobody tries again.
    """
    server = _Server((HOST, 0), _handler(answer))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # clients keep their connections open


def _handler(answer: Answer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet, or the client waits for the second

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                request = json.loads(body)
                status, document = 200, completion(request["model"], answer(request))
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, StopIteration) as error:
                what = f"{type(error).__name__}: {error}"
                status, document = 400, {"error": {"message": what, "type": "invalid_request_error"}}
            payload = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            """Nothing: tau2 has logs of its own."""

    return Handler


def completion(model: str, message: dict[str, Any]) -> dict[str, Any]:
    """A chat completion with one message, as OpenAI's API gives it."""
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }

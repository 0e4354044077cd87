"""A program with vLLM's command line and HTTP interface, and replies that a test wrote down.

    python vllm_stand_in.py CHECKPOINT --port N --served-model-name NAME ... [--play FILE] [--note FILE] ...

Every request for a reply gets the next line of ``--play``, and its path and body become a line of ``--note``.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LOG_LINES = 30
CONTEXT_LENGTH = 9000


class Server(ThreadingHTTPServer):
    """The model, once it is loaded."""

    daemon_threads = True

    def __init__(self, arguments: argparse.Namespace) -> None:
        super().__init__(("127.0.0.1", arguments.port), Handler)
        self.arguments = arguments
        self.replies = iter(arguments.play.read_text(encoding="utf-8").splitlines() if arguments.play else [])

    def page(self, path: str) -> tuple[int, str]:
        """The answer to a GET request."""
        if path == "/v1/models":
            model = {"id": self.arguments.served_model_name, "object": "model", "max_model_len": CONTEXT_LENGTH}
            return 200, json.dumps({"object": "list", "data": [model]})
        return (200, "") if path == "/health" and not self.arguments.no_health else (404, "")

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, str]:
        """The answer to a request for a reply."""
        if self.arguments.note:
            with self.arguments.note.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"path": path, "body": body}) + "\n")
        text = next(self.replies, None)
        return (500, "nothing left to play") if text is None else (200, text)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Server

    def do_GET(self) -> None:
        """Health and models."""
        self._send(*self.server.page(self.path))

    def do_POST(self) -> None:
        """Replies."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send(*self.server.reply(self.path, body))

    def log_message(self, *_: object) -> None:
        """The log is the program's own."""

    def _send(self, status: int, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def main() -> None:
    """Serves until it is told to stop, or fails as it was asked to."""
    arguments = _arguments()
    if arguments.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # As vLLM's engine does: a process that its parent does not end.
    worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    if arguments.pids:
        arguments.pids.write_text(f"{os.getpid()} {worker.pid}", encoding="utf-8")
    for number in range(LOG_LINES):
        print(f"loading shard {number}", flush=True)
    if arguments.fail is not None:
        print("CUDA out of memory", file=sys.stderr, flush=True)
        sys.exit(arguments.fail)
    time.sleep(arguments.slow)
    if arguments.note:
        arguments.note.write_text(json.dumps(sys.argv[1:]) + "\n", encoding="utf-8")
    Server(arguments).serve_forever()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--served-model-name", required=True)
    parser.add_argument("--tensor-parallel-size", type=int, required=True)
    parser.add_argument("--gpu-memory-utilization", type=float, required=True)
    parser.add_argument("--enable-auto-tool-choice", action="store_true")
    parser.add_argument("--tool-call-parser")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--max-model-len", type=int)
    for name in ("--play", "--note", "--pids"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--fail", type=int, help="end with this status in place of serving")
    parser.add_argument("--slow", type=float, default=0.0, help="seconds until it serves")
    parser.add_argument("--stubborn", action="store_true", help="do not end on SIGTERM")
    parser.add_argument("--no-health", action="store_true", help="know nothing of /health")
    return parser.parse_args()


if __name__ == "__main__":
    main()

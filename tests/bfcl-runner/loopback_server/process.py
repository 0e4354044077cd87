"""The server as a program, and that program as a process of a test."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import urllib.request
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bfcl_runner.dataset import CATEGORIES
from loopback_server.plan import Rule
from loopback_server.server import HOST, LoopbackServer

if TYPE_CHECKING:
    from collections.abc import Iterable

PROGRAM = Path(__file__).parents[1] / "loopback.py"


class LoopbackProcess:
    """The server as a program of its own, for the length of a ``with`` block: its CPU time isn't the caller's.

    Attributes:
        port: Where it listens.
    """

    def __init__(
        self, plan: Iterable[Rule] = (), *, latency: float = 0.0, categories: Iterable[str] = CATEGORIES
    ) -> None:
        rules = json.dumps([asdict(rule) for rule in plan], default=list)
        self._command = [sys.executable, str(PROGRAM), "--latency", str(latency), "--plan", rules]
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

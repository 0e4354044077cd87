"""A `vllm serve` of our own: started in its own process group, waited for, and always stopped.

Whether a real vLLM takes these arguments and gets well on a GPU is proven on a GPU machine only; all else is tested
against a small program with vLLM's command line and HTTP interface.
"""

from __future__ import annotations

import atexit
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from bfcl_runner.errors import RunnerError, RunStoppedError
from bfcl_runner.process_groups import kill_group, signal_group, split_arguments, split_command, start
from bfcl_runner.stopping import StopRequest, on_signals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from bfcl_runner.options import ModelOptions

HOST = "127.0.0.1"

EXTRA_ARGUMENTS_VARIABLE = "BFCL_VLLM_EXTRA_ARGS"
SEED_VARIABLE = "BFCL_SEED"
RESERVED_ARGUMENTS = {
    "--port": "is chosen by the runner",
    "--served-model-name": "is chosen by the runner",
    "--api-key": "would get into the run's record; set VLLM_API_KEY, and OPENAI_API_KEY to the same",
}
"""Arguments that the environment can't add, and why."""

START_SECONDS = 3600.0
"""The largest checkpoints take half an hour from slow disks."""

STOP_SECONDS = 20.0
"""From asking the server to stop to killing it."""

POLL_SECONDS = 0.25
STOP_POLL_SECONDS = 0.05
HEALTH_SECONDS = 5.0

TAIL_LINES = 20
TAIL_BYTES = 65536


def extra_arguments() -> list[str]:
    """Arguments for the server that the environment adds.

    Raises:
        RunnerError: They can't be split, or set what is the runner's to set.
    """
    words = split_arguments(os.environ.get(EXTRA_ARGUMENTS_VARIABLE, ""), EXTRA_ARGUMENTS_VARIABLE)
    given = {word.partition("=")[0] for word in words}
    for name, reason in RESERVED_ARGUMENTS.items():
        if name in given:
            message = f"{EXTRA_ARGUMENTS_VARIABLE}: {name} {reason}"
            raise RunnerError(message)
    seed = os.environ.get(SEED_VARIABLE)
    if not seed or "--seed" in given:
        return words
    if not seed.isdecimal():
        message = f"{SEED_VARIABLE}: {seed!r} is no whole number"
        raise RunnerError(message)
    return ["--seed", seed, *words]


def parser_arguments(options: ModelOptions) -> list[str]:
    """Arguments that make the server read tool calls by the parser of the options, if they name one."""
    return ["--enable-auto-tool-choice", "--tool-call-parser", options.served_parser] if options.served_parser else []


def serve_command(options: ModelOptions, checkpoint: Path, name: str, port: int) -> list[str]:
    """The command line that serves a checkpoint under a name on a port.

    Raises:
        RunnerError: The program is missing, or the environment's arguments can't be used.
    """
    return [
        *split_command(options.vllm_command, "--vllm-command"),
        str(checkpoint),
        *("--port", str(port)),
        *("--served-model-name", name),
        *("--tensor-parallel-size", str(options.num_gpus)),
        *("--gpu-memory-utilization", str(options.gpu_memory_utilization)),
        *parser_arguments(options),
        *extra_arguments(),
    ]


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(command: list[str], port: int) -> Iterator[str]:
    """The base URL of the server that the command starts, ready for requests; afterwards its process group is gone.

    SIGINT and SIGTERM during the start stop the server, and then get to whoever handled them before.

    Raises:
        RunnerError: The server ended or was not ready in time; the end of its log was shown.
        RunStoppedError: A signal arrived during the start, and whoever handles it went on.
    """
    server = _Server(command, port)
    atexit.register(server.stop)
    request = StopRequest(grace=0)
    try:
        with on_signals(request):
            server.wait_until_ready(request)
        yield f"http://{HOST}:{port}/v1"
    finally:
        server.stop()
        atexit.unregister(server.stop)
        if request.signal is not None:
            signal.raise_signal(request.signal)


class _Server:
    """The server's process group, and the log that it writes."""

    def __init__(self, command: list[str], port: int) -> None:
        self._title = " ".join(command[:2])
        self._port = port
        self._log_stays = False
        with tempfile.NamedTemporaryFile(prefix="bfcl-runner-vllm-", suffix=".log", delete=False) as log:
            self._log = Path(log.name)
            try:
                self._process = start(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            except OSError as error:
                self._log.unlink()
                message = f"--vllm-command: {command[0]}: {error.strerror}"
                raise RunnerError(message) from None

    def wait_until_ready(self, request: StopRequest) -> None:
        """Returns once the server answers.

        Raises:
            RunnerError: It ended, or took too long; the end of its log was shown.
            RunStoppedError: The request to stop was made.
        """
        deadline = time.monotonic() + START_SECONDS
        with _shown_waiting(f"{self._title}: starting on port {self._port}, log {self._log}"):
            while not self._is_ready():
                status = self._process.poll()
                if status is not None:
                    self._fail(f"ended with status {status} before it was ready")
                if time.monotonic() > deadline:
                    self._fail(f"was not ready after {START_SECONDS:g} s")
                if request.made:
                    raise RunStoppedError
                time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """Ends the whole group, by force after a while. The log stays only where something went wrong."""
        if self._process.poll() is not None and not self._log_stays:
            print(self._show_log(f"ended by itself with status {self._process.returncode}"), file=sys.stderr)
        alive = signal_group(self._process, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        try:
            while alive and time.monotonic() < deadline:
                time.sleep(STOP_POLL_SECONDS)
                self._process.poll()  # or its zombie would count as alive
                alive = signal_group(self._process, 0)
        finally:
            if alive:
                kill_group(self._process)
        if not self._log_stays:
            self._log.unlink(missing_ok=True)

    def _is_ready(self) -> bool:
        status = self._status("/health")
        return status == HTTPStatus.OK or (
            status == HTTPStatus.NOT_FOUND and self._status("/v1/models") == HTTPStatus.OK
        )

    def _status(self, path: str) -> int | None:
        """The status of a request, straight to the port: proxies of the environment are not for this."""
        connection = http.client.HTTPConnection(HOST, self._port, timeout=HEALTH_SECONDS)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def _fail(self, what: str) -> NoReturn:
        raise RunnerError(self._show_log(what))

    def _show_log(self, what: str) -> str:
        """Shows the end of the log, which then stays, on standard error; returns what happened, in a line."""
        self._log_stays = True
        for line in _tail(self._log):
            print(line, file=sys.stderr)
        return f"{self._title} {what}; its log is {self._log}"


def _tail(path: Path) -> list[str]:
    """The last lines of a file."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        return file.read().decode(errors="replace").splitlines()[-TAIL_LINES:]


@contextmanager
def _shown_waiting(text: str) -> Iterator[None]:
    """A line, under it a moving bar where there is a terminal, and at the end the time that it took."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    started = time.monotonic()
    _say(console, text)
    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        progress.add_task("waiting for the server", total=None)
        yield
    _say(console, f"the server is ready after {time.monotonic() - started:.0f} s")


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)

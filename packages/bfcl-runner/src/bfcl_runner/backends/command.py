"""Any program that reads a prompt from standard input and prints a reply, one run of it per step, in prompting mode."""

from __future__ import annotations

import subprocess
import threading
import time
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from bfcl_runner.chat import ChatBackend, Completion
from bfcl_runner.errors import ModelUnusableError, RunnerError, RunStoppedError, TransientError
from bfcl_runner.process_groups import kill_group, split_command, start
from bfcl_runner.unsent import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bfcl_runner.backends.base import Message
    from bfcl_runner.options import ModelOptions
    from bfcl_runner.patience import Patience

INTRODUCTION = (
    "Below is a conversation. A line such as <<user>> says whose message begins after it. "
    "Write the assistant's next message, and nothing else."
)

UNSENT_OPTIONS = ("temperature", "seed", "reasoning_effort")
"""What a program is told on its command line, if at all."""

TAIL_CHARACTERS = 300
"""So much of what a failed program said last goes into the error."""


@contextmanager
def open_backend(options: ModelOptions, patience: Patience) -> Iterator[ChatBackend]:
    """The program of the options. At the end, programs still under way are killed with all that they started.

    Raises:
        RunnerError: No command is given, its program is missing, or it would have to be told something.
    """
    if options.command is None:
        message = "--command: the command backend needs one"
        raise RunnerError(message)
    argv = split_command(options.command, "--command")
    refuse(options, UNSENT_OPTIONS)
    program = _Program(argv, options.timeout)

    def complete(_case_id: str, messages: list[Message], _tools: list[dict[str, Any]]) -> Completion:
        prompt = prompt_text(messages)

        def attempt() -> Completion:
            started = time.perf_counter()
            reply = program.reply(prompt)
            latency = time.perf_counter() - started
            return Completion({"choices": [{"message": {"content": reply}}]}, latency)

        return patience.call(attempt)

    try:
        yield ChatBackend(complete, prompting=True, sampling={})
    finally:
        program.close()


def prompt_text(messages: Sequence[Message]) -> str:
    """The messages as one text that ends where the assistant is to speak."""
    parts = [f"<<{message['role']}>>\n{message['content']}" for message in messages]
    return "\n\n".join([INTRODUCTION, *parts, "<<assistant>>\n"])


class _Program:
    """A command line that is run once per prompt, by several threads at a time."""

    def __init__(self, argv: list[str], timeout: float) -> None:
        self._argv = argv
        self._timeout = timeout
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False
        self._changing = threading.Lock()

    def reply(self, prompt: str) -> str:
        """What the program prints for a prompt, without the white space around it.

        Raises:
            TransientError: It took too long, failed or printed nothing.
            ModelUnusableError: It can't be started.
            RunStoppedError: The backend was closed meanwhile.
        """
        # Files, not pipes: a program that doesn't read, prints without end or leaves a child with its output
        # open can then neither block nor be blocked.
        with TemporaryFile() as asked, TemporaryFile() as said, TemporaryFile() as complaints:
            asked.write(prompt.encode(errors="replace"))
            asked.seek(0)
            process = self._start(asked, said, complaints)
            try:
                status = process.wait(self._timeout)
            except subprocess.TimeoutExpired:
                raise TransientError("timeout", f"{self._argv[0]}: no reply within {self._timeout:g} s") from None
            finally:
                self._end(process)
            text = _text(said).strip()
            if status == 0 and text:
                return text
            kind, what = ("program_failed", f"status {status}") if status else ("empty_reply", "printed nothing")
            tail = " ".join(_text(complaints).split())[-TAIL_CHARACTERS:]
            raise TransientError(kind, f"{self._argv[0]}: {what}" + (f": {tail}" if tail else ""))

    def close(self) -> None:
        """Kills what is under way; from now on nothing is started."""
        with self._changing:
            self._closed = True
            left = list(self._running)
        for process in left:
            self._end(process)

    def _start(self, asked: IO[bytes], said: IO[bytes], complaints: IO[bytes]) -> subprocess.Popen[bytes]:
        with self._changing:
            if self._closed:
                raise RunStoppedError
            try:
                process = start(self._argv, stdin=asked, stdout=said, stderr=complaints)
            except OSError as error:
                message = f"--command: {self._argv[0]}: {error.strerror}"
                raise ModelUnusableError(message) from None
            self._running.add(process)
            return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        kill_group(process)  # whatever it left behind as well
        with self._changing:
            self._running.discard(process)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")

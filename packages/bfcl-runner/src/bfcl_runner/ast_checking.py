"""Upstream's verdict on single-turn calls, from a process of its own.

`bfcl_eval.eval_checker.ast_eval.ast_checker` imports upstream's registry of models, and with it every vendor's SDK,
for one thing: whether the dots of function names have become underscores. In the process that runs the checker a
stub stands in the registry's place, with one entry for each of the two answers; the modules of this process stay as
they are. Nothing else is stubbed: what the checker imports besides is Python's standard library and bfcl-eval's own
tables and type converters.
"""

from __future__ import annotations

import atexit
import pickle
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import IO, Any, NamedTuple, cast

from bfcl_runner.benchmark import upstream
from bfcl_runner.errors import RunnerError

REGISTRY = "bfcl_eval.constants.model_config"

# The checker turns underscores of model names into slashes before it looks them up.
UNDERSCORED, DOTTED = "underscored", "dotted"

CRASHED = "ast_checker:crashed"
"""Error type where the checker raises, for calls that upstream's whole evaluation would end at."""


class Question(NamedTuple):
    """What the checker is asked.

    Attributes:
        functions: The documents of the functions that were offered.
        calls: The calls, ``[{name: {argument: value}}]``.
        answers: The possible answers, ``[{name: {argument: [accepted values]}}]``.
        category: A category, ``parallel_multiple`` for example.
        underscored: Whether dots in function names have become underscores in the calls.
    """

    functions: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    category: str
    underscored: bool


Answer = dict[str, Any]
"""Upstream's: ``valid``, and where it is false ``error`` (a list) and ``error_type``."""


def check(question: Question) -> Answer:
    """Upstream's answer. The process that gives it starts with the first question and ends with this process.

    Raises:
        RunnerError: The process has ended before its time.
    """
    return _checker().ask(question)


class AstChecker:
    """A process that runs upstream's checker and answers one question at a time, whichever thread asks."""

    def __init__(self) -> None:
        """Starts the process."""
        # Not through `multiprocessing`, which runs the main module once more: a script need not be made for that.
        program = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
        self._process = subprocess.Popen(  # noqa: S603 (this interpreter, and a program of ours)
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._questions = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self._asking = threading.Lock()

    def ask(self, question: Question) -> Answer:
        """Upstream's answer to a question.

        Raises:
            RunnerError: The process has ended before its time.
        """
        try:
            message = pickle.dumps(question)
        except Exception as error:  # noqa: BLE001 (values that don't pickle, nested too deeply for one)
            return _crashed(error)
        try:
            with self._asking:
                self._questions.write(message)
                self._questions.flush()
                answer: Answer = pickle.load(self._answers)  # noqa: S301 (from a process of ours)
        except (EOFError, OSError, pickle.UnpicklingError):
            complaint = "the process of the AST checker has ended; the same command scores again"
            raise RunnerError(complaint) from None
        return answer

    def close(self) -> None:
        """Ends the process. It would end with this one anyway, however that ends: nobody is left to ask."""
        with suppress(OSError):
            self._questions.close()
        self._answers.close()
        self._process.wait()


@cache
def _checker() -> AstChecker:
    checker = AstChecker()
    atexit.register(checker.close)
    return checker


def serve() -> None:
    """Answers the questions on standard input until it ends; the main function of the checker's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it reaches the whole group; the parent decides what it means
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # for whatever upstream prints
    registry = ModuleType(REGISTRY)
    vars(registry)["MODEL_CONFIG_MAPPING"] = {
        UNDERSCORED: SimpleNamespace(underscore_to_dot=True),
        DOTTED: SimpleNamespace(underscore_to_dot=False),
    }
    sys.modules[REGISTRY] = registry
    checker = upstream("eval_checker.ast_eval.ast_checker").ast_checker
    python = upstream("constants.enums").Language.PYTHON
    with suppress(EOFError):
        while True:
            question: Question = pickle.load(questions)  # noqa: S301 (from the process that started this one)
            answers.write(_pickled(_answer(checker, python, question)))
            answers.flush()


def _answer(checker: Any, python: object, question: Question) -> Answer:
    functions, calls, answers, category, underscored = question
    try:
        answer: Answer = checker(functions, calls, answers, python, category, UNDERSCORED if underscored else DOTTED)
    except Exception as error:  # noqa: BLE001 (upstream's checker raises what the calls make it stumble over)
        return _crashed(error)
    return answer


def _pickled(answer: Answer) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception as error:  # noqa: BLE001 (as on the way here)
        return pickle.dumps(_crashed(error))


def _crashed(error: Exception) -> Answer:
    message = f"The checker stumbled over the calls: {type(error).__name__}: {error}"
    return {"valid": False, "error": [message[:1000]], "error_type": CRASHED}

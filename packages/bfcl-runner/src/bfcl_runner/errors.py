"""What can go wrong: errors that a user can mend, replies without calls, and models that can't be reached."""

from __future__ import annotations


class RunnerError(Exception):
    """Something the user can mend; the message is one line, and the command exits with status 2."""


class BenchmarkMissingError(RunnerError):
    """bfcl-eval is not installed, or in another version than the pinned one."""


class ModelUnusableError(RunnerError):
    """The model's server refuses every request (a wrong key, no such model): going on makes no sense."""


class DecodeError(ValueError):
    """A reply that holds no call which can be executed; the loop ends the turn there, as upstream does."""


class TransientError(Exception):
    """One try failed in a way that another try may not.

    Attributes:
        kind: What happened, as one word (``"rate_limited"``, ``"server_error"``, ``"connection"`` ...).
        overloaded: Whether the server said that it has too much to do.
        retry_after: Seconds that the server asks to wait, if it does.
    """

    def __init__(self, kind: str, message: str, *, overloaded: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.overloaded = overloaded
        self.retry_after = retry_after


class InfrastructureError(Exception):
    """No reply was to be had for a case: its row is recorded as an error, never as an answer.

    Attributes:
        kind: What happened at the last try, as one word.
        message: What the server or the system said, one line.
        tries: How often it was tried.
        waited: Seconds spent waiting between tries.
    """

    def __init__(self, kind: str, message: str, *, tries: int = 1, waited: float = 0.0) -> None:
        super().__init__(f"{kind}: {message} (tries: {tries})")
        self.kind = kind
        self.message = message
        self.tries = tries
        self.waited = waited


class RunStoppedError(Exception):
    """The user stopped the run while this case was being worked on; nothing is recorded for it."""

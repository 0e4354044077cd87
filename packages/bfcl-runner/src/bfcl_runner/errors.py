"""The errors that a user can cause; the command line shows each as one line and exits with status 2."""

from __future__ import annotations


class RunnerError(Exception):
    """Something the user can mend; the message is one line that says what and where."""


class BenchmarkMissingError(RunnerError):
    """bfcl-eval is not installed, or in another version than the pinned one."""


class DecodeError(ValueError):
    """A reply that holds no call which can be executed; the loop ends the turn there, as upstream does."""

"""What can go wrong while a judge is asked: one try failed, or no try makes sense any more."""

from __future__ import annotations

from gar_metrics import GarError


class TryFailedError(Exception):
    """One try gave no verdict.

    Attributes:
        again: Whether another try may do better.
        overloaded: Whether the server said that it has too much to do: then other requests wait as well.
        retry_after: Seconds that the server asks to wait, if it does.
        status: The HTTP status, where the server answered with one that is an error.
    """

    def __init__(
        self,
        message: str,
        *,
        again: bool = True,
        overloaded: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.again = again
        self.overloaded = overloaded
        self.retry_after = retry_after
        self.status = status


class JudgeUnusableError(GarError):
    """The judge's server refuses every request (a wrong key, no such model): going on makes no sense."""

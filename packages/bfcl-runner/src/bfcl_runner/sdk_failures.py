"""What the exceptions of model SDKs mean to a run: try again, give the case up, or stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bfcl_runner.errors import InfrastructureError, TransientError
from bfcl_runner.model_http import one_line, status_meaning

if TYPE_CHECKING:
    from bfcl_runner.errors import ModelUnusableError

TRANSPORTS = frozenset({"aiohttp", "botocore", "httpcore", "httpcore2", "httpx", "httpx2", "requests", "urllib3"})
"""Libraries whose exceptions, where they carry no HTTP status, say that the server was not reached."""


def meaning(error: Exception) -> TransientError | ModelUnusableError | InfrastructureError:
    """The runner's error for an exception of any SDK, by its HTTP status as `model_http` reads it."""
    import openai

    text = one_line(error)
    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        return TransientError("timeout", text)
    if isinstance(error, (openai.APIConnectionError, ConnectionError)):
        return TransientError("connection", text)
    status = _status(error)
    if status is not None:
        return status_meaning(status, error)
    if type(error).__module__.partition(".")[0] in TRANSPORTS:
        return TransientError("connection", text)
    return InfrastructureError("request_failed", f"{type(error).__name__}: {text}")


def _status(error: Exception) -> int | None:
    """The HTTP status that an exception or its response carries, under the names that SDKs use."""
    response = getattr(error, "response", None)
    metadata = response.get("ResponseMetadata", {}) if isinstance(response, dict) else {}
    candidates = (
        getattr(error, "status_code", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
        metadata.get("HTTPStatusCode"),
    )
    return next((value for value in candidates if isinstance(value, int) and 400 <= value < 600), None)

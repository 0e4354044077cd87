"""What the exceptions of model SDKs mean to a run: try again, give the case up, or stop."""

from __future__ import annotations

from bfcl_runner.errors import InfrastructureError, ModelUnusableError, TransientError
from bfcl_runner.model_http import RETRIED_STATUSES, UNUSABLE_STATUSES, one_line, retry_after

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
        return _by_status(status, error)
    if type(error).__module__.partition(".")[0] in TRANSPORTS:
        return TransientError("connection", text)
    return InfrastructureError("request_failed", f"{type(error).__name__}: {text}")


def _by_status(status: int, error: Exception) -> TransientError | ModelUnusableError | InfrastructureError:
    text = f"HTTP {status}: {one_line(error)}"
    if status in UNUSABLE_STATUSES:
        return ModelUnusableError(f"the server refuses the requests: {text}")
    if status >= 500 or status in RETRIED_STATUSES:
        kind = "rate_limited" if status == 429 else "server_error"
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return TransientError(kind, text, overloaded=status in (429, 503), retry_after=retry_after(headers))
    return InfrastructureError("request_refused", text)


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

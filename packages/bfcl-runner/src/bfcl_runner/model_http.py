"""Requests to an OpenAI-compatible server through the openai SDK, and what its failures mean."""

from __future__ import annotations

import json
import os
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bfcl_runner.errors import InfrastructureError, ModelUnusableError, RunnerError, TransientError
from bfcl_runner.secrets import without_keys
from bfcl_runner.tool_schemas import Tools, compact_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openai import OpenAI

    from bfcl_runner.options import ModelOptions

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
HTTP_BACKENDS = ("openai", "responses")
"""Backends that talk to the server at `base_url`."""

CASE_HEADER = "X-Case-Id"
"""Tells the server's log which case a request is about; the model doesn't see it."""

KEYLESS = "no-key"
"""Sent to servers that were named without a key: local ones don't look at it."""

STREAMED = {"X-Stainless-Raw-Response": "stream"}
"""What the SDK's ``with_streaming_response`` sends: the answer is handed out unread."""

LONGEST_ANSWER = 256 * 1024 * 1024

UNUSABLE_STATUSES = frozenset({401, 403, 404})
RETRIED_STATUSES = frozenset({408, 409, 425, 429})
"""Besides every 5xx."""


def base_url(options: ModelOptions) -> str | None:
    """The server's address, from the option or the environment; None for OpenAI's own."""
    return options.base_url or os.environ.get(URL_VARIABLE) or None


def endpoint_host(options: ModelOptions) -> str:
    """The host that requests go to, for the record."""
    return urlsplit(base_url(options) or "https://api.openai.com/v1").hostname or "unknown"


def open_client(options: ModelOptions) -> OpenAI:
    """A client for the server of the options.

    Raises:
        RunnerError: There is no key, and no address that might do without one; or what there is can't be used.
    """
    from openai import OpenAI

    url = base_url(options)
    # Without the line end that it may have from a file.
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not key and url is None:
        message = f"set {KEY_VARIABLE}, or name a server with --base-url or {URL_VARIABLE}"
        raise RunnerError(message)
    if not (key.isascii() and key.isprintable()):
        message = f"{KEY_VARIABLE}: holds characters that can't be sent"  # which ones isn't said: it is secret
        raise RunnerError(message)
    if url is not None and not _is_address(url):
        source = "--base-url" if options.base_url else URL_VARIABLE
        message = f"{source}: expected an address such as http://localhost:8000/v1"  # this one may hold a password
        raise RunnerError(message)
    # Retrying is ours: the SDK's own would hide overloads from the concurrency gate.
    return OpenAI(api_key=key or KEYLESS, base_url=url, max_retries=0, timeout=options.timeout)


def _is_address(url: str) -> bool:
    """Whether a request can go there: a scheme, a host, a port that exists, and nothing that no address holds."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 (reading it checks it)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable() and " " not in url


def request_json(
    client: OpenAI, path: str, body: dict[str, Any], headers: dict[str, str], timeout: float
) -> dict[str, Any]:
    """The JSON object that a server answers a request with, with failures told apart.

    Args:
        client: The server.
        path: The path below its address. The SDK's own methods for the paths that it knows walk through all
            tools and messages at every request, which takes as long as the request itself.
        body: What the request holds.
        headers: Headers beyond the SDK's own.
        timeout: Seconds for the whole of it; the SDK's own limit is for each piece that comes.

    Raises:
        TransientError: The server is overloaded, failed, was not reached or answered with something else than
            JSON; another try may succeed.
        ModelUnusableError: It refuses the key, the model or the path.
        InfrastructureError: It refuses this very request.
    """
    import openai

    options: Any = {"headers": headers | STREAMED}

    deadline = time.monotonic() + timeout
    try:
        content = _content(client.post(path, content=encoded(body), cast_to=object, options=options), deadline)
    except openai.APITimeoutError as error:
        raise TransientError("timeout", one_line(error)) from error
    except openai.APIConnectionError as error:
        raise TransientError("connection", one_line(error.__cause__ or error)) from error
    except openai.APIStatusError as error:
        raise status_meaning(error.status_code, error) from error
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise TransientError("malformed_body", f"the server's answer is no JSON: {one_line(error)}") from error
    if not isinstance(answer, dict):
        raise TransientError("malformed_body", f"the server's answer is a JSON {type(answer).__name__}, not an object")
    return answer


def encoded(body: dict[str, Any]) -> bytes:
    """A request's body as JSON.

    Tools are encoded once for all their requests: they are most of a body. Lone surrogates, which a model may have
    written and UTF-8 can't hold, become question marks.
    """
    fields = (
        f"{json.dumps(name)}:{value.encoded if isinstance(value, Tools) else compact_json(value)}"
        for name, value in body.items()
    )
    return f"{{{','.join(fields)}}}".encode("utf-8", "replace")


def _content(response: Any, deadline: float) -> bytes:
    """All of a response's body, unless it takes too long or is longer than any reply of a model."""
    content = bytearray()
    with closing(response):
        for piece in _pieces(response):
            content += piece
            if time.monotonic() > deadline:
                raise TransientError("timeout", "the answer was not complete in time")
            if len(content) > LONGEST_ANSWER:
                raise TransientError("malformed_body", f"the answer is longer than {LONGEST_ANSWER} bytes")
    return bytes(content)


def _pieces(response: Any) -> Iterator[bytes]:
    """The body as it comes. What breaks off here breaks off with an error of the HTTP library below the SDK."""
    try:
        yield from response.iter_bytes()
    except Exception as error:
        kind = "timeout" if "Timeout" in type(error).__name__ else "connection"
        raise TransientError(kind, one_line(error)) from error


def sendable(value: Any) -> Any:
    """The JSON value with every text fit for UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [sendable(item) for item in value]
    if isinstance(value, dict):
        return {sendable(key): sendable(item) for key, item in value.items()}
    return value


def status_meaning(status: int, error: Exception) -> TransientError | ModelUnusableError | InfrastructureError:
    """What an HTTP status above 399 means to a run, with the wait that the response's headers ask for."""
    message = f"HTTP {status}: {one_line(error)}"
    if status in UNUSABLE_STATUSES:
        return ModelUnusableError(f"the server refuses the requests: {message}")
    if status >= 500 or status in RETRIED_STATUSES:
        kind = "rate_limited" if status == 429 else "server_error"
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return TransientError(kind, message, overloaded=status in (429, 503), retry_after=retry_after(headers))
    return InfrastructureError("request_refused", message)


def retry_after(headers: Any) -> float | None:
    """Seconds from the headers ``retry-after-ms`` or ``retry-after`` (a number or an HTTP date)."""
    from datetime import datetime, timezone
    from email.utils import parsedate_to_datetime

    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after")
        if value is None:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None


def one_line(error: object) -> str:
    """What an error says, in one line of at most 300 characters."""
    return without_keys(" ".join(str(error).split()))[:300] or type(error).__name__

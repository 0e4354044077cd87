"""The judge's server: where it is, one request to it, and what its failures mean."""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from confirm_judge.errors import JudgeUnusableError, TryFailedError
from confirm_judge.secrets import safe_message
from gar_metrics import GarError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from openai import AsyncOpenAI

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
OPENAI_URL = "https://api.openai.com/v1"

KEYLESS = "no-key"
"""Sent to servers that were named without a key: local ones don't look at it."""

LONGEST_ANSWER = 16 * 1024 * 1024
"""Bytes; reasoning that comes beside a verdict may be long."""

UNUSABLE_STATUSES = frozenset({401, 403, 404})
RETRIED_STATUSES = frozenset({408, 409, 425, 429})
"""Besides every 5xx."""

OVERLOADED_STATUSES = frozenset({429, 503})


def server_url(base_url: str | None) -> str | None:
    """The server's address, as given or from the environment; None for OpenAI's own."""
    return base_url or os.environ.get(URL_VARIABLE) or None


def server_host(base_url: str | None) -> str:
    """The host that requests go to, for the record."""
    return urlsplit(server_url(base_url) or OPENAI_URL).hostname or "unknown"


def require_server(base_url: str | None) -> None:
    """Makes sure that there is somebody to ask.

    Raises:
        GarError: There is no key, and no address that might do without one; or what there is can't be used.
    """
    key, url = _key(), server_url(base_url)
    if key is None and url is None:
        what = (
            f"set {KEY_VARIABLE}, name a server with --base-url or {URL_VARIABLE}, "
            "or take --judge rules, which needs no model"
        )
        raise GarError(what)
    if key is not None and not (key.isascii() and key.isprintable()):
        what = "holds characters that can't be sent"  # which ones isn't said: it is secret
        raise GarError(what, field=KEY_VARIABLE)
    if url is not None and not _is_address(url):
        what = "expected an address such as http://localhost:8000/v1"  # the one that was given may hold a password
        raise GarError(what, field="--base-url" if base_url else URL_VARIABLE)


def open_client(base_url: str | None, timeout: float) -> AsyncOpenAI:
    """A client for the server.

    Raises:
        GarError: The HTTP library below the SDK can't make sense of the address.
    """
    from openai import AsyncOpenAI

    url = server_url(base_url) or OPENAI_URL
    try:
        # Retrying is ours: there are 4 tries in all, replies that make no sense included.
        return AsyncOpenAI(api_key=_key() or KEYLESS, base_url=url, max_retries=0, timeout=timeout)
    except Exception as error:
        what = f"the judge's address can't be used: {safe_message(error)}"
        raise GarError(what) from error


async def chat_completion(client: AsyncOpenAI, body: dict[str, Any], timeout: float) -> dict[str, Any]:
    """The JSON object that a server answers a request for a chat completion with, with failures told apart.

    Args:
        client: The server.
        body: What the request holds.
        timeout: Seconds for the whole of it; the SDK's own limit is for each piece that comes.

    Raises:
        TryFailedError: There is no such answer.
        JudgeUnusableError: The server refuses the key, the model or the path.
    """
    import openai

    try:
        content = await asyncio.wait_for(_content(client, body), timeout)
    except (asyncio.TimeoutError, openai.APITimeoutError) as error:
        message = f"no answer within {timeout:g} s"
        raise TryFailedError(message) from error
    except openai.APIStatusError as error:
        raise _status_meaning(error) from error
    except openai.APIConnectionError as error:
        message = f"connection: {safe_message(error.__cause__ or error)}"
        raise TryFailedError(message) from error
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError) as error:
        message = f"the server's answer is no JSON: {safe_message(error)}"
        raise TryFailedError(message) from error
    if not isinstance(answer, dict):
        message = "the server's answer is no JSON object"
        raise TryFailedError(message)
    return answer


async def _content(client: AsyncOpenAI, body: dict[str, Any]) -> bytes:
    """All of the answer's body."""
    content = bytearray()
    async with client.chat.completions.with_streaming_response.create(**body) as response:
        async for piece in _pieces(response):
            content += piece
            if len(content) > LONGEST_ANSWER:
                message = f"the server's answer is longer than {LONGEST_ANSWER} bytes"
                raise TryFailedError(message)
    return bytes(content)


async def _pieces(response: Any) -> AsyncIterator[bytes]:
    """The body as it comes. What breaks off here breaks off with an error of the HTTP library below the SDK."""
    try:
        async for piece in response.iter_bytes():
            yield piece
    except Exception as error:
        message = f"connection: {safe_message(error)}"
        raise TryFailedError(message) from error


def _key() -> str | None:
    """The environment's key, without the line end that it may have from a file; None without any."""
    return os.environ.get(KEY_VARIABLE, "").strip() or None


def _is_address(url: str) -> bool:
    """Whether a request can go there: a scheme, a host, a port that exists, and nothing that no address holds."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 (reading it checks it)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable() and " " not in url


def _status_meaning(error: Any) -> TryFailedError | JudgeUnusableError:
    """What an HTTP status above 399 means, with the wait that the response's headers ask for."""
    status: int = error.status_code
    message = f"HTTP {status}: {safe_message(error)}"
    if status in UNUSABLE_STATUSES:
        what = f"the judge's server refuses the requests: {message}"
        return JudgeUnusableError(what)
    return TryFailedError(
        message,
        again=status >= 500 or status in RETRIED_STATUSES,
        overloaded=status in OVERLOADED_STATUSES,
        retry_after=retry_after(error.response.headers),
        status=status,
    )


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

"""HTTP requests read from bytes, and responses as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

Ending = Literal["kept", "truncated", "closed", "reset", "refused"]
"""What becomes of a connection: see `FAULTS`."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request as it came in; the names of headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def take_request(received: bytearray) -> HttpRequest | None:
    """The first request, removed from what was received; None while it isn't there as a whole."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = received[:end].decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    start = end + len(b"\r\n\r\n")
    size = start + int(headers.get("content-length", 0))
    if len(received) < size:
        return None
    method, path, _ = first.split(" ")
    request = HttpRequest(method, path, headers, bytes(received[start:size]))
    del received[:size]
    return request


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What goes out, when, and what becomes of the connection then.

    Attributes:
        content: Head and body.
        delay: Seconds to wait before.
        ending: As in `Answer`.
        down: As in `Answer`.
        is_reply: Whether it answers a request for a reply, not one for a page.
    """

    content: bytes
    delay: float = 0.0
    ending: Ending = "kept"
    down: float = 0.0
    is_reply: bool = False


def http_content(status: int, body: str, headers: dict[str, str] | None = None) -> bytes:
    """Head and body of a response with JSON."""
    encoded = body.encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(encoded)}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    return "\r\n".join([*lines, "\r\n"]).encode() + encoded


def without_second_half(content: bytes) -> bytes:
    """The head, which promises the whole body, and half the body."""
    head, separator, body = content.partition(b"\r\n\r\n")
    return head + separator + body[: len(body) // 2]

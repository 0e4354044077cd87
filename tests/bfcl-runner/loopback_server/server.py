"""The server in a thread: what is answered to whom, on a port that may go down."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from concurrent.futures import Future
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bfcl_runner.dataset import CATEGORIES
from loopback_server.apis import BODIES, CREATED, MODEL, error_body
from loopback_server.connection import Connection
from loopback_server.conversation import read_conversation
from loopback_server.faults import FAULTS, Answer
from loopback_server.oracle import Oracle
from loopback_server.records import Request, Stats
from loopback_server.speech import Speech, as_text
from loopback_server.wire import HttpResponse, http_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from loopback_server.plan import Rule
    from loopback_server.wire import HttpRequest

HOST = "127.0.0.1"
CASE_HEADER = "x-case-id"


class LoopbackServer:
    """The oracle on a port of this machine: from the start of a ``with`` block, in a thread of its own, to its end.

    Attributes:
        plan: The rules in force; may be replaced while the server runs.
        port: Where it listens.
        latency: Seconds that every reply takes.
        stats: What it counted.
        requests: The requests for replies that made sense, in order of arrival.
    """

    def __init__(
        self,
        plan: Iterable[Rule] = (),
        *,
        port: int = 0,
        latency: float = 0.0,
        categories: Iterable[str] = CATEGORIES,
        keep_bodies: bool = False,
    ) -> None:
        self.plan = tuple(plan)
        self.port = port
        self.latency = latency
        self.stats = Stats()
        self.requests: list[Request] = []
        self._oracle = Oracle(categories)
        self._keep_bodies = keep_bodies
        self._attempts: Counter[str] = Counter()
        self._faultless: dict[tuple[str, bool, str], bytes] = {}
        self._under_way = 0
        self._connections: set[Connection] = set()
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="loopback", daemon=True)

    @property
    def base_url(self) -> str:
        """What an OpenAI client is given."""
        return f"http://{HOST}:{self.port}/v1"

    def __enter__(self) -> LoopbackServer:  # noqa: PYI034 (no Self in Python 3.10)
        self._thread.start()
        self._ready.result()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            await self._listen()
        except OSError as error:
            self._ready.set_exception(error)
            return
        self._ready.set_result(None)
        await self._stop.wait()
        self._hang_up()
        await asyncio.sleep(0.02)  # a connection may be between its arrival and its transport
        while self._connections:
            self._hang_up()
            await asyncio.sleep(0)

    async def _listen(self) -> None:
        self._listener = await self._loop.create_server(lambda: Connection(self), HOST, self.port, backlog=256)
        self.port = self._listener.sockets[0].getsockname()[1]

    def _hang_up(self) -> None:
        self._listener.close()
        for connection in self._connections:
            connection.transport.abort()

    def go_down(self, seconds: float) -> None:
        """Breaks all connections and refuses new ones for a while; no more than that if it is down already."""
        if not self._listener.is_serving():
            return
        self._hang_up()
        self._outage = self._loop.create_task(self._come_back(seconds))

    async def _come_back(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._listen()

    def connected(self, connection: Connection) -> None:
        """Notes a new connection."""
        self.stats.connections += 1
        self._connections.add(connection)

    def disconnected(self, connection: Connection) -> None:
        """Forgets a connection."""
        self._connections.discard(connection)

    def finished(self, *, sent: bool) -> None:
        """Notes that a request for a reply is no longer under way."""
        self._under_way -= 1
        if sent:
            self.stats.last_reply = time.time()

    def respond(self, request: HttpRequest) -> HttpResponse:
        """The response to any request."""
        if request.method == "POST" and request.path in BODIES:
            return self._reply(request)
        page = _PAGES.get(request.path) if request.method == "GET" else None
        if page is None:
            return HttpResponse(http_content(404, error_body(f"nothing at {request.method} {request.path}")))
        return HttpResponse(http_content(200, json.dumps(page(self))))

    def _reply(self, http: HttpRequest) -> HttpResponse:
        arrived = self._count_arrival()
        try:
            request = self._read(http, arrived)
            speech = self._speech(request)
        except (ValueError, LookupError) as error:
            self.stats.senseless += 1
            return HttpResponse(http_content(400, error_body(str(error))), is_reply=True)
        self.requests.append(request)
        rules = [rule for rule in self.plan if rule.strikes(request)]
        if not rules:
            return HttpResponse(self._faultless_content(request, speech), self.latency, is_reply=True)
        answer = Answer(speech, self.latency)
        for rule in rules:
            self.stats.faults[rule.fault] = self.stats.faults.get(rule.fault, 0) + 1
            FAULTS[rule.fault](answer, rule)
        body = _body(request, answer.speech) if answer.body is None else answer.body
        content = http_content(answer.status, body, answer.headers)
        return HttpResponse(content, answer.delay, answer.ending, answer.down, is_reply=True)

    def _count_arrival(self) -> float:
        now = time.time()
        self._under_way += 1
        self.stats.requests += 1
        self.stats.max_concurrent = max(self.stats.max_concurrent, self._under_way)
        self.stats.first_request = self.stats.first_request or now
        self.stats.last_request = now
        return now

    def _read(self, http: HttpRequest, arrived: float) -> Request:
        conversation = read_conversation(http.body)
        case_id = http.headers.get(CASE_HEADER)
        if case_id is None:
            case_id, decided = self._oracle.find(conversation)
            self.stats.undecided += not decided
        step_key = f"{case_id}-{conversation.turn}-{conversation.step}"
        self._attempts[step_key] += 1
        return Request(
            number=self.stats.requests,
            path=http.path,
            structured=conversation.structured,
            case_id=case_id,
            turn=conversation.turn,
            step=conversation.step,
            attempt=self._attempts[step_key],
            arrived=arrived,
            headers=http.headers,
            body=http.body if self._keep_bodies else None,
        )

    def _speech(self, request: Request) -> Speech:
        emission = self._oracle.emission(request.case_id, request.turn, request.step)
        return Speech(request.key, emission, input_tokens=100 * (request.turn + 1) + request.step)

    def _faultless_content(self, request: Request, speech: Speech) -> bytes:
        """The whole HTTP response, made once."""
        key = (request.path, request.structured, request.key)
        if key not in self._faultless:
            self._faultless[key] = http_content(200, _body(request, speech))
        return self._faultless[key]


def _body(request: Request, speech: Speech) -> str:
    return json.dumps(BODIES[request.path](speech if request.structured else as_text(speech)))


def _stats_page(server: LoopbackServer) -> dict[str, Any]:
    return {**asdict(server.stats), "cpu_seconds": time.process_time()}


def _models_page(_: LoopbackServer) -> dict[str, Any]:
    model = {"id": MODEL, "object": "model", "created": CREATED, "owned_by": "loopback"}
    return {"object": "list", "data": [model]}


_PAGES: dict[str, Callable[[LoopbackServer], dict[str, Any]]] = {
    "/health": lambda _: {},
    "/stats": _stats_page,
    "/v1/models": _models_page,
}
"""What GET finds. ``cpu_seconds`` is what the server's process has used since its start."""

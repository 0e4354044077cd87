"""A model server on a loopback port that plays BFCL's ground truth, and fails as a plan says (see `loopback.py`)."""

from loopback_server.apis import (
    BODIES,
    CHAT_PATH,
    CREATED,
    MODEL,
    REASONING,
    RESPONSES_PATH,
    chat_body,
    error_body,
    responses_body,
)
from loopback_server.conversation import RESULT_LIST_START, RESULT_STARTS, Conversation, read_conversation
from loopback_server.faults import FAULTS, MALFORMED, PROSE, Answer, Fault
from loopback_server.oracle import Oracle
from loopback_server.plan import Rule
from loopback_server.process import LoopbackProcess, main
from loopback_server.records import Request, Stats
from loopback_server.server import CASE_HEADER, HOST, LoopbackServer
from loopback_server.speech import Speech, as_text
from loopback_server.wire import Ending, HttpRequest, HttpResponse, http_content, take_request, without_second_half

__all__ = [
    "BODIES",
    "CASE_HEADER",
    "CHAT_PATH",
    "CREATED",
    "FAULTS",
    "HOST",
    "MALFORMED",
    "MODEL",
    "PROSE",
    "REASONING",
    "RESPONSES_PATH",
    "RESULT_LIST_START",
    "RESULT_STARTS",
    "Answer",
    "Conversation",
    "Ending",
    "Fault",
    "HttpRequest",
    "HttpResponse",
    "LoopbackProcess",
    "LoopbackServer",
    "Oracle",
    "Request",
    "Rule",
    "Speech",
    "Stats",
    "as_text",
    "chat_body",
    "error_body",
    "http_content",
    "main",
    "read_conversation",
    "responses_body",
    "take_request",
    "without_second_half",
]

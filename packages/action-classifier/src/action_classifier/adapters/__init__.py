"""Emissions from the files and objects of other harnesses: one pure function per format, nothing of theirs imported.

>>> from action_classifier import adapters, classify
>>> chat = [
...     {"role": "user", "content": "Move a.txt."},
...     {"role": "assistant", "content": "Where should I move it?"},
... ]
>>> [(e.turn, e.step, classify(e.emission).name) for e in adapters.openai_chat(chat)]
[(0, 0, 'ASK')]
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from action_classifier.adapters.anthropic import anthropic_messages
from action_classifier.adapters.gemini import gemini_contents
from action_classifier.adapters.inspect_logs import inspect_log, read_inspect_log
from action_classifier.adapters.langchain import langchain_messages
from action_classifier.adapters.nodes import AdapterError
from action_classifier.adapters.openai import openai_chat, openai_responses
from action_classifier.adapters.opentelemetry import opentelemetry_spans
from action_classifier.adapters.tau import tau2_results, tau_bench_results
from action_classifier.adapters.turns import Emitted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ADAPTERS: Mapping[str, Callable[[object], Iterator[Emitted]]] = MappingProxyType(
    {
        "openai-chat": openai_chat,
        "openai-responses": openai_responses,
        "anthropic": anthropic_messages,
        "gemini": gemini_contents,
        "inspect": inspect_log,
        "tau2": tau2_results,
        "tau-bench": tau_bench_results,
        "langchain": langchain_messages,
        "opentelemetry": opentelemetry_spans,
    }
)
"""Name of a format -> the function that reads a document of it."""

__all__ = [
    "ADAPTERS",
    "AdapterError",
    "Emitted",
    "anthropic_messages",
    "gemini_contents",
    "inspect_log",
    "langchain_messages",
    "openai_chat",
    "openai_responses",
    "opentelemetry_spans",
    "read_inspect_log",
    "tau2_results",
    "tau_bench_results",
]

"""A model's text without what it wrote for itself: reasoning that the other side never saw."""

from __future__ import annotations

import re

_TAGS = "think|thinking|thought|reasoning"

_BLOCK = re.compile(rf"<({_TAGS})>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
"""A block in tags; one that isn't closed goes to the end of the text."""

_OPENED_ELSEWHERE = re.compile(rf"\A.*</(?:{_TAGS})>", re.DOTALL | re.IGNORECASE)
"""A block whose opening tag stands in the prompt, as some chat templates have it."""

_ANALYSIS = re.compile(r"<\|channel\|>\s*analysis.*?(?:<\|end\|>|(?=<\|start\|>|<\|channel\|>)|\Z)", re.DOTALL)
"""The analysis channel of the harmony format."""


def without_reasoning(text: str) -> str:
    """The text without its reasoning blocks, trimmed where one was removed."""
    rest = _OPENED_ELSEWHERE.sub("", _BLOCK.sub("", _ANALYSIS.sub("", text)))
    return text if rest == text else rest.strip()

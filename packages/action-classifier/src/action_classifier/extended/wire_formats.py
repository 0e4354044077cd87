"""Recognising tool calls in text, by the formats in which models and servers write them."""

from __future__ import annotations

import re
from typing import NamedTuple

from action_classifier.calls import FENCE

IDENTIFIER = r"[A-Za-z_]\w{0,127}"
NAME = rf"{IDENTIFIER}(?:[.:/-]{IDENTIFIER}){{0,8}}"
_NAME_CHARS = 200
"""More characters than the name of a function has."""
_VALUE = r"""(?:["'\[{(]|[-+]?\d|True\b|False\b|None\b|true\b|false\b|null\b)"""
_ARGUMENTS = rf"\(\s{{0,99}}(?:\)|\*{{0,2}}{IDENTIFIER}\s{{0,9}}=(?!=)|{_VALUE})"
_JSON_NAME = (
    r"""["'](?:name|function|tool|tool_name|function_name|action|recipient_name)["']\s{0,9}:"""
    r"""\s{0,9}["'][\w.:/-]{1,128}["']"""
)
_JSON_ARGUMENTS = r"""["'](?:arguments|parameters|args|input|params|tool_input|action_input|kwargs)["']\s{0,9}:"""
_DECLARED = re.compile(r"""\s{0,99}["']type["']\s{0,9}:\s{0,9}["'](?:object|dict)["']""")
_SCHEMA = re.compile(r"""["'](?:description|properties|required)["']\s{0,9}:""")
"""Keys of a tool's declaration, which models echo."""


class Format(NamedTuple):
    """One way to write calls.

    Attributes:
        name: Its name, the rule that evidence shows.
        mark: What a text in this format holds, looked for first.
        call: What a call looks like from the mark on.
    """

    name: str
    mark: str
    call: re.Pattern[str]


def _format(name: str, mark: str, after: str) -> Format:
    return Format(name, mark, re.compile(f"{re.escape(mark)}(?:{after})", re.IGNORECASE))


_FILLED = (
    r"[\[{](?!\s{0,99}[\]}])(?![^\n]{0,60}[\"'](?:name|arguments|parameters)[\"']\s{0,3}:\s{0,3}(?:\.\.\.|\u2026|<))"
)
"""A bracket that holds something, and not the dots of a format that is explained."""
_PAYLOAD = rf"\s{{0,99}}{_FILLED}"
_XML_NAME = rf"""\s{{0,9}}=\s{{0,9}}["']?{NAME}"""

TOKEN_FORMATS: tuple[Format, ...] = (
    _format("llama_python_tag", "<|python_tag|>", r"\s{0,99}\S"),
    _format(
        "tool_call_tag",  # Hermes, Qwen (JSON), Qwen-coder (XML), GLM (name, then pairs of keys and values)
        "<tool_call>",
        rf"\s{{0,99}}(?:{_FILLED}|<(?:function|invoke|name|arg_key)\b)|\s{{0,99}}{NAME}\s{{0,9}}(?:<arg_key>|\(|\{{)"
        rf"|\n{{0,9}}(?!null|none){NAME}\s{{0,9}}</tool_call>",
    ),
    _format("tool_calls_tag", "<tool_calls>", rf"\s{{0,99}}(?:{_FILLED}|<(?:invoke|tool_call|function)\b)"),
    _format("granite_tool_call", "<|tool_call|>", rf"\s{{0,99}}(?:{_FILLED}|{NAME}\()"),
    _format("llama_function_tag", "<function=", rf"""["']?{NAME}["']?\s{{0,9}}>"""),
    _format("function_tag", "<function ", rf"name{_XML_NAME}"),
    _format("function_call_tag", "<function_call>", _PAYLOAD),
    _format("functioncall_tag", "<functioncall>", _PAYLOAD),
    _format("invoke_tag", "<invoke ", rf"name{_XML_NAME}"),
    _format("tool_use_tag", "<tool_use>", r"\s{0,99}(?:[\[{]|<)"),
    _format("mistral_tool_calls", "[TOOL_CALLS]", rf"\s{{0,99}}(?:{_FILLED}|{NAME}\s{{0,9}}(?:\[|\{{))"),
    _format("deepseek_tool_calls", "<｜tool▁calls▁begin｜>", r""),
    _format("deepseek_tool_call", "<｜tool▁call▁begin｜>", r""),
    _format("deepseek_dsml", "<｜DSML｜", r"(?:function_calls|tool_calls|invoke)\b"),
    _format("kimi_section", "<|tool_calls_section_begin|>", r"\s{0,99}<\|tool_call_begin\|>"),
    _format("kimi_tool_call", "<|tool_call_begin|>", rf"\s{{0,99}}{NAME}"),
    _format("harmony", "to=", rf"(?:functions|browser|python|container)\b(?:\.{NAME})?[^\n]{{0,200}}<\|message\|>"),
    _format("harmony_bare", "to=functions.", rf"{NAME}"),
    _format("internlm_plugin", "<|action_start|>", r"\s{0,99}<\|(?:plugin|interpreter)\|>"),
    _format("command_action", "<|START_ACTION|>", _PAYLOAD),
    _format("functionary", ">>>", rf"(?!all\b){IDENTIFIER}\n\s{{0,99}}[{{]"),
    _format("gemma_tool_code", "```tool_code", r"\s{0,99}\S"),
    _format("react_action", "\nAction Input:", r"\s{0,99}\S"),
    _format("function_calls_tag", "<function_calls>", rf"\s{{0,99}}(?:{_FILLED}|{NAME}\()"),
    _format("nemotron_toolcall", "<TOOLCALL>", _PAYLOAD),
    _format("functools", "functools[", r"\s{0,9}\{"),
    _format("lfm_tool_call", "<|tool_call_start|>", _PAYLOAD),
)
"""Formats with a mark of their own: they count wherever they stand, code spans and reasoning aside."""

_SIGNS_OF_MARKS = ("<", "[TOOL_CALLS]", "to=", "```tool_code", "\nAction Input:", ">>>", "functools[")
"""A text without any of these holds no mark."""

_BRACKETED = re.compile(
    rf"\[\s{{0,99}}{NAME}(?:{_ARGUMENTS}|\s{{1,9}}\((?:\)|{IDENTIFIER}\s{{0,9}}=)"
    rf"|\((?=[^()\n]{{1,500}}\)\s{{0,9}}(?:,|\]\s{{0,9}}(?:\n|\Z|,))))"
)
_BRACKETED_NAME = re.compile(rf"\[{NAME}\]\(\s{{0,9}}(?:\)|{IDENTIFIER}\s{{0,9}}=)")
_BARE = re.compile(rf"{NAME}{_ARGUMENTS}")
_BARE_POSITIONAL = re.compile(rf"{NAME}\([\w.,/ -]{{1,300}}\)\s*\Z")
_NAME_LISTS = re.compile(
    r"(?:\[\s{0,9}[a-z_]\w{0,127}(?:\s{1,9}[a-z_]\w{0,63}\s{0,9}=|\s{1,9}[\"']|\s{0,9},\s{0,9}[a-z_./]"
    r"|\]\s{0,9},\s{0,9}\[[a-z_]))"
    r"|(?:\[[a-z]\w{0,63}_\w{0,63}\]\s{0,99}\Z)"
)
_JSON_CALL = re.compile(
    rf"(?:\[\s{{0,99}})?\{{\s{{0,99}}{_JSON_NAME}\s{{0,99}},\s{{0,99}}{_JSON_ARGUMENTS}\s{{0,9}}[\"'{{]"
)

OPENING_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("json_call", _JSON_CALL),
    ("bracketed_call", _BRACKETED),
    ("bracketed_name_call", _BRACKETED_NAME),
    ("bracketed_names", _NAME_LISTS),
)
"""Formats without a mark, which count where the text or a line after prose opens with them."""

_FENCE = re.compile(r"```([\w+-]{0,30})[^\n]{0,99}\n")
_EXAMPLE = re.compile(
    r"(?:examples?|for instance|e\.g|such as|like this|like so|looks? like|format|syntax|schema|usage|signature|snippet"
    r"|output|returned|contains)\b[^.!?\n]{0,80}\s*\Z"
)
"""The end of a text, in lower case, before a call that is only shown."""
_STAND_IN = re.compile(
    r"just an example\b|here(?:'s|\u2019s| is) an example\b|\breplace (?:the )?[\"'`]?(?:your\b|<|your_)", re.IGNORECASE
)
"""What shows that the calls without marks in a text are there to be filled in or adapted by its reader."""
_BRACKET = re.compile(r"[\[{](?<=\s.)")
_INDENT = 20
"""How far a call on a line of its own may be indented."""
_BEFORE_CALLS = frozenset("\n.:!")
_PROSE_BEFORE = 1_500
"""How much prose may stand before a call that has no mark; longer texts are answers."""

Span = tuple[int, int]


def find_call(text: str) -> tuple[str, Span] | None:
    """Format and character span of the first sign of a call in a text without reasoning, or None."""
    if found := _opening(text):
        return found
    if any(map(text.__contains__, _SIGNS_OF_MARKS)):
        for name, mark, call in TOKEN_FORMATS:
            if mark in text and (match := _marked(text, mark, call)):
                return name, match.span()
    found = (_fenced(text) if FENCE in text else None) or (_late(text) if "[" in text or "{" in text else None)
    return None if found and _for_reader(text) else found


def _for_reader(text: str) -> bool:
    """Whether a text says that its calls are examples, or have stand-ins that its reader is to replace."""
    return ("example" in text or "eplace" in text) and _STAND_IN.search(text) is not None


def _marked(text: str, mark: str, call: re.Pattern[str]) -> re.Match[str] | None:
    """The first place where the mark is followed by a call, unless a code span names it."""
    start = text.find(mark)
    tries = 0
    while start >= 0 and tries < 64:
        match = call.match(text, start)
        if match and (start == 0 or text[start - 1] != "`" or text[start - 2 : start - 1] == "`"):
            return match
        start = text.find(mark, start + 1)
        tries += 1
    return None


def _opening(text: str) -> tuple[str, Span] | None:
    start = len(text) - len(text.lstrip())
    first = text[start : start + 1]
    if first in ("[", "{"):
        return _shaped(text, start)
    if "(" in text[start : start + _NAME_CHARS] and (first.isalpha() or first == "_"):
        return _bare(text, start)
    return None


def _shaped(text: str, start: int) -> tuple[str, Span] | None:
    for name, pattern in OPENING_FORMATS:
        if match := pattern.match(text, start):
            if name == "json_call" and _DECLARED.match(text, match.end()):
                return None
            return name, match.span()
    return None


def _bare(text: str, start: int) -> tuple[str, Span] | None:
    """A text that is calls and nothing else: ``mv(source="a")``."""
    match = _BARE.match(text, start)
    if match and text.rstrip().endswith((")", ");", "]")):
        return "bare_call", match.span()
    match = _BARE_POSITIONAL.match(text, start)
    return ("bare_call", match.span()) if match else None


def _fenced(text: str) -> tuple[str, Span] | None:
    """A call that opens a code block, after prose that doesn't speak of an example."""
    fence = text.find(FENCE)
    tries = 0
    while 0 <= fence <= _PROSE_BEFORE and tries < 8:
        opening = _FENCE.match(text, fence)
        if not opening:
            return None
        end = text.find(FENCE, opening.end())
        body_start = opening.end()
        while body_start < len(text) and text[body_start].isspace():
            body_start += 1
        if not _EXAMPLE.search(text[max(0, fence - 120) : fence].lower()):
            body = text[: end if end >= 0 else len(text)]
            if body[body_start : body_start + 1] in ("[", "{"):
                found = _shaped(body, body_start)
            else:
                found = _bare(body, body_start)
            if found:
                return f"fenced_{found[0]}", found[1]
        if end < 0:
            return None
        fence = text.find(FENCE, end + 3)
        tries += 1
    return None


def _late(text: str) -> tuple[str, Span] | None:
    """A call after some words of prose, at the start of a line or after a sentence."""
    for place in _BRACKET.finditer(text, 1, _PROSE_BEFORE):
        start = place.start()
        if text[max(0, start - _INDENT) : start].rstrip(" \t")[-1:] not in _BEFORE_CALLS:
            continue
        found = _shaped(text, start)
        if found and found[0] != "bracketed_names":
            before = text[:start]
            quoted = _EXAMPLE.search(before[-120:].lower()) or _SCHEMA.search(before) or FENCE in before
            return None if quoted else found
    return None

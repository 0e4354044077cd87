"""The words of a text in one spelling, with what is quoted blanked: code, links, quotations."""

from __future__ import annotations

import re

from action_classifier.cues import fold_quotes, lowered

_APOSTROPHES = re.compile(r"[`\u2032\uff07](?<=\w.)(?=\w)")
"""Back-ticks and primes between letters stand for apostrophes: I can`t."""

_FENCES = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TILDES = re.compile(r"~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED_LINES = re.compile(r"(?:(?<=\n)|\A)> [^\n]{1,2000}")
_INDENTED = re.compile(r"(?<=\n\n) {4}(?![-*\u2022\d ])[^\n]{1,2000}")
_LINKS = re.compile(r"https?://[^\s)>\]]{1,2000}|www\.[^\s)>\]]{1,2000}")
_QUOTED = re.compile(
    r"""
    # Each starts with its mark, so that the search for the next one is fast; what may stand before comes second.
      ` [^`\n]{1,300} `                                                       # code in a line
    | " (?<!\w") [^"\n]{1,600} "                                             # quotations
    | ' (?<![\w']') (?=[^\s']) [^'\n]{1,200} (?: '(?=\w) [^'\n]{1,200} ){0,4} ' (?!\w)
    | « [^«»\n]{1,600} » | 「 [^「」\n]{1,600} 」 | 『 [^『』\n]{1,600} 』 | 《 [^《》\n]{1,600} 》
    """,
    re.VERBOSE,
)

_STOPPED = ('."', '!"')
_CONTROL = re.compile(r"<\|[a-z_]{2,30}\|>(?:(?:assistant|final|commentary)\b)?")
"""Control tokens of chat templates, with the names of role and channel that follow them."""


def plain(text: str) -> str:
    """The text in lower case with ASCII quotes, character for character, and every quoted character a ``_``.

    Bold marks become spaces. Offsets in what comes out are offsets in the text.
    """
    text = lowered(fold_quotes(text))
    beyond_ascii = not text.isascii()
    # Looking for one character first is cheaper than looking for what it begins.
    if "`" in text or beyond_ascii:
        text = _APOSTROPHES.sub("'", text)
        if "```" in text:
            text = _FENCES.sub(_blank_lines, text)
    if "<" in text and "<|" in text:
        text = _CONTROL.sub(_space, text)
    if "~" in text and "~~~" in text:
        text = _TILDES.sub(_blank_lines, text)
    if ">" in text and "> " in text:
        text = _QUOTED_LINES.sub(_blank, text)
    if "\n" in text and "\n\n    " in text:
        text = _INDENTED.sub(_blank, text)
    if ("/" in text or "?" in text) and ("://" in text or "www." in text):
        text = _LINKS.sub(_blank, text)
    if beyond_ascii or "'" in text or '"' in text or "`" in text:
        text = _QUOTED.sub(_blank_quote, text)
    return text.replace("**", "  ")


def _blank(match: re.Match[str]) -> str:
    return "_" * len(match[0])


def _blank_quote(match: re.Match[str]) -> str:
    """A full stop inside the closing mark ends the sentence outside."""
    quoted = match[0]
    return "_" * (len(quoted) - 1) + ("." if quoted.endswith(_STOPPED) else "_")


def _space(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _blank_lines(match: re.Match[str]) -> str:
    """A block of its own: it ends the sentence before it."""
    return "\n" + "_" * (len(match[0]) - 2) + "\n"

"""Classifying is linear, by both rulesets: seconds for 10 MB of each repeated pattern, and the ratio to a tenth of it.

The peer is the same classifier in the same run on a text a tenth as long: a linear rule has a ratio near 10, a
quadratic one near 100. Exit status 1 if a pattern takes 2 s or more for 10 MB.
"""

from __future__ import annotations

import sys
import time

from action_classifier import CUES, RULESETS, classify

SIZE = 10_000_000
OPENINGS = ("", "[{", '{"name":"f",', "```\n{")
UNITS = (
    *("a", " ", "\n", "[", "]", "{", "}", "(", ")", "<", "?", "'", '"', "`", "\\", "-", "1", "\x00", "\ud800"),
    *("[{", "{[", "()", "[a(", "```\n", "<tool_call_", '"arguments" ', '{"name":', "\u0130", "\u2019", "\u00e9"),
    *(
        "<think>",
        "</think>",
        "<|channel|>analysis",
        "<|end|>",
        "<tool_call>",
        "<invoke name=",
        "[TOOL_CALLS]",
        "to=functions.",
    ),
    *(
        "[f(x=",
        "f(x=",
        "? ",
        ". ",
        "1. ",
        "- a?\n",
        "'a ",
        "`a",
        "please ",
        "let me know ",
        "i can't ",
        "has been ",
        "not ",
        "sadly ",
        "without your ",
        "> a\n",
        "~~~",
    ),
    *(
        "https://x",
        "\u3002",
        "\u306e",
        "_ ",
        "**",
        "<|",
        ">>>a\n",
        '"description": ',
        '{"a":',
        "\nAction Input:",
        "\uff1f",
    ),
    *(cue[:-1] for cues in CUES.values() for cue in cues if len(cue) > 1),
)


def seconds(text: str, ruleset: str) -> float:
    """CPU seconds of one classification."""
    started = time.process_time()
    classify(text, ruleset)
    return time.process_time() - started


def main() -> int:
    """The exit status."""
    rows = [
        (*(seconds(text, ruleset) for text in (pattern, pattern[: SIZE // 10])), ruleset, pattern[:24])
        for pattern in (opening + unit * (SIZE // len(unit)) for opening in OPENINGS for unit in UNITS)
        for ruleset in RULESETS
    ]
    rows.sort(reverse=True)
    print(f"{len(rows)} classifications of 10 MB; the slowest:")
    for whole, tenth, ruleset, pattern in rows[:10]:
        ratio = whole / max(tenth, 1e-6)
        print(f"{whole:6.2f} s  {ratio:6.1f} x a tenth of it   {ruleset:8}  {pattern!r}...")
    return 1 if rows[0][0] >= 2 else 0


if __name__ == "__main__":
    sys.exit(main())

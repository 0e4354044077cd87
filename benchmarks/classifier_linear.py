"""Classifying is linear: seconds for 10 MB of each repeated pattern, and the ratio to a tenth of it.

The peer is the same classifier in the same run on a text a tenth as long: a linear rule has a ratio near 10, a
quadratic one near 100. Exit status 1 if a pattern takes 2 s or more for 10 MB.
"""

from __future__ import annotations

import sys
import time

from action_classifier import CUES, classify

SIZE = 10_000_000
OPENINGS = ("", "[{", '{"name":"f",', "```\n{")
UNITS = (
    *("a", " ", "\n", "[", "]", "{", "}", "(", ")", "<", "?", "'", '"', "`", "\\", "-", "1", "\x00", "\ud800"),
    *("[{", "{[", "()", "[a(", "```\n", "<tool_call_", '"arguments" ', '{"name":', "\u0130", "\u2019", "\u00e9"),
    *(cue[:-1] for cues in CUES.values() for cue in cues if len(cue) > 1),
)


def seconds(text: str) -> float:
    """CPU seconds of one classification."""
    started = time.process_time()
    classify(text)
    return time.process_time() - started


def main() -> int:
    """The exit status."""
    rows = []
    for opening in OPENINGS:
        for unit in UNITS:
            text = opening + unit * (SIZE // len(unit))
            rows.append((seconds(text), seconds(text[: SIZE // 10]), opening, unit))
    rows.sort(reverse=True)
    print(f"{len(rows)} patterns of 10 MB; the slowest:")
    for whole, tenth, opening, unit in rows[:10]:
        print(f"{whole:6.2f} s  {whole / max(tenth, 1e-6):6.1f} x a tenth of it   {opening + unit!r} repeated")
    return 1 if rows[0][0] >= 2 else 0


if __name__ == "__main__":
    sys.exit(main())

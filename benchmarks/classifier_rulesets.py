"""What ruleset `extended` costs: CPU time on mixed emissions, as a ratio to ruleset `paper` in the same run.

Needs ``shared/data/parity/emissions.jsonl`` beside the checkout; without it a line says so. Exit status 1 if `extended`
takes more than 2.5 times as long.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from figures import Figure, report

from action_classifier import classify

EMISSIONS = Path(__file__).resolve().parents[2] / "shared/data/parity/emissions.jsonl"
ROUNDS = 9
MOST = 2.5


def seconds(emissions: list[object], ruleset: str) -> float:
    """CPU seconds that the classification of all emissions takes."""
    started = time.process_time()
    for emission in emissions:
        classify(emission, ruleset)
    return time.process_time() - started


def main() -> int:
    """The exit status."""
    if not EMISSIONS.is_file():
        print("skipped: shared/data is not beside the checkout")
        return 0
    emissions = [json.loads(line)["emission"] for line in EMISSIONS.read_bytes().splitlines()]
    rounds = [(seconds(emissions, "paper"), seconds(emissions, "extended")) for _ in range(ROUNDS)]
    paper, extended = (1e6 * statistics.median(times) / len(emissions) for times in zip(*rounds, strict=True))
    return report(
        f"{len(emissions)} emissions, medians of {ROUNDS} rounds:",
        [
            Figure(paper, "us", "CPU time of an emission, ruleset paper"),
            Figure(extended, "us", "CPU time of an emission, ruleset extended"),
            Figure(statistics.median(b / a for a, b in rounds), "x", "extended / paper", MOST),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())

"""Scoring 800 oracle cases: seconds of `bfcl-runner score`, as a share of those of upstream's evaluation.

The peer is bfcl-eval's own evaluation with its import (`upstream_evaluate.py`) in the same run, with a stub in the
place of its table of models: the real import of every vendor's SDK takes seconds more. Verdicts and error types must
be the same, for the oracle and for an agent that fails in many ways. Ratios are medians over some rounds. Exit status
1 if the target is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from figures import Figure, report
from measuring import RUNNER, Usage, in_turns, load, run_program

PEER = (sys.executable, str(Path(__file__).with_name("upstream_evaluate.py")))

MEASURED = "oracle"
COMPARED = "noisy:0.5:1"
"""An agent whose verdicts are compared too: the oracle has no failures."""

MOST_WALL = 0.6


def play(agent: str, folder: Path) -> None:
    """Leaves the 800 rows of a scripted agent in a folder."""
    run_program([*RUNNER, "run", "--backend", "scripted", "--agent", agent, "--output-dir", str(folder)])


def score_ours(results: Path, scores: Path) -> Usage:
    """What `bfcl-runner score` took."""
    return run_program([*RUNNER, "score", str(results), "--scores", str(scores)])


def score_peer(results: Path, scores: Path) -> Usage:
    """What upstream's evaluation took."""
    return run_program([*PEER, str(results / "result"), str(scores)])


def verdicts(scores: Path) -> dict[str, tuple[int, dict[str, str]]]:
    """By name of the score file the number of cases, and the error type of each that fails."""
    found = {}
    for file in scores.rglob("*_score.json"):
        header, *failing = map(json.loads, file.read_bytes().splitlines())
        found[file.name] = (header["total_count"], {line["id"]: line["error"]["error_type"] for line in failing})
    return found


def require_same(ours: Path, peer: Path) -> int:
    """The number of failing cases, which both scored alike."""
    found = verdicts(ours)
    if found != verdicts(peer) or sum(cases for cases, _ in found.values()) != 800:
        sys.exit("bfcl-runner and upstream gave different verdicts")
    return sum(len(failing) for _, failing in found.values())


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each, default: %(default)s")
    rounds = parser.parse_args().rounds
    failing = {}
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent)
        for agent in (COMPARED, MEASURED):
            play(agent, folder / agent)
            taken = in_turns(
                rounds if agent == MEASURED else 1,
                partial(score_ours, folder / agent, folder / agent / "ours"),
                partial(score_peer, folder / agent, folder / agent / "peer"),
            )
            failing[agent] = require_same(folder / agent / "ours", folder / agent / "peer")
    ours, peer = zip(*taken, strict=True)
    status = report(
        "Scoring 800 oracle cases from files, start and import included",
        [
            Figure(median(usage.wall for usage in ours), "s", "bfcl-runner score"),
            Figure(median(usage.wall for usage in peer), "s", "upstream, its import of all vendors (3 s) left out"),
            Figure(median(a.wall / b.wall for a, b in taken), "x", "upstream's seconds", most=MOST_WALL),
            Figure(median(a.cpu / b.cpu for a, b in taken), "x", "upstream's CPU seconds, worker processes included"),
        ],
    )
    print(f"       {load()}: what else runs makes these seconds longer")
    print(f"       verdicts and error types are upstream's; failing cases: {failing}")
    return status


if __name__ == "__main__":
    sys.exit(main())

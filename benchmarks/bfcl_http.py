"""A run over HTTP: CPU seconds and memory of 800 cases, and how near 32 conversations in flight come to the ideal.

The peer is bfcl-eval's own generation (`upstream_generate.py`) in the same run, and both talk to the model server of
the tests, which plays the ground truth on this machine; its own CPU time isn't counted. Both must give the same
results. CPU seconds are medians over some rounds; of the seconds on the clock the best round counts, the one that the
rest of the machine disturbed least. Exit status 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from figures import Figure, report
from measuring import RUNNER, Usage, in_turns, load, run_program
from oracle_server import MODEL, LoopbackProcess

from bfcl_runner import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterable

PEER = (sys.executable, str(Path(__file__).with_name("upstream_generate.py")))

MOST_CPU = 0.5
MOST_MEMORY = 300.0

WAITED_FOR = "base"
LATENCY = 0.05
IN_FLIGHT = 32
MOST_WALL = 1.25


def run_ours(folder: Path, server: LoopbackProcess, categories: Iterable[str], concurrency: int = 1) -> Usage:
    """What `bfcl-runner run` took, from its start to its tables."""
    options = {
        "--backend": "openai",
        "--model": MODEL,
        "--base-url": server.base_url,
        "--categories": ",".join(categories),
        "--concurrency": str(concurrency),
        "--output-dir": str(folder),
    }
    words = [word for option in options.items() for word in option]
    return run_program([*RUNNER, "run", *words, "--overwrite"], mark=_last_row(categories))


def run_peer(folder: Path, servers: dict[str, LoopbackProcess], concurrency: int = 1) -> Usage:
    """What upstream's generation took."""
    for file in folder.rglob("*_result.json"):
        file.unlink()  # upstream appends
    words = [word for name, server in servers.items() for word in ("--server", f"{name}={server.base_url}")]
    return run_program([*PEER, str(folder), "--threads", str(concurrency), *words], mark=_last_row(servers))


def _last_row(categories: Iterable[str]) -> str:
    """What both programs write on standard error as soon as the last category has its last row."""
    *_, last = categories
    return f"{last}: 200 cases done"


def results(folder: Path) -> dict[str, Any]:
    """The result of each case in the result files below a folder."""
    rows = (json.loads(line) for file in folder.rglob("*_result.json") for line in file.open("rb"))
    return {row["id"]: row["result"] for row in rows}


def cpu_figures(folder: Path, rounds: int) -> list[Figure]:
    """CPU seconds for 800 cases without latency, and our memory."""
    with ExitStack() as running:
        server = running.enter_context(LoopbackProcess())
        # Upstream's requests don't name their case; among those of one category the server knows it all the same.
        servers = {name: running.enter_context(LoopbackProcess(categories=[name])) for name in CATEGORIES}
        taken = in_turns(
            rounds,
            lambda: run_ours(folder / "ours", server, CATEGORIES),
            lambda: run_peer(folder / "peer", servers),
        )
        requests = sum(server.stats()["requests"] for server in servers.values()) / rounds
    _require_same(folder, cases=800)
    ours, peer = (median(usage.cpu for usage in usages) for usages in zip(*taken, strict=True))
    return [
        Figure(ours, "s", f"CPU of bfcl-runner run, 800 cases with scoring; {1000 * ours / requests:.2f} ms a request"),
        Figure(peer, "s", f"CPU of upstream generating the same; {1000 * peer / requests:.2f} ms a request"),
        Figure(median(ours.cpu / peer.cpu for ours, peer in taken), "x", "upstream's CPU seconds", most=MOST_CPU),
        Figure(max(ours.peak for ours, _ in taken), "MB", "peak memory of bfcl-runner run", most=MOST_MEMORY),
        Figure(max(peer.peak for _, peer in taken), "MB", "peak memory of upstream generating"),
    ]


def latency_figures(folder: Path, rounds: int) -> list[Figure]:
    """Seconds for 200 cases at 50 ms a reply, first request to last row, beside the ideal."""
    ours, peer = [], []
    for _ in range(rounds):
        with LoopbackProcess(latency=LATENCY, categories=[WAITED_FOR]) as server:
            usage = run_ours(folder / "ours", server, [WAITED_FOR], IN_FLIGHT)
            ours.append(usage.marked - server.stats()["first_request"])
            requests = server.stats()["requests"]
        with LoopbackProcess(latency=LATENCY, categories=[WAITED_FOR]) as server:
            usage = run_peer(folder / "peer", {WAITED_FOR: server}, IN_FLIGHT)
            peer.append(usage.marked - server.stats()["first_request"])
    _require_same(folder, cases=200)
    longest = max(sum(map(len, turns)) for turns in results(folder / "ours").values())
    ideal = max(requests / IN_FLIGHT, longest) * LATENCY
    return [
        Figure(ideal, "s", f"the ideal for {requests} requests of 50 ms, {IN_FLIGHT} at a time"),
        Figure(min(ours), "s", f"bfcl-runner run, first request to last row; median {median(ours):.3f} s"),
        Figure(min(peer), "s", f"upstream generating, likewise; median {median(peer):.3f} s"),
        Figure(min(ours) / ideal, "x", "the ideal", most=MOST_WALL),
        Figure(min(ours) / min(peer), "x", "upstream's seconds"),
    ]


def _require_same(folder: Path, cases: int) -> None:
    ours, peer = results(folder / "ours"), results(folder / "peer")
    if ours != peer or len(ours) != cases:
        sys.exit("bfcl-runner and upstream gave different results: the figures would compare different work")


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each, default: %(default)s")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        status = report(
            "800 oracle cases over loopback HTTP without latency, one conversation at a time",
            cpu_figures(Path(folder, "cpu"), rounds),
        )
        print(f"       {load()}\n")
        status |= report(
            "200 oracle cases at 50 ms a reply, 32 conversations in flight",
            latency_figures(Path(folder, "latency"), rounds),
        )
        print(f"       {load()}: what else runs makes these seconds longer")
    return status


if __name__ == "__main__":
    sys.exit(main())

"""What watching costs: CPU seconds of 800 cases over HTTP with a probe in passive_log, and without any.

The peer is the same run without probes, in the same rounds. All must give the same results. Exit status 1 if a
target is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from bfcl_http import results
from figures import Figure, report
from measuring import RUNNER, Usage, in_turns, load, run_program
from oracle_server import MODEL, LoopbackProcess

PROBES = ("sri", "cri")
MOST = 1.1


def _run(folder: Path, server: LoopbackProcess, *probes: str) -> Usage:
    """What a run of all multi-turn cases took."""
    command = [*RUNNER, "run", "--backend", "openai", "--model", MODEL, "--base-url", server.base_url]
    return run_program([*command, "--output-dir", str(folder), "--overwrite", *probes])


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each, default: %(default)s")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as root, LoopbackProcess() as server:
        folders = [Path(root, name) for name in (*PROBES, "none")]
        flags = [*(("--probe", name, "--probe-mode", "passive_log") for name in PROBES), ()]
        programs = [partial(_run, folder, server, *flag) for folder, flag in zip(folders, flags, strict=True)]
        taken = in_turns(rounds, *programs)
        if any(results(folder) != results(folders[-1]) for folder in folders):
            sys.exit("a run under a passive probe gave other results than one without")
    figures = [Figure(median(usages[-1].cpu for usages in taken), "s", "CPU without a probe")]
    for place, name in enumerate(PROBES):
        ratio = median(usages[place].cpu / usages[-1].cpu for usages in taken)
        figures.append(Figure(ratio, "x", f"that with {name} in passive_log", most=MOST))
    status = report("800 oracle cases over loopback HTTP, watched by a probe", figures)
    print(f"       {load()}")
    return status


if __name__ == "__main__":
    sys.exit(main())

"""What `tau2-runner breakdown` takes for 13 runs, 25 MB, beside Python's own reading of the same files.

The runs are copies of the three real ones in shared/data beside the checkout; without that folder nothing is measured.
How long `tau2-runner --help` takes is measured as well. The best of some rounds counts, the one that the rest of the
machine disturbed least. Exit status 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from figures import Figure, report
from measuring import in_turns, load, run_program

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TAU2_RUNNER = (sys.executable, "-m", "tau2_runner")
READING = "import json, sys\nfor path in sys.argv[1:]:\n    json.load(open(path, encoding='utf-8'))"

RUNS = 13
MOST_SECONDS = 2.0
MOST_MEGABYTES = 300.0
MOST_HELP_SECONDS = 0.3


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="measurements of each, default: %(default)s")
    rounds = parser.parse_args().rounds
    if not (DATA / "tau2_runs").is_dir():
        print("shared/data is not beside the checkout: nothing is measured")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return _measured(Path(folder), rounds)


def _measured(folder: Path, rounds: int) -> int:
    real = sorted((DATA / "tau2_runs").iterdir())
    for number, run in enumerate(islice(cycle(real), RUNS)):
        shutil.copytree(run, folder / f"{run.name}_2026-01-{number + 1:02}")
    files = sorted(map(str, folder.glob("*/results.json")))
    megabytes = sum(Path(file).stat().st_size for file in files) / 1e6
    breakdown = (*TAU2_RUNNER, "breakdown", str(folder), "--tau2-root", str(DATA / "tau2_data"))
    commands = (breakdown, (sys.executable, "-c", READING, *files), (*TAU2_RUNNER, "--help"))
    taken = in_turns(rounds, *(partial(run_program, command) for command in commands))
    ours, reading, help_ = zip(*taken, strict=True)
    wall = min(usage.wall for usage in ours)
    ratio = median(mine.cpu / theirs.cpu for mine, theirs, _ in taken)
    status = report(
        f"tau2-runner breakdown, {RUNS} runs, {megabytes:.0f} MB, best of {rounds}",
        [
            Figure(wall, "s", f"breakdown; median {median(u.wall for u in ours):.3f} s", most=MOST_SECONDS),
            Figure(max(u.peak for u in ours), "MB", "memory of breakdown, the most of all rounds", most=MOST_MEGABYTES),
            Figure(min(u.wall for u in reading), "s", "json.load of the same files"),
            Figure(ratio, "x", "the CPU seconds of json.load, median"),
            Figure(min(u.wall for u in help_), "s", "tau2-runner --help", most=MOST_HELP_SECONDS),
        ],
    )
    print(f"       {load()}")
    return status


if __name__ == "__main__":
    sys.exit(main())

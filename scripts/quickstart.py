"""Runs three scripted agents over all 800 BFCL multi-turn conversations and prints their GAR table.

The oracle does right everywhere; the overcaller calls where it should ask or refuse and passes all the same,
which is the masking that GAR shows; the refuser never calls and fails.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from bfcl_runner import Lines, ModelOptions, RunnerError, RunPlan, install_benchmark, run
from gar_metrics import load_runs, render_combined

AGENTS = ("oracle", "overcaller", "refuser")


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output-dir", type=Path, default=Path("runs/quickstart"), help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes, default: %(default)s")
    options = parser.parse_args()
    try:
        if install_benchmark():
            print("Installed bfcl-eval into this environment, without its dependencies.")
        for agent in AGENTS:
            print(f"{agent}:", flush=True)
            folder = options.output_dir / agent
            model = ModelOptions("scripted", agent=agent)
            run(RunPlan(model, folder, jobs=options.jobs, overwrite=True, argv=tuple(sys.argv)), Lines(Console()))
    except RunnerError as error:
        print(f"quickstart: {error}", file=sys.stderr)
        return 2
    print()
    print(render_combined(load_runs([options.output_dir / agent for agent in AGENTS])))
    print(f"Result and score files: {options.output_dir}/<agent>/result and .../score, the record in run.json.")
    print(f"Look closer:            hatch run gar cases {options.output_dir}/overcaller --outcome masked_pass")
    return 0


if __name__ == "__main__":
    sys.exit(main())

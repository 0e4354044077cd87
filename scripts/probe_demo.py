"""Shows what the probes do, without a model: scripted agents with and without them over all 800 conversations.

The halting agent stops after the first call of a turn unless it is told to go on: SRI tells it. The heeding agent calls
where it should ask or refuse, unless it is told not to: CRI tells it, once a case. The overcaller heeds nobody; bypass
takes its call away and speaks in its place, which is no action of the model, so its GAR stays where it was.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bfcl_runner import ModelOptions, RunnerError, RunPlan, Silent, chosen_probes, install_benchmark, run
from gar_metrics import load_runs, render_combined

PAIRS = (("halting", "sri"), ("heeding", "cri:v1"), ("overcaller", "cri:bypass"))


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output-dir", type=Path, default=Path("runs/probes"), help="default: %(default)s")
    options = parser.parse_args()
    try:
        install_benchmark()
        for agent, probe in PAIRS:
            folders = [options.output_dir / agent / name for name in ("without", probe.replace(":", "-"))]
            for folder, probes in zip(folders, ((), (probe,)), strict=True):
                model = ModelOptions("scripted", agent=agent)
                plan = RunPlan(model, folder, probes=chosen_probes(probes, None, ()), overwrite=True)
                run(plan, Silent())
            print(f"{agent}, without a probe and under {probe}:")
            print(render_combined(load_runs(folders)))
    except RunnerError as error:
        print(f"probe_demo: {error}", file=sys.stderr)
        return 2
    print(f"Event logs: {options.output_dir}/*/*/sri_event_log.jsonl; read one with: calibration-probes events LOG")
    return 0


if __name__ == "__main__":
    sys.exit(main())

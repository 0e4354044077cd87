"""Runs every benchmark of this folder, one after another. Exit status 1 if one of them misses a target."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = (
    "classifier_linear.py",
    "classifier_rulesets.py",
    "classifier_quality.py",
    "bfcl_start.py",
    "bfcl_scoring.py",
    "bfcl_http.py",
    "probe_overhead.py",
    "gar_reading.py",
    "tau2_breakdown.py",
)


def main() -> int:
    """The exit status."""
    status = 0
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        status |= subprocess.run([sys.executable, Path(__file__).with_name(name)], check=False).returncode != 0
    return status


if __name__ == "__main__":
    sys.exit(main())

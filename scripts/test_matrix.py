"""Runs the tests on every interpreter of the matrix that this machine has: ``hatch test --all``.

This runs inside a hatch environment, which holds neither hatch nor, where hatch came from a virtual
environment, a PATH that leads to it. Hatch does hand its uv on, and uv runs hatch.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

HATCH = "hatch>=1.18,<2"


def main() -> int:
    """The exit status of the tests."""
    uv = os.environ.get("HATCH_UV") or shutil.which("uv")
    if uv is None:
        print("test_matrix: start this as `hatch run test`", file=sys.stderr)
        return 2
    command = [uv, "tool", "run", "--quiet", "--from", HATCH, "hatch", "test", "--all", *sys.argv[1:]]
    # Set for commands in an environment; the hatch started here is to choose its environments itself.
    outside = {name: value for name, value in os.environ.items() if name not in ("HATCH_ENV_ACTIVE", "VIRTUAL_ENV")}
    return subprocess.run(command, env=outside, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

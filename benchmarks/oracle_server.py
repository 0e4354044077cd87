"""The tests' model server, which plays BFCL's ground truth over HTTP, as a program of its own."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "bfcl-runner"))

from loopback import MODEL, LoopbackProcess

__all__ = ["MODEL", "LoopbackProcess"]

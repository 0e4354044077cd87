"""A model server on a loopback port: it plays BFCL's ground truth over OpenAI's HTTP APIs, and fails as a plan says.

Chat completions (function calling, and prompting mode where a request brings no tools), Responses, the list of
models, ``/health`` and ``/stats``. In a thread of the tests, or as a program that prints its port:

    python tests/bfcl-runner/loopback.py --port 0 --latency 0.05

Nothing that is said depends on the order of requests, so that two runs get the same replies whatever their
scheduling. User text alone doesn't identify a case: clients name it in the header ``X-Case-Id``; without it the
server compares histories (see `Oracle.find`).

The server itself is the package `loopback_server` beside this file.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))  # a module loaded by its location doesn't find its neighbours

from loopback_server import *  # noqa: F403 (the package says what is public)
from loopback_server import main

if __name__ == "__main__":
    main()

"""The pinned benchmark, for the tests that run it."""

from __future__ import annotations

import pytest

from bfcl_runner import BenchmarkMissingError, require_benchmark


@pytest.fixture(scope="session")
def benchmark() -> None:
    """Skips, saying why, where bfcl-eval is not installed (`bfcl-runner install-benchmark` puts it there)."""
    try:
        require_benchmark()
    except BenchmarkMissingError as missing:
        pytest.skip(str(missing))

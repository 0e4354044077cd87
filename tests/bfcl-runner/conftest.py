"""The pinned benchmark, and a model server that plays it, for the tests that run them."""

from __future__ import annotations

import importlib.util
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import BenchmarkMissingError, require_benchmark

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


@pytest.fixture(scope="session")
def benchmark() -> None:
    """Skips, saying why, where bfcl-eval is not installed (`bfcl-runner install-benchmark` puts it there)."""
    try:
        require_benchmark()
    except BenchmarkMissingError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def loopback() -> ModuleType:
    """The module `loopback.py` of this folder, whose name is no package's."""
    path = Path(__file__).with_name("loopback.py")
    spec = importlib.util.spec_from_file_location("loopback", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Loopbacks:
    """Starts model servers that play the ground truth; the test's end stops them."""

    def __init__(self, module: ModuleType, running: ExitStack) -> None:
        self._module = module
        self._running = running

    def rule(self, fault: str, **selection: Any) -> Any:
        """A `Rule` for the plan of a server."""
        return self._module.Rule(fault, **selection)

    def start(self, *plan: Any, **options: Any) -> Any:
        """A `LoopbackServer` in a thread."""
        return self._running.enter_context(self._module.LoopbackServer(plan, **options))

    def start_process(self, *plan: Any, **options: Any) -> Any:
        """A `LoopbackProcess`."""
        return self._running.enter_context(self._module.LoopbackProcess(plan, **options))


@pytest.fixture
def loopbacks(benchmark: None, loopback: ModuleType) -> Iterator[Loopbacks]:
    """Starts model servers, in threads or processes, with plans of what shall go wrong."""
    with ExitStack() as running:
        yield Loopbacks(loopback, running)

"""The pinned bfcl-eval: which release, whether it is here, and how to import it without side effects."""

from __future__ import annotations

import atexit
import importlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
from typing import Any

from bfcl_runner.errors import BenchmarkMissingError

DISTRIBUTION = "bfcl-eval"
VERSION = "2026.3.23"
WHEEL_SHA256 = "3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a"
"""Digest of the only wheel of that version."""

INSTALL_HINT = "run: bfcl-runner install-benchmark"

_PROJECT_ROOT_VARIABLE = "BFCL_PROJECT_ROOT"
_READS_PROJECT_ROOT = "bfcl_eval.constants.eval_config"


def installed_version() -> str | None:
    """The version of bfcl-eval in this environment, or None."""
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return None


def require_benchmark() -> None:
    """Returns if the pinned release is installed.

    Raises:
        BenchmarkMissingError: It is absent, or another version is there.
    """
    found = installed_version()
    if found == VERSION:
        return
    state = f"{DISTRIBUTION} {found} is installed, not {VERSION}" if found else f"{DISTRIBUTION} is not installed"
    message = f"{state}; {INSTALL_HINT}"
    raise BenchmarkMissingError(message)


def upstream(module: str) -> Any:
    """A module of bfcl-eval, by its name below the package (``"utils"``).

    Upstream makes three folders at its first import, by default inside site-packages. They go to a scratch
    folder of this process instead, removed at its end, unless BFCL_PROJECT_ROOT says where they belong.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version.
    """
    if _READS_PROJECT_ROOT not in sys.modules:
        require_benchmark()
        if _PROJECT_ROOT_VARIABLE not in os.environ:
            scratch = tempfile.mkdtemp(prefix="bfcl-runner-")
            atexit.register(shutil.rmtree, scratch, ignore_errors=True)
            os.environ[_PROJECT_ROOT_VARIABLE] = scratch
    return importlib.import_module(f"bfcl_eval.{module}")

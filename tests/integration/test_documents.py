"""The examples in the documents are true."""

from __future__ import annotations

import doctest
import importlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = (
    "README.md",
    *(
        f"packages/{package}/README.md"
        for package in ("action-classifier", "probes", "bfcl-runner", "tau2-runner", "confirm-judge")
    ),
)
"""That of gar-metrics needs files to read and is tested beside the package."""

MODULES_WITH_EXAMPLES = ("action_classifier", "gar_metrics", "bfcl_runner")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_interactive_examples(repository: Path, document: str) -> None:
    """Every ``>>>`` example of a document gives what the document shows."""
    failed, _ = doctest.testfile(str(repository / document), module_relative=False, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("module", MODULES_WITH_EXAMPLES)
def test_docstring_examples(module: str) -> None:
    """So does every example in a package's own docstring."""
    failed, attempted = doctest.testmod(importlib.import_module(module))
    assert attempted > 0
    assert failed == 0

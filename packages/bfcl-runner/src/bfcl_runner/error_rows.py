"""Rows of cases that got no reply, in the form that upstream writes them."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bfcl_runner.errors import InfrastructureError
    from bfcl_runner.loop import Row

BEGINNING = "Error during inference: "
"""Of the text in place of a reply. Single-turn replies are texts as well, but don't begin so."""


def error_row(case_id: str, error: InfrastructureError) -> Row:
    """A row in upstream's form for a case that got no reply, with the cause for programs to read."""
    return {
        "id": case_id,
        "result": f"{BEGINNING}{error}",
        "traceback": "".join(traceback.format_exception(error)),
        "error": {
            "kind": error.kind,
            "message": error.message,
            "tries": error.tries,
            "waited_seconds": error.waited,
        },
    }


def is_error(result: object) -> bool:
    """Whether a row's `result` says that there was no reply."""
    return isinstance(result, str) and result.startswith(BEGINNING)

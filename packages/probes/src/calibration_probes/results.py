"""Whether the result of a tool call reports an error."""

from __future__ import annotations

import json
import re

_ERROR = re.compile(
    r"""error\ during\ execution
      | error["']?\s*:
      | \b(?: failed | failure | invalid | not\ found | does\ not\ exist | exception
            | permission\ denied | not\ allowed | cannot | can't )\b""",
    re.IGNORECASE | re.VERBOSE,
)


def is_error(result: object) -> bool:
    """Whether a result speaks of an error: one of the words above, or an object with the key ``error``.

    The words are those of the original implementation, its false alarms included: a listing that holds a file
    called ``not found`` is an error too.
    """
    if isinstance(result, dict):
        return "error" in result or bool(_ERROR.search(str(result)))
    text = result if isinstance(result, str) else str(result)
    return bool(_ERROR.search(text)) or _has_escaped_error_key(text)


def _has_escaped_error_key(text: str) -> bool:
    """Whether a JSON object has the key ``error`` spelled with escapes: the search above finds every other."""
    if "\\u" not in text or not text.lstrip().startswith("{"):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "error" in value

"""What a user can mend: errors whose message is one line."""

from __future__ import annotations


class RunnerError(Exception):
    """Something the user can mend; the message is one line, and the command exits with status 2."""

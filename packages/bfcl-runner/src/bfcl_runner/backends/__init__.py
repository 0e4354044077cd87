"""The models a run can talk to: one interface (`base`), one module each, named as on the command line."""

from __future__ import annotations

import pkgutil


def available() -> tuple[str, ...]:
    """The names of the backends: every module here but the interface."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "base"))

"""Options that a backend can't pass on to its model are refused, so that no record claims them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bfcl_runner.errors import RunnerError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bfcl_runner.options import ModelOptions


def refuse(options: ModelOptions, names: Iterable[str]) -> None:
    """Returns if none of the named options was given.

    Raises:
        RunnerError: One was.
    """
    for name in names:
        value = getattr(options, name)
        if value is not None and value is not False:  # a zero was given
            message = f"--{name.replace('_', '-')}: the {options.backend} backend can't pass it on to this model"
            raise RunnerError(message)

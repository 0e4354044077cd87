"""Reading Python source that a model wrote without Python's warnings about it."""

from __future__ import annotations

import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_one_at_a_time = threading.Lock()
"""`catch_warnings` swaps a list that is global to the process."""


@contextmanager
def no_warnings() -> Iterator[None]:
    """A context without warnings: an odd escape in model text is the model's business."""
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield

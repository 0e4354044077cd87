"""The simulated APIs of one case, and the execution of call strings on them without `eval`."""

from __future__ import annotations

import copy
import inspect
import json
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from bfcl_runner.benchmark import upstream
from bfcl_runner.literal_calls import RejectedCallError, parse_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from bfcl_runner.dataset import Case

_one_at_a_time = threading.Lock()
"""The maths backend sets the precision of mpmath, which is global: two conversations must not calculate at once."""

ERROR_PREFIX = "Error during execution: "


class Environment:
    """Fresh instances of a case's backend classes; one object per conversation, nothing shared."""

    def __init__(self, case: Case) -> None:
        self._methods: dict[str, Callable[..., object]] = {}
        stateless = upstream("constants.executable_backend_config").STATELESS_CLASSES
        for class_name in case.involved_classes:
            instance = backend_class(class_name)()
            if class_name not in stateless:
                scenario = case.entry.get("initial_config", {}).get(class_name, {})
                instance._load_scenario(copy.deepcopy(scenario), long_context=case.long_context)  # noqa: SLF001
            # Of two classes with a method of the same name the later one answers, as upstream.
            for name in public_methods(class_name):
                self._methods[name] = getattr(instance, name)

    def execute(self, call: str) -> str:
        """The result of a call string as text; what can't be executed gives an error text, never an exception."""
        try:
            parsed = parse_call(call, self._methods)
            with _one_at_a_time:
                return _as_text(self._methods[parsed.name](*parsed.args, **parsed.kwargs))
        except RejectedCallError as rejection:
            return ERROR_PREFIX + str(rejection)
        except Exception as error:  # noqa: BLE001 (whatever a backend raises is a result, as upstream)
            return ERROR_PREFIX + str(error)


def backend_class(name: str) -> type[Any]:
    """bfcl-eval's backend class of that name (``"GorillaFileSystem"``)."""
    path: str = upstream("constants.executable_backend_config").CLASS_FILE_PATH_MAPPING[name]
    found: type[Any] = getattr(upstream(path.removeprefix("bfcl_eval.")), name)
    return found


@cache
def public_methods(class_name: str) -> tuple[str, ...]:
    """The names that a model may call on a backend class."""
    methods = inspect.getmembers(backend_class(class_name), inspect.isfunction)
    return tuple(name for name, _ in methods if not name.startswith("_"))


def parameter_names(class_names: list[str], method: str) -> tuple[str, ...]:
    """The parameters of a method, in order and without ``self``, on the last of the classes that has it."""
    owner = next(name for name in reversed(class_names) if method in public_methods(name))
    _, *names = inspect.signature(getattr(backend_class(owner), method)).parameters
    return tuple(names)


def _as_text(result: object) -> str:
    """A backend's answer as upstream renders it: text as it is, a dict as JSON, else Python's `str`."""
    if isinstance(result, str):
        return result
    if isinstance(result, dict):
        try:
            return json.dumps(result)
        except (TypeError, ValueError):
            pass
    return str(result)

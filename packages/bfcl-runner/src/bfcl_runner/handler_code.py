"""Upstream's model handlers, loaded as private copies in which nothing that a model wrote is evaluated.

bfcl-eval's handlers hand model text to `eval`: the default prompting decoder for binary operations, the handlers of
Llama 3.1, Granite, Qwen and others for whole replies. A function looks names up in its module's globals and then in
the ``__builtins__`` that it finds there. So every module below ``bfcl_eval.model_handler`` is executed here once
more, from the installed files, with builtins of its own:

- ``eval`` reads literals, arithmetic on constants included, and refuses all else;
- ``print`` writes to the log: standard output is the runner's;
- ``__import__`` gives these modules each other's copies, and nothing in place of the parsers of Java and JavaScript.

In the copy of the shared ``utils`` the default prompting decoders are those of `bfcl_runner.prompt_decoding`, and the
wait after a rate limit, endless upstream, is left to the runner's patience. The copies are entered nowhere:
``sys.modules`` and all that others import of bfcl-eval stay as they are.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import logging
import threading
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from bfcl_runner.benchmark import upstream
from bfcl_runner.errors import RunnerError
from bfcl_runner.prompt_decoding import UnfoldableError, constant_value, decode_prompting, prompted_calls
from bfcl_runner.quiet import parse_expression

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

INSTALL_HINT = "pip install 'bfcl-runner[full]'"

HANDLERS = "bfcl_eval.model_handler"
REGISTRY = "bfcl_eval.constants.model_config"
UTILITIES = f"{HANDLERS}.utils"
UNUSED = frozenset({f"{HANDLERS}.parser.java_parser", f"{HANDLERS}.parser.js_parser"})
"""Modules that no category of ours needs; they take tree-sitter in a version without wheels for new Pythons."""

_logger = logging.getLogger(__name__)


class ClassPath(NamedTuple):
    """Where a class, or another thing with a name, is defined."""

    module: str
    name: str


@cache
def handler_class(path: ClassPath) -> Any:
    """The private copy of a handler class.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version.
        RunnerError: A package that the handler needs is missing.
    """
    return getattr(_copies().module(path.module), path.name)


@cache
def registry() -> Mapping[str, Any]:
    """Upstream's registry of models by name, with a `ClassPath` as ``model_handler`` of each entry.

    Importing the classes themselves would take every vendor's SDK.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version.
    """
    mapping: Mapping[str, Any] = _copies().registry().MODEL_CONFIG_MAPPING
    return mapping


@cache
def _copies() -> _Copies:
    upstream("constants.eval_config")  # decides where upstream's folders go, before anything else of it is imported
    return _Copies()


class _Copies:
    """The modules that were copied so far."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleType] = {}
        self._loading = threading.RLock()  # some handlers import within their methods, in any thread
        self._builtins: dict[str, Any] = {
            **vars(builtins),
            "eval": read_literal,
            "print": _log,
            "__import__": self._import,
        }

    def module(self, name: str) -> ModuleType:
        """The copy of a module, made at the first call."""
        with self._loading:
            if name not in self._modules:
                try:
                    self._execute(name, self._builtins)
                except BaseException as error:
                    self._modules.pop(name, None)  # half a module is worse than none
                    if not isinstance(error, ImportError):
                        raise
                    message = f"upstream's handlers need more packages ({error}); run: {INSTALL_HINT}"
                    raise RunnerError(message) from None
            return self._modules[name]

    def registry(self) -> ModuleType:
        """The copy of the registry, with handlers that are not loaded."""
        with self._loading:
            return self._execute(REGISTRY, {**self._builtins, "__import__": _import_later})

    def _execute(self, name: str, own_builtins: dict[str, Any]) -> ModuleType:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            message = f"No module named {name!r}"
            raise ImportError(message)
        module = importlib.util.module_from_spec(spec)
        vars(module)["__builtins__"] = own_builtins
        self._modules[name] = module
        spec.loader.exec_module(module)
        if name == UTILITIES:
            vars(module).update(_REPLACED)
        return module

    def _import(self, name: str, *scope: Any, **named_scope: Any) -> ModuleType:
        if name in UNUSED:
            return _Unloaded(name)
        if _is_handler_module(name):
            return self.module(name)
        return builtins.__import__(name, *scope, **named_scope)


def _is_handler_module(name: str) -> bool:
    return name.startswith(f"{HANDLERS}.")


class _Unloaded(ModuleType):
    """Stands for a module that is not loaded; what is imported from it are paths."""

    def __getattr__(self, name: str) -> ClassPath:
        return ClassPath(self.__name__, name)


def _import_later(name: str, *scope: Any, **named_scope: Any) -> ModuleType:
    if _is_handler_module(name):
        return _Unloaded(name)
    return builtins.__import__(name, *scope, **named_scope)


def read_literal(source: str) -> Any:
    """The value of a literal, in which arithmetic on constants counts as such.

    Raises:
        SyntaxError: It is no expression.
        ValueError: It is another expression.
        TypeError: An operation is none on such constants.
        ArithmeticError: An operation has no result.
    """
    expression = parse_expression(source.lstrip(" \t"))
    try:
        return ast.literal_eval(_Arithmetic().visit(expression))
    except ValueError:  # its own message holds an address, another one in every process
        message = "it holds something else than literals"
        raise ValueError(message) from None


class _Arithmetic(ast.NodeTransformer):
    """Puts results in place of arithmetic on constants."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """The result, or the operation as it is if it holds anything else."""
        try:
            return ast.Constant(constant_value(node))
        except UnfoldableError:
            return node


def _log(*parts: object, **_: object) -> None:
    _logger.debug("%s", " ".join(map(str, parts)))


def _no_retries(**_: object) -> Callable[[Any], Any]:
    return lambda function: function


# Upstream's functions are also told the language and whether calls stand in tags: Python and no, in all our categories.
_REPLACED: dict[str, Callable[..., Any]] = {
    "default_decode_execute_prompting": lambda result, *_: decode_prompting(result),
    "default_decode_ast_prompting": lambda result, *_: prompted_calls(result),
    "retry_with_backoff": _no_retries,
}
"""What the copy of the shared utilities has in place of upstream's functions."""

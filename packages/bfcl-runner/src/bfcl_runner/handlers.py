"""Which of upstream's handlers speaks for a model, how it is made, and how it reads replies."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from bfcl_runner.ast_decoding import AstReading
from bfcl_runner.benchmark import upstream
from bfcl_runner.errors import DecodeError, RunnerError
from bfcl_runner.handler_code import HANDLERS, ClassPath, handler_class, registry

if TYPE_CHECKING:
    from bfcl_runner.decoding import Decoder

OSS_HANDLER = ClassPath(f"{HANDLERS}.local_inference.base_oss_handler", "OSSHandler")
BASE_HANDLER = ClassPath(f"{HANDLERS}.base_handler", "BaseHandler")

REGISTRY_PREFIX = "upstream:"
FAMILY_PREFIX = "family:"
"""What decoder names begin with: then comes a name of upstream's registry, or a key of `FAMILIES`."""


@dataclass(frozen=True, slots=True)
class HandlerChoice:
    """A handler class and what it is told.

    Attributes:
        path: Where the class is.
        decoder: Name of its decoder, for `bfcl_runner.decoding.decoder`.
        registry_name: The model's name in upstream's registry, or what stands for it.
        model_name: The model's name as its vendor or its checkpoint has it.
        is_fc_model: What the registry says about function calling.
    """

    path: ClassPath
    decoder: str
    registry_name: str
    model_name: str
    is_fc_model: bool

    def make(self, temperature: float) -> Any:
        """The handler, with whatever client it opens.

        Raises:
            RunnerError: Packages are missing, or the handler wants something else, such as a key.
        """
        made_from = handler_class(self.path)
        try:
            return made_from(
                model_name=self.model_name,
                temperature=temperature,
                registry_name=self.registry_name,
                is_fc_model=self.is_fc_model,
            )
        except Exception as error:
            text = " ".join(str(error).split())
            message = f"--model: {self.registry_name}: {self.path.name}: {type(error).__name__}: {text}"
            raise RunnerError(message) from error

    def read(self) -> Decoder:
        """The handler's reading of replies, without any client.

        Raises:
            RunnerError: Packages are missing.
        """
        handler = self.without_client()
        return lambda emission: decode(handler, emission)

    def without_client(self) -> Any:
        """A handler that can read replies, and nothing else.

        Raises:
            RunnerError: Packages are missing.
        """
        made_from = handler_class(self.path)
        handler = made_from.__new__(made_from)
        # Only what every handler is told: the classes' own constructors open clients, and some want keys.
        handler_class(BASE_HANDLER).__init__(handler, self.model_name, 0.0, self.registry_name, self.is_fc_model)
        return handler


def is_local(handler: Any) -> bool:
    """Whether the handler is for a model on a server of ours, with the prompt made here."""
    return isinstance(handler, handler_class(OSS_HANDLER))


def uses_tools(handler: Any) -> bool:
    """Whether upstream runs the handler through its function-calling steps."""
    return not is_local(handler) and ("FC" in handler.registry_name or bool(handler.is_fc_model))


def decode(handler: Any, emission: object) -> list[str]:
    """The call strings that a handler reads from a reply.

    Raises:
        DecodeError: It reads none, for whatever reason.
    """
    try:
        calls = handler.decode_execute(emission, has_tool_call_tag=False)
    except Exception as error:  # noqa: BLE001 (upstream's decoders raise what their text makes them stumble over)
        raise DecodeError(str(error)) from None
    if not isinstance(calls, list) or not all(isinstance(call, str) for call in calls):
        message = "the handler read something else than calls"
        raise DecodeError(message)
    return calls


def decode_ast(handler: Any, emission: object) -> Any:
    """What a handler reads from a single-turn reply: calls as data, or something else.

    Raises:
        DecodeError: It reads nothing, for whatever reason.
    """
    try:
        return handler.decode_ast(emission, upstream("constants.enums").ReturnFormat.PYTHON, False)
    except Exception as error:  # noqa: BLE001 (upstream's decoders raise what their text makes them stumble over)
        raise DecodeError(str(error)) from None


class _Family(NamedTuple):
    module: str
    class_name: str
    is_fc_model: bool


FAMILIES: dict[str, _Family] = {
    "hammer": _Family("hammer", "HammerHandler", True),
    "llama-prompting": _Family("llama", "LlamaHandler", False),
    "granite-3": _Family("granite_3", "Granite3FCHandler", True),
    "xlam-qwen": _Family("salesforce_qwen", "SalesforceQwenHandler", True),
    "xlam-llama": _Family("salesforce_llama", "SalesforceLlamaHandler", True),
    "qwen3": _Family("qwen_fc", "QwenFCHandler", True),
    "llama-3.1": _Family("llama_3_1", "LlamaHandler_3_1", True),
}
"""The handlers for local checkpoints, with what the registry says where it names models of the family."""


def of_family(family: str, model_name: str) -> HandlerChoice:
    """The handler of a family, for a checkpoint of it; `KeyError` for an unknown one."""
    module, class_name, is_fc_model = FAMILIES[family]
    path = ClassPath(f"{HANDLERS}.local_inference.{module}", class_name)
    return HandlerChoice(path, FAMILY_PREFIX + family, model_name, model_name, is_fc_model)


def of_registry(name: str) -> HandlerChoice:
    """The handler of a model in upstream's registry.

    Raises:
        BenchmarkMissingError: bfcl-eval is absent or of another version.
        RunnerError: There is no such name.
    """
    entry = registry().get(name)
    if entry is None:
        near = difflib.get_close_matches(name, registry())
        hint = f"; near it: {', '.join(near)}" if near else ""
        message = f"--model: {name!r} is no name of bfcl-eval's registry{hint}"
        raise RunnerError(message)
    return HandlerChoice(entry.model_handler, REGISTRY_PREFIX + name, name, entry.model_name, entry.is_fc_model)


def handler_decoder(name: str) -> Decoder:
    """The decoder that a name with one of the prefixes means.

    Raises:
        RunnerError: The registry has no such model, or packages are missing.
        LookupError: There is no such family.
    """
    if name.startswith(REGISTRY_PREFIX):
        return of_registry(name.removeprefix(REGISTRY_PREFIX)).read()
    return of_family(name.removeprefix(FAMILY_PREFIX), "").read()


def handler_ast_reading(name: str) -> AstReading:
    """How single-turn replies are read where `handler_decoder` reads the others.

    Raises:
        RunnerError: The registry has no such model, or packages are missing.
        LookupError: There is no such family.
    """
    if name.startswith(REGISTRY_PREFIX):
        model = name.removeprefix(REGISTRY_PREFIX)
        choice, underscored = of_registry(model), bool(registry()[model].underscore_to_dot)
    else:
        # The registry says of no model of these families that dots become underscores.
        choice, underscored = of_family(name.removeprefix(FAMILY_PREFIX), ""), False
    handler = choice.without_client()
    return AstReading(lambda emission: decode_ast(handler, emission), underscored)

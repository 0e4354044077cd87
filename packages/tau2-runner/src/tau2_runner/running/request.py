"""What the arguments of `tau2 run` ask for, read by tau2's own parser; keys never leave here in the clear."""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from gar_metrics import one_line
from tau2_runner.errors import RunnerError
from tau2_runner.running.secrets import Vault
from tau2_runner.running.sri_lite import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEFAULT_AGENT = "llm_agent"
BASELINE = "baseline"

_JSON_OPTIONS = ("agent_llm_args", "user_llm_args")


@dataclass(frozen=True, slots=True)
class Request:
    """A run that was asked for.

    Attributes:
        options: All of tau2's options by name, defaults included; keys are hidden.
        words: The arguments for `tau2 run`, with the folder's name; keys are hidden.
        vault: The keys.
    """

    options: argparse.Namespace
    words: tuple[str, ...]
    vault: Vault

    @property
    def save_to(self) -> str:
        """Name of the run's folder below tau2's simulations."""
        return str(self.options.save_to)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # A value that is no JSON may hold a key, and so may the value of an option that doesn't exist.
        shown = re.sub(r"(invalid loads value):.*", r"\1: not JSON", message, flags=re.DOTALL)
        shown = re.sub(r"\{.*", "{...", shown, flags=re.DOTALL)
        complaint = f"tau2 run: {one_line(shown)}"
        raise RunnerError(complaint)


def parse(words: Sequence[str], add_run_args: Callable[[argparse.ArgumentParser], None], variant: str) -> Request:
    """The request in the arguments.

    Args:
        words: The arguments for `tau2 run`, without the command.
        add_run_args: tau2's own function, which tells a parser its options.
        variant: The method's name where the agent is SRI-lite.

    Raises:
        RunnerError: tau2 would refuse them, or no domain is named.
    """
    parser = _Parser(prog="tau2 run", add_help=False)
    add_run_args(parser)
    options = parser.parse_args(list(words))
    if not options.domain:
        message = "--domain: missing; such as --domain airline"
        raise RunnerError(message)
    vault = Vault()
    added: list[str] = []
    for name in _JSON_OPTIONS:
        given = getattr(options, name)
        if not isinstance(given, dict):
            message = f"--{name.replace('_', '-')}: expected a JSON object"
            raise RunnerError(message)
        setattr(options, name, vault.hide(given, name))
        if getattr(options, name) != given:
            added.append(f"--{name.replace('_', '-')}={json.dumps(getattr(options, name))}")
    if not options.save_to:
        options.save_to = run_name(options, variant)
        added.append(f"--save-to={options.save_to}")
    # Of an option that is given twice, tau2 takes the last.
    return Request(options, (*map(_without_keys, words), *added), vault)


def run_name(options: argparse.Namespace, variant: str) -> str:
    """``tau2_<domain>_<model>_<method>``, of characters that any file system takes."""
    model = options.audio_native_model or options.audio_native_provider if options.audio_native else options.agent_llm
    method = {NAME: variant, DEFAULT_AGENT: BASELINE}.get(options.agent, options.agent)
    return f"tau2_{options.domain}_{file_name(str(model).rstrip('/').rpartition('/')[2])}_{method}"


def file_name(text: str) -> str:
    """The text with ``-`` for every run of characters that a file's name better doesn't hold."""
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", text).strip("-.") or "model"


def is_sri_lite(words: Sequence[str]) -> bool:
    """Whether the agent may be SRI-lite; tau2's parser has to know the name before it reads the arguments."""
    return any(word == NAME or word.endswith(f"={NAME}") for word in words)


def _without_keys(word: str) -> str:
    """A word with the keys hidden in it, if it is a JSON object or ends in one."""
    start = word.find("{")
    try:
        value: object = json.loads(word[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        return word
    hidden = Vault().hide(value, "argv") if isinstance(value, dict) else value
    return word if hidden == value else word[:start] + json.dumps(hidden)

"""What a checkpoint folder holds, and to which of the supported families the model belongs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bfcl_runner.errors import RunnerError

if TYPE_CHECKING:
    from pathlib import Path

WHERE = "--model-path"

GPT_OSS = "gpt-oss"
"""The only family that no handler of upstream speaks for: it is asked through the Responses API."""

NAMED_FAMILIES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("hammer", (("", "hammer"),)),
    ("toolace", (("", "llama-prompting"),)),
    ("team-ace", (("", "llama-prompting"),)),
    ("watt-tool", (("", "llama-prompting"),)),
    ("watt-ai", (("", "llama-prompting"),)),
    ("granite-3", (("", "granite-3"),)),
    ("xlam", (("qwen", "xlam-qwen"), ("llama", "xlam-llama"))),
    ("salesforce", (("qwen", "xlam-qwen"), ("llama", "xlam-llama"))),
)
"""By what a model's names contain, first match: how its ``model_type`` begins, and the family that it then is."""

TYPED_FAMILIES = {"gpt_oss": GPT_OSS, "qwen3": "qwen3", "llama": "llama-3.1"}
"""By ``model_type``, where the names say nothing."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model on disk.

    Attributes:
        path: Its folder, resolved.
        config: What its ``config.json`` holds.
    """

    path: Path
    config: dict[str, Any]

    @property
    def model_type(self) -> str:
        """The architecture's name in transformers, or an empty text."""
        return str(self.config.get("model_type") or "")

    @property
    def names(self) -> str:
        """All that the model is called: its path, the name it was saved from, its architectures; in lower case."""
        architectures = self.config.get("architectures")
        names = [self.path, self.config.get("_name_or_path"), architectures]
        if isinstance(architectures, list):
            names[2:] = architectures
        return "\n".join(str(name) for name in names if name).lower()

    @property
    def context_length(self) -> int | None:
        """Tokens that the model was made for, if the configuration says so."""
        length = self.config.get("max_position_embeddings")
        return length if isinstance(length, int) else None

    @property
    def family(self) -> str:
        """`GPT_OSS` or a key of `bfcl_runner.handlers.FAMILIES`.

        Raises:
            RunnerError: It is none that is supported; the message lists those that are.
        """
        for part, families in NAMED_FAMILIES:
            if part in self.names:
                for beginning, family in families:
                    if self.model_type.startswith(beginning):
                        return family
                raise RunnerError(self._unsupported(f"model_type {self.model_type!r} of a model named {part}"))
        if self.model_type not in TYPED_FAMILIES:
            raise RunnerError(self._unsupported(f"model_type {self.model_type!r}"))
        return TYPED_FAMILIES[self.model_type]

    def _unsupported(self, what: str) -> str:
        names = ", ".join(part for part, _ in NAMED_FAMILIES)
        types = ", ".join(TYPED_FAMILIES)
        return (
            f"{WHERE}: {self.path}: {what} is not supported. Supported are models named {names} "
            f"(xlam, salesforce: of model_type qwen* or llama*), and model_type {types}; "
            "any other with --served-parser or --prompting"
        )


def read_checkpoint(folder: Path) -> Checkpoint:
    """The checkpoint in a folder.

    Raises:
        RunnerError: There is no such folder, or no ``config.json`` with a JSON object in it.
    """
    if not folder.is_dir():
        message = f"{WHERE}: {folder}: no such directory"
        raise RunnerError(message)
    path = folder / "config.json"
    try:
        config = json.loads(path.read_bytes())
    except OSError as error:
        message = f"{WHERE}: {path}: {error.strerror}"
        raise RunnerError(message) from None
    except (ValueError, RecursionError) as error:
        message = f"{WHERE}: {path}: no JSON: {error}"
        raise RunnerError(message) from None
    if not isinstance(config, dict):
        message = f"{WHERE}: {path}: expected a JSON object, found a {type(config).__name__}"
        raise RunnerError(message)
    return Checkpoint(folder.resolve(), config)

"""Emissions of Inspect logs, and the one function that opens such a log."""

from __future__ import annotations

import importlib
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from action_classifier.adapters.nodes import AdapterError, Node
from action_classifier.adapters.replies import CallFields, call_in, emissions, pieces_of
from action_classifier.adapters.turns import moves_of, numbered, repeated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from zipfile import ZipFile

    from action_classifier.adapters.replies import Emission, Piece
    from action_classifier.adapters.turns import Emitted

TEXTS = {"text": "text"}
HOSTED_CALLS = {"tool_use": CallFields("name", "arguments", hosted=True)}
CALL = CallFields("function", "arguments")

ZIP_START = b"PK"
ZSTD_SUPPORT = "zipfile_zstd"
"""Teaches `zipfile` the compression of newer logs before Python 3.14, which knows it; Inspect brings it along."""

_ATTACHMENT = re.compile("attachment://([0-9a-f]{32})")


def inspect_log(document: object) -> Iterator[Emitted]:
    """The emissions of an Inspect log, or of one of its samples.

    Case ids are the samples' ids, with ``#`` and the number for epochs after the first. An assistant's message that
    was part of the sample's input isn't the model's.

    Args:
        document: The log as `read_inspect_log` gives it, or a sample from it (``messages`` and ``id``).

    Raises:
        AdapterError: It is something else, or a log without samples.
    """
    root = Node(document, "")
    for sample in iter([root]) if "messages" in root else root["samples"].elements():
        case_id = repeated(sample["id"].identifier(), sample["epoch"].whole_number(1), first=1)
        attachments = sample["attachments"].value
        texts = attachments if isinstance(attachments, dict) else {}
        yield from numbered(case_id, moves_of(sample["messages"].elements(), _Saying(texts)))


class _Saying:
    """What a message of one sample emits, its attachments put back."""

    def __init__(self, attachments: dict[object, object]) -> None:
        self._attachments = attachments

    def __call__(self, message: Node) -> Iterator[Emission]:
        return iter(()) if message["source"].value == "input" else emissions(self._pieces(message))

    def _pieces(self, message: Node) -> Iterator[Piece]:
        for piece in pieces_of(message["content"], TEXTS, HOSTED_CALLS):
            yield _ATTACHMENT.sub(self._attached, piece) if isinstance(piece, str) else piece
        for call in message["tool_calls"].optional_elements():
            yield call_in(call, CALL)

    def _attached(self, reference: re.Match[str]) -> str:
        return str(self._attachments.get(reference[1], reference[0]))


def read_inspect_log(path: str | PathLike[str]) -> dict[str, object]:
    """An Inspect log as a dict for `inspect_log`, from a ``.json`` or an ``.eval`` file.

    From an ``.eval`` file only the samples are taken, without their events.

    Raises:
        AdapterError: The file is neither, holds no samples, or is compressed in a way that this Python can't read; the
            message names the place in the file.
        OSError: It can't be opened.
    """
    # Slow to import, and needed here only.
    from pathlib import Path
    from zipfile import BadZipFile, ZipFile
    from zlib import error as DeflateError  # noqa: N812

    content = Path(path)
    with content.open("rb") as stream:
        if stream.read(len(ZIP_START)) != ZIP_START:
            return _json_object(content.read_bytes(), "")
    try:
        with ZipFile(content) as archive:
            samples = [*_samples(archive)]
    except (BadZipFile, DeflateError, EOFError) as error:
        raise AdapterError(str(error)) from None
    if not samples:
        Node(None, "samples").reject("files of samples")
    return {"samples": samples}


def _samples(archive: ZipFile) -> Iterator[dict[str, object]]:
    for name in dict.fromkeys(archive.namelist()):  # of a file that was written twice the last counts
        if name.startswith("samples/") and name.endswith(".json"):
            place = name if name.isprintable() else repr(name)
            sample = _json_object(_member(archive, name, place), place)
            yield {key: value for key, value in sample.items() if key != "events"}


def _member(archive: ZipFile, name: str, place: str) -> bytes:
    unreadable = (NotImplementedError, RuntimeError)  # what zipfile raises at a compression that it doesn't know
    with suppress(*unreadable):
        return archive.read(name)
    with suppress(*unreadable, ImportError):
        importlib.import_module(ZSTD_SUPPORT)
        return archive.read(name)
    package = ZSTD_SUPPORT.replace("_", "-")
    message = f"{place}: compressed with zstd, which Python reads from 3.14 on; before that, install {package}"
    raise AdapterError(message)


def _json_object(content: bytes, place: str) -> dict[str, object]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        message = f"{place}: not JSON: {error}" if place else f"not JSON: {error}"
        raise AdapterError(message) from None
    if not isinstance(value, dict):
        Node(value, place).reject("an object")
    return value

"""Looking into a run's directory: how far it is, and one conversation turn by turn."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from action_classifier import classify
from bfcl_runner.display import numbers_in
from bfcl_runner.error_rows import is_error
from bfcl_runner.errors import RunnerError
from bfcl_runner.layout import RUN_RECORD, RunLayout
from bfcl_runner.records import read_record
from bfcl_runner.selection import category_of_id
from bfcl_runner.tracks import SINGLE_TURN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bfcl_runner.loop import Row
    from bfcl_runner.records import RunRecord


@dataclass(frozen=True, slots=True)
class CategoryStatus:
    """How far one category is; accuracy in percent, None until it is scored."""

    category: str
    done: int
    total: int
    errors: int
    accuracy: float | None


def open_run(directory: Path) -> tuple[RunLayout, RunRecord]:
    """The layout and the record of the run in a directory.

    Raises:
        RunnerError: There is none, or its record can't be read.
    """
    record = read_record(directory / RUN_RECORD)
    return RunLayout(directory, record.model), record


def status(directory: Path) -> tuple[RunRecord, list[CategoryStatus]]:
    """How far the run in a directory is, by category.

    Raises:
        RunnerError: There is no run, or a file can't be read.
    """
    layout, record = open_run(directory)
    return record, [_category_status(layout, record, category) for category in record.categories]


def _category_status(layout: RunLayout, record: RunRecord, category: str) -> CategoryStatus:
    done = errors = 0
    for row in _rows(layout.result(category)):
        done += 1
        errors += is_error(row.get("result"))
    accuracy = None
    if layout.score(category).exists():
        header = next(_rows(layout.score(category)), {})
        accuracy = 100 * next(numbers_in(header.get("accuracy")), 0.0)
    return CategoryStatus(category, done, max(done, record.selected.get(category, 0)), errors, accuracy)


def _rows(path: Path) -> Iterator[Row]:
    """The rows of a file that are whole; a run may be writing to it at this moment."""
    if not path.exists():
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                row = json.loads(line)
            except ValueError:
                if line.endswith(b"\n"):
                    message = f"{path}:{number}: not a result row"
                    raise RunnerError(message) from None
                return
            if not isinstance(row, dict):
                message = f"{path}:{number}: not a result row"
                raise RunnerError(message)
            yield row


def conversation(directory: Path, case_id: str) -> Iterator[str]:
    """The lines of one conversation: user turns, replies with their class, calls with their results, the verdict.

    Control characters of a model's text are shown as escapes, so that it can't act on a terminal.

    Raises:
        RunnerError: There is no run, no such case, or no row of it.
    """
    layout, _ = open_run(directory)
    category = category_of_id(case_id, "case")
    row = next((row for row in _rows(layout.result(category)) if row.get("id") == case_id), None)
    if row is None:
        message = f"{layout.result(category)}: holds no row of {case_id}"
        raise RunnerError(message)
    yield f"{case_id}, {category}"
    if is_error(row.get("result")):
        yield inert(f"no reply: {row['result']}")
    else:
        for turn, log in enumerate(_logs(row, category)):
            yield from _turn_lines(turn, log)
    yield _verdict(layout, category, case_id)


def _logs(row: Row, category: str) -> list[Any]:
    """What happened, by turn. Rows of single-turn cases hold no log, as upstream; there it is made of case and row."""
    if category not in SINGLE_TURN.categories:
        logs = row.get("inference_log", [])
        return logs if isinstance(logs, list) else []
    question = next(case.entry["question"][0] for case in SINGLE_TURN.load(category) if case.id == row["id"])
    reply = {"role": "assistant", "content": row["result"], "reasoning_content": row.get("reasoning_content")}
    return [{"begin_of_turn_query": question, "step_0": [reply]}]


def _turn_lines(turn: int, log: Any) -> Iterator[str]:
    if not isinstance(log, dict):
        return
    yield ""
    yield f"turn {turn}"
    for message in log.get("begin_of_turn_query", []):
        yield _indented(f"{message.get('role')}: {message.get('content')}")
    for name, entries in log.items():
        if name.startswith("step_"):
            yield from _step_lines(name.removeprefix("step_"), entries)


def _step_lines(step: str, entries: list[dict[str, Any]]) -> Iterator[str]:
    calls: list[str] = []
    results = [entry["content"] for entry in entries if entry.get("role") == "tool"]
    for entry in entries:
        if entry.get("role") == "assistant":
            action = classify(entry.get("content"))
            yield _indented(f"step {step}, {action.name if action else 'nothing'}: {_emission(entry.get('content'))}")
            if reasoning := entry.get("reasoning_content"):
                yield _indented(f"  reasoning: {reasoning}")
        elif "model_response_decoded" in entry:
            calls = entry["model_response_decoded"]
        elif "reason" in entry:
            yield _indented(f"  {entry.get('content')} ({entry['reason']})")
        elif "error" in entry:
            yield _indented(f"  not read as calls: {entry['error']}")
    for call, result in zip(calls, results, strict=False):
        yield _indented(f"  {call}")
        yield _indented(f"    -> {result}")


def _emission(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _verdict(layout: RunLayout, category: str, case_id: str) -> str:
    if not layout.score(category).exists():
        return "\nverdict: not scored yet"
    failing = next((line for line in _rows(layout.score(category)) if line.get("id") == case_id), None)
    if failing is None:
        return "\nverdict: passed"
    error = failing.get("error")
    details = error if isinstance(error, dict) else failing
    message = details.get("error_message") or details.get("error")
    return inert(f"\nverdict: failed, {details.get('error_type')}: {message}")


def _indented(text: str) -> str:
    return inert("\n".join(f"  {line}" for line in text.split("\n")))


def inert(text: str) -> str:
    """The text with control characters, line ends and tabs aside, as escapes."""
    return "".join(
        character if character.isprintable() or character in "\n\t" else repr(character)[1:-1] for character in text
    )

"""Result and score files: every shape in the wild is read, everything else refused by file, line and field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from action_classifier import Action
from gar_metrics import GarError, emissions, read_results, read_score
from gar_metrics.read import _digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CALL = [{"ls": '{"a": true}'}]
ID = "multi_turn_base_0"
ROW = json.dumps({"id": ID, "result": [["hello"]]})
HEAD = json.dumps({"accuracy": 0.5, "correct_count": 1, "total_count": 2})


def written(folder: Path, content: str | bytes, name: str = "file.json") -> Path:
    """A file with exactly this content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def row_file(folder: Path, result: object) -> Path:
    """A result file of one row."""
    return written(folder, json.dumps({"id": ID, "result": result}) + "\n")


def refusal(read: Callable[[Path, str], object], path: Path, category: str = "base") -> str:
    """The message of the error, without the path that every message begins with."""
    with pytest.raises(GarError) as caught:
        read(path, category)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message[len(str(path)) :]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ([[CALL, "done?"], ["ok"]], {Action.TOOL_CALL, Action.ASK, Action.OTHER}),
        (["[ls(a=True)]", "No function fits."], {Action.TOOL_CALL, Action.REFUSE}),
        ([{"ls": "{}"}, "All set"], {Action.TOOL_CALL, Action.CONFIRM}),
        ([[[{"ls": {"a": True}}]]], {Action.TOOL_CALL}),
        ([[[{"ls<|channel|>commentary": "{}"}]]], {Action.TOOL_CALL}),
        ([[[], []], []], set()),
        ([["", "  "], None, 7, [None, 7]], set()),
        ([[["Which one?"]]], set()),
        ([], set()),
    ],
)
def test_emitted_classes(tmp_path: Path, result: object, expected: frozenset[Action]) -> None:
    """Turns are lists of emissions or single emissions, and an emission is any JSON value."""
    (row,) = read_results(row_file(tmp_path, result), "base").rows
    assert expected == row.emitted
    assert not row.error_row


def test_emissions_in_order() -> None:
    """A turn that isn't a list is one emission; the order is kept."""
    assert list(emissions([["a", CALL], "b", {"c": "{}"}, [], None])) == ["a", CALL, "b", {"c": "{}"}, None]


def test_error_row(tmp_path: Path) -> None:
    """A row whose result is a string emitted nothing, whatever the string says."""
    (row,) = read_results(row_file(tmp_path, "Error during inference: which one?"), "base").rows
    assert (frozenset(), (), True) == (row.emitted, row.turns, row.error_row)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ([["Which one? I can't tell.", CALL, "ok"], ["Done.", "Which?"]], (Action.TOOL_CALL, Action.ASK)),
        (["[ls()]", "I can't.", {"ls": "{}"}], (Action.TOOL_CALL, Action.REFUSE, Action.TOOL_CALL)),
        ([["I can't. All done?", "Which?"], [], ["", None], None, 7], (Action.REFUSE, None, None, None, None)),
        ([["all done", "ok"]], (Action.CONFIRM,)),
        ([], ()),
    ],
)
def test_classes_of_turns(tmp_path: Path, result: object, expected: tuple[Action | None, ...]) -> None:
    """A turn has the first class in the order of priority among its emissions; a single emission is a turn as well."""
    (row,) = read_results(row_file(tmp_path, result), "base").rows
    assert expected == row.turns


def test_text_counts(tmp_path: Path) -> None:
    """Texts are counted, and so are lists with text that the ruleset doesn't read; calls and blanks are neither."""
    result = [["hello", "", CALL, ["text in a list"], [""], ["a", {"b": "{}"}], []]]
    (row,) = read_results(row_file(tmp_path, result), "base").rows
    assert (row.texts, row.unread_texts) == (1, 2)


def test_order_and_lines(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """Rows come out in the order of the case numbers and know their line."""
    ids = [f"multi_turn_base_{number}" for number in (10, 9, 100, 2)]
    path = write_lines(tmp_path / "file.json", [{"id": case_id, "result": []} for case_id in ids])
    rows = [(row.id, row.line) for row in read_results(path, "base").rows]
    assert rows == [(ids[3], 4), (ids[1], 2), (ids[0], 1), (ids[2], 3)]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + f"{ROW}\n".encode(),
        f"\n  \n{ROW}\n\n".encode(),
        f"{ROW}\r\n".encode(),
    ],
)
def test_tolerated(tmp_path: Path, content: bytes) -> None:
    """A byte order mark, blank lines and Windows line ends are no faults."""
    assert [row.id for row in read_results(written(tmp_path, content), "base").rows] == [ID]


def test_other_separators(tmp_path: Path) -> None:
    """Characters that only some programs take for line ends don't shift the line numbers."""
    row = json.dumps({"id": ID, "result": [["a\u2028b\x85c"]]}, ensure_ascii=False)
    assert refusal(read_results, written(tmp_path, f"{row}\n[]")).startswith(":2: ")


def test_repeated_row(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """Rows that repeat a result count once, with a warning; keys in another order are the same result."""
    first, again = {"a": "1", "b": "2"}, {"b": "2", "a": "1"}
    rows = [{"id": ID, "result": [first], "latency": 1}, {"id": ID, "result": [again], "latency": 2}]
    results = read_results(write_lines(tmp_path / "file.json", rows), "base")
    assert len(results.rows) == 1
    assert results.warnings == (
        f"1 row repeats an earlier row with the same result and counts once (first: {ID}, line 2)",
    )


def test_contradicting_rows(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """Two results for one id are refused, naming both lines."""
    rows = [{"id": ID, "result": []}, {"id": "multi_turn_base_1", "result": []}, {"id": ID, "result": [[]]}]
    expected = f":3: id: {ID} stands on line 1 too, with another result"
    assert expected == refusal(read_results, write_lines(tmp_path / "file.json", rows))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[]", "expected an object, found a list"),
        ('"text"', "expected an object, found a string"),
        ("{}", "id: missing"),
        ('{"id": 7, "result": []}', "id: expected a string, found a number"),
        ('{"id": null, "result": []}', "id: expected a string, found null"),
        ('{"id": "multi_turn_base_1"}', "result: missing"),
        (
            '{"id": "multi_turn_base_1", "result": null}',
            "result: expected a list of turns or an error message, found null",
        ),
        (
            '{"id": "multi_turn_base_1", "result": {"a": 1}}',
            "result: expected a list of turns or an error message, found an object",
        ),
        (
            '{"id": "multi_turn_base_1", "result": true}',
            "result: expected a list of turns or an error message, found a boolean",
        ),
        (
            '{"id": "multi_turn_miss_func_1", "result": []}',
            "id: 'multi_turn_miss_func_1' is a case of miss_func, in a file of base",
        ),
        ('{"id": "simple_1", "result": []}', "id: 'simple_1' is no multi-turn case id, in a file of base"),
        (
            f'{{"id": "{"x" * 99}", "result": []}}',
            f"id: '{'x' * 57}...' is no multi-turn case id, in a file of base",
        ),
    ],
)
def test_malformed_rows(tmp_path: Path, line: str, expected: str) -> None:
    """A row that can't be read right is refused by line and field."""
    assert f":2: {expected}" == refusal(read_results, written(tmp_path, f"{ROW}\n{line}\n"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"{]\n", "invalid JSON at column 2: "),
        (b'{"id": "multi_turn_base_1", "res', "invalid JSON at column 29: "),
        (b'{"id": "\xff"}\n', "invalid UTF-8 at byte 9 of the line"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply to be read"),
        (b'{"latency": ' + b"9" * 5000 + b"}", "invalid JSON: "),
    ],
    ids=["broken", "cut off", "not UTF-8", "too deep", "too many digits"],
)
def test_unreadable_lines(tmp_path: Path, line: bytes, expected: str) -> None:
    """A line that isn't JSON in UTF-8 is refused by line."""
    assert refusal(read_results, written(tmp_path, ROW.encode() + b"\n" + line)).startswith(f":2: {expected}")


def test_cut_off_file(tmp_path: Path) -> None:
    """A broken last line without a line end is called what it is."""
    assert refusal(read_results, written(tmp_path, f'{ROW}\n{{"id": "mul')).endswith("(is the file cut off?)")
    assert not refusal(read_results, written(tmp_path, f'{ROW}\n{{"id": "mul\n')).endswith("(is the file cut off?)")


def test_missing_line_end(tmp_path: Path) -> None:
    """A result file without its last line end may lack rows; a score file counts its cases, and some end so."""
    expected = ":2: lacks its line end: the file may be cut off"
    assert expected == refusal(read_results, written(tmp_path, f'{ROW}\n{{"id": "multi_turn_base_1", "result": []}}'))
    assert read_score(written(tmp_path, f'{HEAD}\n{{"id": "{ID}"}}'), "base").failing == {ID}


@pytest.mark.parametrize("depth", range(100, 1500, 50))
def test_deep_results(tmp_path: Path, depth: int) -> None:
    """However deep a result is nested, it is read or refused in one line."""
    path = written(tmp_path, f'{{"id": "{ID}", "result": {"[" * depth}{"]" * depth}}}\n')
    try:
        assert len(read_results(path, "base").rows) == 1
    except GarError as error:
        assert str(error).endswith("nested too deeply to be read")  # noqa: PT017 - either end is right


def test_result_too_deep_to_compare(tmp_path: Path) -> None:
    """A result that could be parsed but is too deep to be written again is refused as well."""
    result: list[object] = []
    for _ in range(200_000):
        result = [result]
    with pytest.raises(GarError, match=r":7: result: nested too deeply to be read$"):
        _digest(result, tmp_path, 7)


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_empty_files(tmp_path: Path, content: str) -> None:
    """A file without rows is refused, results and scores alike."""
    path = written(tmp_path, content)
    assert refusal(read_results, path) == ": holds no result rows"
    assert refusal(read_score, path) == ": holds no score"


def test_unreadable_file(tmp_path: Path) -> None:
    """A file that can't be opened is refused with the system's reason."""
    assert refusal(read_results, tmp_path / "no") == ": can't be read: No such file or directory"


def test_unknown_ruleset(tmp_path: Path) -> None:
    """A ruleset that doesn't exist is refused before anything is read."""
    with pytest.raises(GarError, match=r"^unknown ruleset 'papier'; known: paper"):
        read_results(tmp_path / "no", "base", "papier")


def test_score(tmp_path: Path) -> None:
    """The head gives the counts, the lines after it the failing ids, however often they are named."""
    lines = [
        {"accuracy": 0.333, "correct_count": 1, "total_count": 3},
        *({"id": f"multi_turn_base_{n}"} for n in (2, 0, 2)),
    ]
    path = written(tmp_path, "\n".join(map(json.dumps, lines)))
    score = read_score(path, "base")
    assert (score.correct, score.total) == (1, 3)
    assert score.failing == {"multi_turn_base_0", "multi_turn_base_2"}


def head(**changes: object) -> str:
    """A score file's first line with some fields changed; None takes a field out."""
    fields = {**json.loads(HEAD), **changes}
    return json.dumps({name: value for name, value in fields.items() if value is not None})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (ROW, "total_count: missing"),
        (head(correct_count=None), "correct_count: missing"),
        (head(accuracy=None), "accuracy: missing"),
        (head(total_count=2.0), "total_count: expected a whole number, found a decimal number"),
        (head(total_count=True), "total_count: expected a whole number, found a boolean"),
        (head(total_count=10**400), "total_count: expected at most 1000000000000"),
        (head(correct_count=10**400), f"correct_count: expected 0 to total_count (2), found 1{'0' * 56}..."),
        (head(accuracy=10**400), f"accuracy: expected a share, 0 to 1, found 1{'0' * 56}..."),
        (head(total_count=0), "total_count: expected at least 1, found 0"),
        (head(correct_count="1"), "correct_count: expected a whole number, found a string"),
        (head(correct_count=3), "correct_count: expected 0 to total_count (2), found 3"),
        (head(correct_count=-1), "correct_count: expected 0 to total_count (2), found -1"),
        (head(accuracy="0.5"), "accuracy: expected a number, found a string"),
        (head(accuracy=True), "accuracy: expected a number, found a boolean"),
        (head(accuracy=50.0), "accuracy: expected a share, 0 to 1, found 50.0"),
        (head(accuracy=float("nan")), "accuracy: expected a share, 0 to 1, found nan"),
        (head(accuracy=0.49), "accuracy: 0.49 isn't correct_count / total_count (1 / 2)"),
        ("[]", "expected an object, found a list"),
    ],
)
def test_malformed_heads(tmp_path: Path, line: str, expected: str) -> None:
    """A head that can't be right is refused by line and field."""
    assert f":1: {expected}" == refusal(read_score, written(tmp_path, line))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{}", "id: missing"),
        ('{"id": ["multi_turn_base_1"]}', "id: expected a string, found a list"),
        (
            '{"id": "multi_turn_miss_param_1"}',
            "id: 'multi_turn_miss_param_1' is a case of miss_param, in a file of base",
        ),
        ('{"id": "multi_turn_base_1", "valid": true}', "valid: true on a line that should name a failing case"),
    ],
)
def test_malformed_failing_lines(tmp_path: Path, line: str, expected: str) -> None:
    """So is a line that doesn't name a failing case."""
    assert f":3: {expected}" == refusal(
        read_score, written(tmp_path, f'{HEAD}\n{{"id": "{ID}", "valid": false}}\n{line}')
    )

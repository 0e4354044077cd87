"""Single-turn categories: runs, verdicts that equal upstream's, and replies that nobody should evaluate."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import ModelOptions, RunnerError, RunPlan, Selection, Silent, decode_structured, run
from bfcl_runner.agents import ASKING_TEXT, REFUSING_TEXT
from bfcl_runner.ast_checking import CRASHED, REGISTRY, AstChecker, Question, check
from bfcl_runner.ast_decoding import ast_reading, structured_calls
from bfcl_runner.chat import ChatBackend, Completion
from bfcl_runner.errors import DecodeError
from bfcl_runner.files import failure
from bfcl_runner.journal import Journal
from bfcl_runner.prompt_decoding import decode_prompting, prompted_calls
from bfcl_runner.recordable import LEVELS, recordable
from bfcl_runner.score_files import score_rows
from bfcl_runner.single_turn import (
    SINGLE_TURN_CATEGORIES,
    SingleTurnCase,
    judge_single_turn,
    load_single_turn_cases,
    run_single_turn,
)
from bfcl_runner.single_turn_calls import accepted_calls
from bfcl_runner.tracks import SINGLE_TURN, TRACKS

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("benchmark")

SIZES = {"simple_python": 400, "multiple": 200, "parallel": 200, "parallel_multiple": 200, "irrelevance": 240}

FIGURES = {
    "oracle": dict.fromkeys(SIZES, 100.0),
    "overcaller": {**dict.fromkeys(SIZES, 100.0), "irrelevance": 0.0},
    "refuser": {**dict.fromkeys(SIZES, 0.0), "irrelevance": 100.0},
    "asker": {**dict.fromkeys(SIZES, 0.0), "irrelevance": 100.0},
    "silent": {**dict.fromkeys(SIZES, 0.0), "irrelevance": 100.0},
}


def _run(folder: Path, agent: str, *categories: str, **options: Any) -> Path:
    selection = Selection(categories or SINGLE_TURN_CATEGORIES, limit=options.pop("limit", None))
    plan = RunPlan(ModelOptions("scripted", agent=agent), folder, selection, **options)
    return run(plan, Silent()).layout.root


def _summary(folder: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((folder / "summary.json").read_bytes())
    return summary


def _case(case_id: str) -> SingleTurnCase:
    category = case_id.rpartition("_")[0]
    return next(case for case in load_single_turn_cases(category) if case.id == case_id)


def test_dataset_facts() -> None:
    """Five categories with their sizes, one question each, possible answers everywhere but in irrelevance."""
    assert {name: len(load_single_turn_cases(name)) for name in SINGLE_TURN_CATEGORIES} == SIZES
    cases = [case for name in SINGLE_TURN_CATEGORIES for case in load_single_turn_cases(name)]
    assert {len(case.entry["question"]) for case in cases} == {1}
    assert {case.category for case in cases if not case.possible_answers} == {"irrelevance"}
    assert [case.id for case in load_single_turn_cases("parallel")] == [f"parallel_{n}" for n in range(200)]


@pytest.mark.parametrize("agent", FIGURES)
def test_figures(tmp_path: Path, agent: str) -> None:
    """Accuracy of each agent over all 1240 questions, and nothing of upstream's registry in this process."""
    categories = _summary(_run(tmp_path, agent))["categories"]
    assert {name: (figures["cases"], figures["accuracy"]) for name, figures in categories.items()} == {
        name: (SIZES[name], accuracy) for name, accuracy in FIGURES[agent].items()
    }
    assert REGISTRY not in sys.modules


def test_noise(tmp_path: Path) -> None:
    """A noisy oracle lies between, and is the same in one process and in two."""
    folders = [_run(tmp_path / str(jobs), "noisy:0.5:7", "parallel", jobs=jobs, limit=40) for jobs in (1, 2)]
    name = "noisy%3A0.5%3A7/non_live/BFCL_v4_parallel"
    for kind in ("result", "score"):
        one, two = ((folder / kind / f"{name}_{kind}.json").read_bytes() for folder in folders)
        assert one == two
    assert 0 < _summary(folders[0])["overall_accuracy"] < 100


def test_files_have_upstreams_shape(tmp_path: Path) -> None:
    """Files lie where upstream puts them; a row is one emission with plain numbers, an error is at the top level."""
    _run(tmp_path, "refuser", "simple_python", "irrelevance", limit=2)
    rows = (tmp_path / "result/refuser/non_live/BFCL_v4_simple_python_result.json").read_text("utf-8").splitlines()
    assert [json.loads(row) for row in rows] == [
        {"id": f"simple_python_{n}", "result": REFUSING_TEXT, "input_token_count": 0, "output_token_count": 0}
        | {"latency": 0.0}
        for n in range(2)
    ]
    scores = tmp_path / "score/refuser/non_live"
    header, *failing = map(json.loads, (scores / "BFCL_v4_simple_python_score.json").read_text("utf-8").splitlines())
    assert header == {"accuracy": 0.0, "correct_count": 0, "total_count": 2}
    assert [line["error_type"] for line in failing] == ["ast_decoder:decoder_failed"] * 2
    assert failing[0]["test_category"] == "simple_python"
    assert failing[0]["error"][0].startswith("Invalid syntax. Failed to decode AST.")
    assert json.loads((scores / "BFCL_v4_irrelevance_score.json").read_text("utf-8")) == {
        "accuracy": 1.0,
        "correct_count": 2,
        "total_count": 2,
    }


def test_folder_is_upstreams() -> None:
    """Every track's folder is the one that upstream groups its categories in."""
    from bfcl_runner.benchmark import upstream

    group = upstream("utils").get_directory_structure_by_category
    for track in TRACKS:
        assert {group(track.prefix + category) for category in track.categories} == {track.folder}


def test_texts_are_finished_rows_and_errors_are_not(tmp_path: Path) -> None:
    """The same command leaves answers alone, a null among them, and tries again what got no reply."""
    _run(tmp_path, "refuser", "irrelevance", limit=3)
    path = tmp_path / "result/refuser/non_live/BFCL_v4_irrelevance_result.json"
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    rows[0]["result"] = None
    rows[1] = {"id": "irrelevance_1", "result": "Error during inference: server_error: 500", "traceback": "..."}
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    journal = Journal(path, [case.id for case in load_single_turn_cases("irrelevance")])
    assert journal.peek(keep_errors=False) == {"irrelevance_0", "irrelevance_2"}
    _run(tmp_path, "refuser", "irrelevance", limit=3)
    again = [json.loads(line)["result"] for line in path.read_bytes().splitlines()]
    assert again == [None, REFUSING_TEXT, REFUSING_TEXT]
    assert _summary(tmp_path)["overall_accuracy"] == 100.0


def test_no_reply_is_no_refusal(tmp_path: Path) -> None:
    """A question without a reply fails and is counted apart, in irrelevance too, where upstream would pass it."""
    _run(tmp_path, "refuser", "irrelevance", limit=3)
    path = tmp_path / "result/refuser/non_live/BFCL_v4_irrelevance_result.json"
    lines = path.read_bytes().splitlines()
    lines[1] = b'{"id": "irrelevance_1", "result": "Error during inference: timeout", "traceback": ""}'
    path.write_bytes(b"\n".join(lines) + b"\n")
    _run(tmp_path, "refuser", "irrelevance", limit=3, keep_errors=True)
    figures = _summary(tmp_path)["categories"]["irrelevance"]
    assert (figures["correct"], figures["infrastructure_errors"]) == (2, 1)
    assert figures["failures"] == {"irrelevance_error:inference_error": 1}


@pytest.mark.parametrize("prompting", [False, True])
def test_what_a_model_is_shown(prompting: bool) -> None:
    """One request: tools with underscores for dots, or the documents as they are in a system prompt."""
    case = _case("simple_python_3")
    (function,) = case.entry["function"]
    asked: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = []

    def complete(case_id: str, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Completion:
        asked.append((case_id, list(messages), tools))
        usage = {"prompt_tokens": 7, "completion_tokens": 3}
        return Completion({"choices": [{"message": {"content": "No.", "reasoning": "Hm."}}], "usage": usage}, 0.5)

    row = run_single_turn(case, ChatBackend(complete, prompting=prompting, sampling={}))
    assert row == {
        "id": case.id,
        "result": "No.",
        "input_token_count": 7,
        "output_token_count": 3,
        "latency": 0.5,
        "reasoning_content": "Hm.",
    }
    ((case_id, messages, tools),) = asked
    assert case_id == case.id
    assert messages[-1] == case.entry["question"][0][-1]
    assert "." in function["name"]
    assert function["description"].endswith("Note that the provided function is in Python 3 syntax.")
    if prompting:
        assert json.dumps(case.entry["function"], indent=4) in messages[0]["content"]
        assert tools == []
    else:
        assert [tool["function"]["name"] for tool in tools] == [function["name"].replace(".", "_")]


@pytest.mark.parametrize(
    ("emission", "calls"),
    [
        ([{"f": '{"x": 1}'}], [{"f": {"x": 1}}]),
        ([{"f": {"x": (1,)}}], [{"f": {"x": (1,)}}]),
        ([{"f": "{}", "g": "{}"}], [{"f": {}}]),
        ([{"f": "[1]"}], [{"f": [1]}]),
        ([], []),
        ("", []),
    ],
)
def test_structured_calls(emission: object, calls: list[dict[str, Any]]) -> None:
    """Arguments are JSON or a dict; an entry counts with its first name; any JSON is read, the form is judged later."""
    assert calls == structured_calls(emission)


@pytest.mark.parametrize("emission", ["text", None, {"f": "{}"}, [{}], ["f"], [{"f": "x"}], [{"f": None}], [{"f": 1}]])
def test_no_structured_calls(emission: object) -> None:
    """Text and anything else without named JSON is none."""
    with pytest.raises(DecodeError):
        structured_calls(emission)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("[f(x=1, y='a'), a.b.g()]", [{"f": {"x": 1, "y": "a"}}, {"a.b.g": {}}]),
        ("```[f(x=-1.5)]```", [{"f": {"x": -1.5}}]),
        ("f(x=[1, (2, 3)], y={'k': {}})", [{"f": {"x": [1, (2, 3)], "y": {"k": {}}}}]),
        ("[f(x=2*(3+4))]", [{"f": {"x": 14}}]),
        ("[f(x=pi)]", [{"f": {"x": "pi"}}]),
        ("[f(1, 2, x=g(y=1))]", [{"f": {"x": {"g": {"y": 1}}}}]),
        ("[]", []),
    ],
)
def test_prompted_calls(text: str, calls: list[dict[str, Any]]) -> None:
    """Calls in text become data, and positional arguments disappear, as upstream."""
    assert calls == prompted_calls(text)


@pytest.mark.parametrize("text", ["I can't.", "", "[f(x=2*pi)]", "[f(x=[a+b])]", "[f(x={'k': 2*pi})]", "[f(x=1/0)]"])
def test_no_prompted_calls(text: str) -> None:
    """Prose is no call, and neither is an operation on an unknown name, which stops upstream's decoder."""
    if text == "":
        assert prompted_calls(text) == []
        return
    with pytest.raises(DecodeError):
        prompted_calls(text)


def test_tagged_calls() -> None:
    """Blocks of the responses backend are read too; its tools have underscores for dots."""
    reading = ast_reading("tool_call_tags")
    assert reading.underscored
    text = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'
    assert reading.decode(text) == [{"f": {"x": 1}}]
    for nothing in ("no block", None):
        with pytest.raises(DecodeError):
            reading.decode(nothing)
    with pytest.raises(LookupError):
        ast_reading("nope")


@pytest.mark.parametrize(
    ("decoder", "underscored", "emission"),
    [
        ("family:qwen3", False, '<tool_call>\n{"name": "a.f", "arguments": {"x": 3}}\n</tool_call>'),
        ("family:llama-3.1", False, '{"name": "a.f", "parameters": {"x": 3}}'),
        ("family:hammer", False, '[{"name": "a.f", "arguments": {"x": 3}}]'),
        ("family:xlam-qwen", False, '[{"name": "a.f", "arguments": {"x": 3}}]'),
        ("family:granite-3", False, [{"a.f": {"x": 3}}]),
        ("family:llama-prompting", False, "[a.f(x=1+2)]"),
        ("upstream:gpt-4o-2024-11-20", False, "[a.f(x=1+2)]"),
        ("upstream:gpt-4o-2024-11-20-FC", True, [{"a.f": '{"x": 3}'}]),
    ],
)
def test_upstreams_handlers(tmp_path: Path, decoder: str, underscored: bool, emission: object) -> None:
    """Models that a handler of upstream speaks for are read by it, in copies that evaluate nothing."""
    for package in ("tree_sitter", "overrides", "requests"):
        pytest.importorskip(package, reason=f"upstream's handlers need {package} (part of bfcl-runner[full])")
    reading = ast_reading(decoder)
    assert reading.underscored is underscored
    assert reading.decode(emission) == [{"a.f": {"x": 3}}]
    place = tmp_path / "evaluated"
    for text in _hostile_texts(place):
        judge_single_turn(_case("simple_python_0"), text, decoder)
    assert not place.exists()


def _python(calls: list[dict[str, Any]]) -> str:
    """The text of calls in prompting mode."""
    return (
        "["
        + ", ".join(
            f"{name}({', '.join(f'{k}={v!r}' for k, v in args.items())})"
            for call in calls
            for name, args in call.items()
        )
        + "]"
    )


def _accepted(case: SingleTurnCase) -> list[dict[str, Any]]:
    """The oracle's calls as data with dotted names."""
    names = {function["name"].replace(".", "_"): function["name"] for function in case.entry["function"]}
    return [{names[name]: json.loads(text)} for call in accepted_calls(case) for name, text in call.items()]


def _other_value(value: Any, draws: random.Random) -> Any:
    """A value near an accepted one: right or wrong, in another type, written otherwise."""
    others: list[Any] = [None, "", "x", 0, -3, 2.5, True, [], {}, [value], (value,), {"k": value}, str(value)]
    if isinstance(value, str):
        others += [value.upper(), f" {value}.", value.replace(" ", "")]
    if isinstance(value, (int, float)):
        others += [float(value), value + 1, int(value)]
    if isinstance(value, list):
        others += [
            tuple(value),
            value[::-1],
            value[:1],
            [str(item) for item in value],
            [_other_value(v, draws) for v in value],
        ]
    if isinstance(value, dict):
        others += [dict(list(value.items())[1:]), {key: _other_value(inner, draws) for key, inner in value.items()}]
    return draws.choice(others)


def _altered(calls: list[dict[str, Any]], draws: random.Random) -> list[dict[str, Any]]:
    """The calls with something changed."""
    calls = [{name: dict(arguments) for name, arguments in call.items()} for call in calls]
    if not calls or draws.random() < 0.1:
        return [*calls, {"some.other_function": {"x": 1}}]
    kind = draws.randrange(8)
    call = draws.choice(calls)
    ((name, arguments),) = call.items()
    if kind == 0:
        calls.reverse()
    elif kind == 1:
        calls.pop()
    elif kind == 2:
        calls.append(call)
    elif kind == 3:
        call[f"{name}x"] = call.pop(name)
    elif kind == 4 or not arguments:
        arguments["unheard_of"] = 1
    else:
        argument = draws.choice(list(arguments))
        if kind == 5:
            del arguments[argument]
        else:
            arguments[argument] = _other_value(arguments[argument], draws)
    return calls


def _replies() -> Iterator[tuple[str, SingleTurnCase, Any]]:
    """Decoder, case and result, for every case in both modes: what is right, and what is altered in some way."""
    draws = random.Random(20260323)  # noqa: S311 (a test)
    texts = ["", "I can't do that.", REFUSING_TEXT, "[]", "f(", "[f(x=2*pi)]", "[1, 2]", "[f(x=0.1+0.2, y='a'+'b')]"]
    for category in SINGLE_TURN_CATEGORIES:
        for case in load_single_turn_cases(category):
            right = _accepted(case)
            for calls in (right, _altered(right, draws), _altered(_altered(right, draws), draws)):
                dotted = draws.random() < 0.1
                structured = [
                    {name if dotted else name.replace(".", "_"): json.dumps(arguments)}
                    for call in calls
                    for name, arguments in call.items()
                ]
                yield "structured", case, structured
                yield "prompting", case, _python(calls)
            yield "prompting", case, draws.choice(texts)
            odd: list[Any] = [
                "",
                "Sorry.",
                None,
                [],
                [{"f": "[1]"}],
                [{"f": "no JSON"}],
                [{}],
                [{"f": "{}", "g": "{}"}],
            ]
            yield "structured", case, draws.choice(odd)


def test_verdicts_equal_upstreams() -> None:
    """Every line of a score file equals upstream's, over thousands of replies in both modes; all 1240 oracle's pass."""
    replies = list(_replies())
    questions = "".join(f"{json.dumps([decoder, case.id, result])}\n" for decoder, case, result in replies)
    program = Path(__file__).with_name("upstream_single_turn.py")
    done = subprocess.run([sys.executable, program], input=questions, capture_output=True, text=True, check=False)
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip(f"upstream's evaluation needs more packages: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr[-2000:]
    theirs = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(theirs) == len(replies)
    kinds: Counter[str] = Counter()
    for (decoder, case, result), line in zip(replies, theirs, strict=True):
        verdict = judge_single_turn(case, result, decoder)
        ours: dict[str, Any] = {"valid": True} if verdict.valid else failure(case, decoder, result, verdict)
        kind = ours.get("error_type", "valid")
        kinds[kind] += 1
        if kind == "ast_decoder:decoder_failed":
            ours["error"] = line["error"]  # what Python says of the text is worded by our decoder
        assert line == json.loads(json.dumps(ours)), (decoder, case.id, result)
    assert kinds["valid"] > 2480
    assert len(kinds) > 15, kinds


def _hostile_texts(place: Path) -> list[str]:
    touch = f"__import__('pathlib').Path({str(place)!r}).touch()"
    return [
        f"[f(x='a'+str({touch}))]",
        f"[f(x={touch})]",
        f"[f({touch})]",
        f"[{touch}]",
        f"[f(x=[{touch}])]",
        f"[f(x={{1: 'a'+str({touch})}})]",
        f"[f(x={{'a'+str({touch}): 1}})]",
        f"[f(x=g(y='a'+str({touch})))]",
        f"[f(x=(lambda: {touch})())]",
        f"[f(x=[{touch} for _ in (1,)])]",
        f"[f(x=f'{{{touch}}}')]",
        f"[f(x=a[{touch}])]",
        f"[f(**{{'x': {touch}}})]",
        f"[f(x=(y := {touch}))]",
        f"{touch}",
        f"[{touch}(x=1)]",
        "[f(x=" + "[" * 150 + "]" * 150 + ")]",
        "[f(x=" + "(" * 100_000 + ")]",
        "[f(x=0x" + "f" * 20_000 + ")]",
        "[f(x=9**9**9)]",
        "[f(x=" + "9" * 5000 + ")]",
        "[f(x=1e999, y=-1e999)]",
        "[f(x={(1, 0x" + "f" * 20_000 + "): 1, None: 2, b'x': 3j})]",
        "[" + ", ".join(["f(x=1)"] * 10_000) + "]",
        "[f(x='" + "a" * 5_000_000 + "')]",
        "f(\0)",
        "\ud800",
        "[f(x='\ud800')]",
    ]


def _hostile_structures(place: Path) -> list[Any]:
    touch = f"__import__('pathlib').Path({str(place)!r}).touch()"
    return [
        [{touch: "{}"}],
        [{f"f({touch})": "{}"}],
        [{"f": json.dumps({touch: 1})}],
        [{"f": json.dumps({"x": touch})}],
        [{"f": touch}],
        [{"f": '{"x": ' + "[" * 900 + "]" * 900 + "}"}],
        [{"f": '{"x": ' + '{"a": ' * 900 + "1" + "}" * 900 + "}"}],
        [{"f": "[" * 100_000}],
        [{"f": '{"x": ' + "9" * 5000 + "}"}],
        [{"f": '{"x": NaN, "y": Infinity}'}],
        [{"f": json.dumps({"x": "a" * 5_000_000})}],
        [{"f": "{}"}] * 10_000,
        [{"f\0": '{"\\u0000": "\\ud800"}'}],
        [{"": "{}"}],
        [{"f": "null"}],
        7,
        {"f": {"g": {}}},
    ]


@pytest.mark.parametrize("category", ["simple_python", "parallel", "irrelevance"])
@pytest.mark.parametrize("decoder", ["structured", "prompting"])
def test_hostile_replies(tmp_path: Path, category: str, decoder: str) -> None:
    """Nothing of a reply is evaluated, every one gets its verdict, and the score file can be read."""
    place = tmp_path / "evaluated"
    results = [*_hostile_texts(place), *_hostile_structures(place)]
    cases = load_single_turn_cases(category)
    for result in results:  # of this process too: nested far, some of these break Python's own JSON
        judge_single_turn(cases[0], result, decoder)
    rows = tmp_path / "result.json"
    scores = tmp_path / "score.json"
    writable = [result for result in results if result != 7]
    lines = [{"id": case.id, "result": result} for case, result in zip(cases, writable, strict=False)]
    rows.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    score_rows(rows, scores, category, "hostile", decoder)
    header, *failing = map(json.loads, scores.read_bytes().splitlines())
    assert not place.exists()
    assert header["total_count"] == len(writable)
    if category == "irrelevance":
        assert {line["error_type"] for line in failing} == {"irrelevance_error:decoder_success"}
    else:
        assert header["correct_count"] == 0
        assert len(failing) == len(writable)


def test_checker_that_stumbles() -> None:
    """What makes upstream's checker raise is a failing answer, and the process goes on with the next question."""
    case = _case("simple_python_0")
    calls = prompted_calls("[calculate_triangle_area(base=0x" + "f" * 20_000 + ", height=5)]")
    question = Question(case.entry["function"], calls, list(case.possible_answers), case.category, underscored=True)
    assert check(question)["error_type"] == CRASHED
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    assert check(question._replace(calls=[{"calculate_triangle_area": {"base": nested}}]))["error_type"] == CRASHED
    assert check(question._replace(calls=[{"calculate_triangle_area": {"base": 10, "height": 5}}]))["valid"]
    while nested:  # flat again: its own deletion would take as many levels
        nested = nested.pop()


_NO_QUESTION = Question([], [], [{}], "parallel", underscored=True)


def test_checker_that_is_gone() -> None:
    """Without its process the checker says so in one line."""
    checker = AstChecker()
    try:
        assert checker.ask(_NO_QUESTION)["error_type"] == "parallel_function_checker_no_order:wrong_count"
        checker._process.kill()
        checker._process.wait()
        with pytest.raises(RunnerError, match="the process of the AST checker has ended"):
            checker.ask(_NO_QUESTION)
    finally:
        checker.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed otherwise here")
def test_checker_does_not_outlive_its_process() -> None:
    """However its process ends, the checker's ends too."""
    # Through standard input: there is no main module that the checker's process could import.
    program = (
        "import time\n"
        "from bfcl_runner.ast_checking import AstChecker, Question\n"
        "checker = AstChecker()\n"
        "checker.ask(Question([], [], [{}], 'parallel', True))\n"
        "print(checker._process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdin
        assert parent.stdout
        parent.stdin.write(program)
        parent.stdin.close()
        pid = int(parent.stdout.readline())
        parent.kill()
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text("utf-8").split()[2] == "Z":
                return  # ended, and not yet collected by whoever has adopted it
        except OSError:
            return
        time.sleep(0.1)
    pytest.fail("the checker's process goes on")


def test_recordable() -> None:
    """What JSON doesn't know becomes text, tuples lists, and far nesting an ellipsis; the rest stays."""
    assert recordable({"a": (1, 2.5, None, True), 3: "x"}) == {"a": [1, 2.5, None, True], 3: "x"}
    assert recordable({(1, 2): b"x"}) == {"[1, 2]": "b'x'"}
    assert recordable([2**5000]) == [hex(2**5000)]
    deep: Any = 1
    for _ in range(LEVELS + 10):
        deep = [deep]
    assert json.dumps(recordable(deep)) == "[" * LEVELS + '"..."' + "]" * LEVELS


def test_arguments_of_both_decoders_agree() -> None:
    """The call strings of multi-turn steps and the data of single-turn replies are two views of the same calls."""
    assert decode_structured([{"f": '{"x": [1]}'}]) == ["f(x=[1])"]
    assert structured_calls([{"f": '{"x": [1]}'}]) == [{"f": {"x": [1]}}]
    assert decode_prompting("[f(x=[1])]") == ["f(x=[1])"]
    assert prompted_calls("[f(x=[1])]") == [{"f": {"x": [1]}}]


def test_commands(tmp_path: Path) -> None:
    """A run of single-turn categories ends with their accuracy, and can be looked into."""
    options = ["--backend", "scripted", "--agent", "asker", "--limit", "4", "--output-dir", str(tmp_path)]
    done = _bfcl_runner("run", *options, "--categories", "irrelevance,simple_python")
    assert (done.returncode, done.stdout) == (0, "simple_python  0/4  0.0%\nirrelevance  4/4  100.0%\n")
    done = _bfcl_runner("run", *options, "--categories", "base,simple_python", "--overwrite")
    assert done.returncode == 0
    assert "overall Acc  0.00% (mean of 1 of 4 categories: base)" in done.stdout
    assert done.stdout.endswith("simple_python  0/4  0.0%\n")
    done = _bfcl_runner("status", str(tmp_path))
    assert "  simple_python: 4/4 cases, Acc 0.0%\n" in done.stdout
    done = _bfcl_runner("show", str(tmp_path), "simple_python_2")
    assert done.stdout.splitlines()[0] == "simple_python_2, simple_python"
    assert f"  step 0, ASK: {ASKING_TEXT}" in done.stdout.splitlines()
    assert "verdict: failed, ast_decoder:decoder_failed: ['Invalid syntax." in done.stdout


def test_one_track_has_each_name() -> None:
    """Names of categories and of files don't collide between the tracks."""
    names = [name for track in TRACKS for category in track.categories for name in {category, track.prefix + category}]
    assert len(names) == len(set(names))
    assert SINGLE_TURN.categories == SINGLE_TURN_CATEGORIES


def _bfcl_runner(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bfcl_runner", *arguments], capture_output=True, text=True, check=False
    )

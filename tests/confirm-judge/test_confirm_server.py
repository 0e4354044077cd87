"""Judges over HTTP: every way in which a reply may come, or not come."""

from __future__ import annotations

import json
import threading
import time
from email.utils import formatdate
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from confirm_judge import VERDICT_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    Judged = Callable[..., tuple[int, list[dict[str, Any]]]]

MET = '{"met": true, "reasoning": "Because."}'


@pytest.fixture
def one(tmp_path: Path, small_run: Callable[..., Path]) -> Path:
    """A run with one write."""
    return small_run(tmp_path / "one", 1)


def test_good_replies(server: Any, judge: Judged, tmp_path: Path, small_run: Callable[..., Path]) -> None:
    """One request per write, at temperature 0 and with the schema; the lines hold verdicts, tokens and places."""
    status, lines = judge(small_run(tmp_path / "run"), "--judge-model", "some/judge", "--concurrency", "1")
    assert status == 0
    assert [line["confirmed"] for line in lines] == [False, True, False, True]
    assert [line["passed"] for line in lines] == [False, False, True, True]
    assert lines[1] == {
        "model": "m",
        "domain": "airline",
        "sim_id": "00000001-0000",
        "tool": "cancel_reservation",
        "confirmed": True,
        "passed": False,
        "judge_reasoning": "Because.",
        "message_index": 3,
        "call_index": 0,
        "judge": "some/judge",
        "reply_format": "json_schema",
        "tries": 1,
        "input_tokens": 100,
        "output_tokens": 10,
        "error": None,
    }
    assert len(server.asks) == 4
    for ask in server.asks:
        assert (ask.body["model"], ask.body["temperature"]) == ("some/judge", 0)
        assert ask.body["response_format"]["json_schema"]["schema"] == VERDICT_SCHEMA
        assert ask.body["response_format"]["json_schema"]["strict"] is True


def test_default_model(server: Any, judge: Judged, one: Path) -> None:
    """Without a name the judge is the paper's."""
    judge(one)
    assert [ask.body["model"] for ask in server.asks] == ["gpt-5.4-2026-03-05"]


@pytest.mark.parametrize(
    "content", [f"```json\n{MET}\n```", f"Here is my verdict: {MET} Anything else?", f"<think>{{}}</think>\n{MET}"]
)
def test_fenced_and_chatty_replies(
    server: Any, judge: Judged, loopback_judge: ModuleType, one: Path, content: str
) -> None:
    """Endpoints that take the schema and don't keep to it are read all the same, at the first try."""
    server.script = lambda ask: loopback_judge.Reply(content)
    (line,) = judge(one)[1]
    assert (line["confirmed"], line["judge_reasoning"], line["tries"]) == (True, "Because.", 1)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"content": "I would say that it was."}, "no verdict in the reply"),
        ({"content": '{"met": "yes", "reasoning": ""}'}, "no verdict in the reply"),
        ({"content": f'{MET} {{"met": false, "reasoning": ""}}'}, "the reply holds verdicts that disagree"),
        ({"refusal": "I can't\nhelp with that."}, "the judge refuses: I can't help with that."),
        ({"content": " "}, "the judge says nothing"),
        ({"body": '{"choices": []}'}, "the server's answer is no chat completion"),
        ({"body": '{"choices": [{"mess'}, "the server's answer is no JSON"),
        ({"body": "[]"}, "the server's answer is no JSON object"),
        ({"body": ""}, "the server's answer is no JSON"),
        ({"ending": "reset"}, "connection: "),
        ({"content": MET, "ending": "truncated"}, "connection: "),
        ({"status": 500, "body": "oops"}, "HTTP 500: "),
        ({"status": 429, "body": "slow down"}, "HTTP 429: "),
    ],
)
def test_faults(
    server: Any, judge: Judged, loopback_judge: ModuleType, tmp_path: Path, small_run: Any, fault: Any, error: str
) -> None:
    """Four tries, then a line without a verdict that says why; the other write isn't touched; the next run heals it."""
    run = small_run(tmp_path / "run", 2)

    def script(ask: Any) -> Any:
        return loopback_judge.Reply(**fault) if "number 1" in json.dumps(ask.evidence) else loopback_judge.honest(ask)

    server.script = script
    status, lines = judge(run)
    by_id = {line["sim_id"][:8]: line for line in lines}
    assert (status, len(lines)) == (0, 2)
    assert by_id["00000000"]["confirmed"] is False
    failed = by_id["00000001"]
    assert (failed["confirmed"], failed["judge_reasoning"], failed["tries"]) == (None, None, 4)
    assert failed["error"].startswith(error)
    assert len(server.asks) == 5

    server.script = loopback_judge.honest
    status, lines = judge(run)
    assert len(server.asks) == 6
    assert [line["sim_id"][:8] for line in lines].count("00000001") == 2
    assert (lines[-1]["sim_id"][:8], lines[-1]["confirmed"], lines[-1]["error"]) == ("00000001", True, None)


def test_a_fault_passes(server: Any, judge: Judged, loopback_judge: ModuleType, one: Path) -> None:
    """The third try counts like a first one; tokens are those of all tries that were answered."""
    faults = [loopback_judge.Reply("No."), loopback_judge.Reply(ending="reset"), loopback_judge.Reply(MET)]
    server.script = lambda ask: faults[ask.attempt - 1]
    (line,) = judge(one)[1]
    assert (line["confirmed"], line["tries"], line["error"]) == (True, 3, None)
    assert (line["input_tokens"], line["output_tokens"]) == (200, 20)


@pytest.mark.parametrize("slow", ["silent", "stalled"])
def test_slow_replies(server: Any, judge: Judged, loopback_judge: ModuleType, one: Path, slow: str) -> None:
    """A try ends when its time is up, whether nothing came or only a part, and another may be quicker."""
    server.script = lambda ask: loopback_judge.Reply(MET, ending=slow if ask.number == 0 else "kept")
    (line,) = judge(one, "--timeout", "1")[1]
    # On a busy machine a good reply may come too late as well, or a request not arrive in time.
    assert line["confirmed"] is True
    assert line["tries"] > 1
    assert len(server.asks) > 1


def test_replies_that_never_come(server: Any, judge: Judged, loopback_judge: ModuleType, one: Path) -> None:
    """The line says that the time was up, in each of four tries."""
    server.script = lambda ask: loopback_judge.Reply(MET, ending="silent")
    status, (line,) = judge(one, "--timeout", "0.1")
    assert (status, line["confirmed"], line["tries"], line["error"]) == (1, None, 4, "no answer within 0.1 s")


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        (lambda: {"Retry-After": "1"}, 1.0),
        (lambda: {"retry-after-ms": "700"}, 0.7),
        (lambda: {"Retry-After": formatdate(time.time() + 3, usegmt=True)}, 1.5),
    ],
)
def test_retry_after(
    server: Any, judge: Judged, loopback_judge: ModuleType, tmp_path: Path, small_run: Any, headers: Any, least: float
) -> None:
    """Nobody asks again before the server said, also about other writes that had not been asked about."""

    def script(ask: Any) -> Any:
        if ask.number == 0:
            return loopback_judge.refused(429, "slow down", **headers())
        return loopback_judge.honest(ask)

    server.script = script
    status, lines = judge(small_run(tmp_path / "run", 3), "--concurrency", "1")
    assert (status, len(lines)) == (0, 3)
    assert server.asks[1].arrived - server.asks[0].arrived >= least
    assert sorted(line["tries"] for line in lines) == [1, 1, 2]


def test_a_wait_outlasts_the_last_try(
    server: Any, judge: Judged, loopback_judge: ModuleType, tmp_path: Path, small_run: Any
) -> None:
    """A server that is overloaded to the end of one write's tries isn't asked about the next one too early."""

    def script(ask: Any) -> Any:
        if ask.number < 4:
            return loopback_judge.refused(429, "slow down", **{"retry-after-ms": "200"})
        return loopback_judge.honest(ask)

    server.script = script
    _, lines = judge(small_run(tmp_path / "run", 2), "--concurrency", "1")
    assert [(line["confirmed"], line["tries"]) for line in lines] == [(None, 4), (True, 1)]
    arrived = [ask.arrived for ask in server.asks]
    assert all(later - earlier >= 0.2 for earlier, later in pairwise(arrived))


def test_a_very_long_wait_ends_the_run(
    server: Any, judge: Judged, loopback_judge: ModuleType, one: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A quota that is used up isn't waited for, and costs no event its verdict."""
    server.script = lambda ask: loopback_judge.refused(429, "quota", **{"Retry-After": "86400"})
    assert judge(one) == (2, [])
    assert "asks to wait 86400 s" in capsys.readouterr().err


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_server_that_refuses_everything(
    server: Any,
    judge: Judged,
    loopback_judge: ModuleType,
    tmp_path: Path,
    small_run: Any,
    capsys: pytest.CaptureFixture[str],
    status: int,
) -> None:
    """A wrong key, model or path is one line, and no event is given up for it."""
    server.script = lambda ask: loopback_judge.refused(status, "no\nsuch thing")
    assert judge(small_run(tmp_path / "run", 20)) == (2, [])
    (message,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("confirm-judge: ")]
    assert f"the judge's server refuses the requests: HTTP {status}" in message
    assert len(server.asks) <= 8


@pytest.mark.parametrize(
    ("offered", "status"), [(("json_object", "text"), 400), (("text",), 422), (("json_object", "text"), 501)]
)
def test_formats_that_a_server_lacks(
    server: Any, judge: Judged, loopback_judge: ModuleType, tmp_path: Path, small_run: Any, offered: Any, status: int
) -> None:
    """The next looser one is taken, within the same try, and from then on at once."""

    def script(ask: Any) -> Any:
        if ask.reply_format not in offered:
            return loopback_judge.refused(status, f"unknown response_format {ask.reply_format}")
        return loopback_judge.honest(ask)

    server.script = script
    _, lines = judge(small_run(tmp_path / "run", 4), "--concurrency", "1")
    assert {(line["reply_format"], line["tries"]) for line in lines} == {(offered[0], 1)}
    assert len(server.asks) == 4 + 3 - len(offered)
    assert all(line["confirmed"] is not None for line in lines)


def test_an_event_that_is_refused_in_every_format(
    server: Any, judge: Judged, loopback_judge: ModuleType, tmp_path: Path, small_run: Any
) -> None:
    """It is given up at once, and the others keep the schema: the fault was its own."""

    def script(ask: Any) -> Any:
        if "number 0" in json.dumps(ask.evidence):
            return loopback_judge.refused(400, "context_length_exceeded")
        return loopback_judge.honest(ask)

    server.script = script
    _, lines = judge(small_run(tmp_path / "run", 3), "--concurrency", "1")
    assert [(line["confirmed"] is None, line["tries"]) for line in lines] == [(True, 1), (False, 1), (False, 1)]
    assert lines[0]["error"].startswith("HTTP 400: ")
    assert [ask.reply_format for ask in server.asks] == ["json_schema", "json_object", "text", *["json_schema"] * 2]


def test_a_model_that_takes_no_temperature(
    server: Any, judge: Judged, loopback_judge: ModuleType, tmp_path: Path, small_run: Any
) -> None:
    """It is asked without one, in the strictest format, and the record beside the file says so."""

    def script(ask: Any) -> Any:
        if "temperature" in ask.body:
            return loopback_judge.refused(400, "Unsupported value: 'temperature' does not support 0.")
        return loopback_judge.honest(ask)

    server.script = script
    _, lines = judge(small_run(tmp_path / "run", 3), "--concurrency", "1")
    assert {(line["reply_format"], line["tries"]) for line in lines} == {("json_schema", 1)}
    assert len(server.asks) == 4
    assert json.loads((tmp_path / "judged.jsonl.meta.json").read_bytes())["temperature_refused"] is True


def test_an_error_about_one_event_keeps_the_temperature(
    server: Any, judge: Judged, loopback_judge: ModuleType, tmp_path: Path, small_run: Any
) -> None:
    """A refusal that only repeats the request, temperature and all, doesn't take it from the other events."""

    def script(ask: Any) -> Any:
        if "number 0" in json.dumps(ask.evidence):
            return loopback_judge.refused(400, "context_length_exceeded in {'temperature': 0}")
        return loopback_judge.honest(ask)

    server.script = script
    _, lines = judge(small_run(tmp_path / "run", 3), "--concurrency", "1")
    assert [line["confirmed"] for line in lines] == [None, True, False]
    assert [ask.body.get("temperature") for ask in server.asks[-2:]] == [0, 0]
    assert json.loads((tmp_path / "judged.jsonl.meta.json").read_bytes())["temperature_refused"] is False


def test_concurrency(server: Any, judge: Judged, loopback_judge: ModuleType, tmp_path: Path, small_run: Any) -> None:
    """So many requests at a time and no more, and not one after another."""
    together = threading.Barrier(4)

    def script(ask: Any) -> Any:
        together.wait(loopback_judge.VERY_LONG)  # each reply waits until three others are asked for
        return loopback_judge.Reply(MET)

    server.script = script
    _, lines = judge(small_run(tmp_path / "run", 12), "--concurrency", "4")
    assert server.most_at_once == 4
    assert len(server.asks) == 12
    assert {line["tries"] for line in lines} == {1}


def test_nobody_answers(server: Any, judge: Judged, loopback_judge: ModuleType, one: Path) -> None:
    """A run without any verdict has status 1."""
    server.script = lambda ask: loopback_judge.Reply("No.")
    assert judge(one)[0] == 1

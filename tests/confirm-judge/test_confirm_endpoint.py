"""Where the judge is and what it is told about us: addresses, keys, and that nothing secret is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from confirm_judge.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    Judged = Callable[..., tuple[int, list[dict[str, Any]]]]

KEY = "sk-very-secret-key"


@pytest.fixture
def one(tmp_path: Path, small_run: Callable[..., Path]) -> Path:
    """A run with one write."""
    return small_run(tmp_path / "one", 1)


@pytest.fixture
def command(server: Any, tmp_path: Path, one: Path) -> list[str]:
    """A run without an address, and without a key in the environment; it is to write ``judged.jsonl``."""
    return ["run", "--run", "m", "airline", str(one), "--out", str(tmp_path / "judged.jsonl")]


def test_no_server(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a key and without an address nothing is asked, and no file is made."""
    assert main(command) == 2
    assert "set OPENAI_API_KEY, name a server with --base-url" in capsys.readouterr().err
    assert not (tmp_path / "judged.jsonl").exists()


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8000/v1",
        "ftp://localhost/v1",
        "http://",
        "http://localhost:99999/v1",
        "http://localhost:http/v1",
        "http://[::1/v1",
        "http://user:password@local host/v1",
        "http://localhost/\x01",
    ],
)
@pytest.mark.parametrize("name", ["--base-url", "OPENAI_BASE_URL"])
def test_bad_addresses(
    command: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    name: str,
) -> None:
    """What is no address is one line that doesn't repeat it, and costs no event its verdict."""
    if name == "--base-url":
        command += [name, address]
    else:
        monkeypatch.setenv(name, address)
    assert main(command) == 2
    assert capsys.readouterr().err == f"confirm-judge: {name}: expected an address such as http://localhost:8000/v1\n"
    assert not (tmp_path / "judged.jsonl").exists()


def test_an_address_that_the_sdk_refuses(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What only the HTTP library finds wrong is one line too, and no judgment."""
    assert main([*command, "--base-url", "http://1.2.3.999/v1"]) == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("confirm-judge: the judge's address can't be used: ")
    assert (tmp_path / "judged.jsonl").read_bytes() == b""


@pytest.mark.parametrize("around", ["{}\n", "{}\r\n", " {} "])
def test_a_key_with_a_line_end(
    server: Any, judge: Judged, one: Path, monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    """A key that comes from a file is sent without what stands around it there."""
    monkeypatch.setenv("OPENAI_API_KEY", around.format(KEY))
    (line,) = judge(one)[1]
    assert line["confirmed"] is False
    assert [ask.headers["authorization"] for ask in server.asks] == [f"Bearer {KEY}"]


@pytest.mark.parametrize("key", ["sk-very\x01secret", "sk-very\nsecret", "sk-s\u00e9cret", "\u201csk-secret\u201d"])
def test_a_key_that_can_t_be_sent(
    server: Any,
    command: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    key: str,
) -> None:
    """One line says so and doesn't repeat it; nothing is asked, and no file is made."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert main([*command, "--base-url", server.base_url]) == 2
    assert capsys.readouterr().err == "confirm-judge: OPENAI_API_KEY: holds characters that can't be sent\n"
    assert server.asks == []
    assert not (tmp_path / "judged.jsonl").exists()


def test_secrets(
    server: Any,
    judge: Judged,
    loopback_judge: ModuleType,
    tmp_path: Path,
    small_run: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Keys go to the server and nowhere else, even where it repeats them; nor does what an address holds besides."""
    longer = f"{KEY}-and-more"
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\r\n")
    monkeypatch.setenv("ANOTHER_API_KEY", longer)

    def script(ask: Any) -> Any:
        assert ask.headers["authorization"].startswith(("Bearer ", "Basic "))
        if "number 0" in json.dumps(ask.evidence):
            return loopback_judge.refused(500, f"bad key {KEY}")
        return loopback_judge.Reply(loopback_judge.verdict(True, f"The keys are {KEY} and {longer}."))

    server.script = script
    results = small_run(tmp_path / "run", 2)
    _, lines = judge(results)
    assert {line["judge_reasoning"] for line in lines} == {None, "The keys are *** and ***."}
    address = server.base_url.replace("://", "://user:pass@word@")
    judge(results, f"--base-url={address}?token=abc")
    captured = capsys.readouterr()
    written = [path.read_text(encoding="utf-8") for path in tmp_path.glob("judged.jsonl*")]
    assert len(written) == 2
    for text in (*written, captured.out, captured.err):
        for secret in (KEY, "-and-more", "pass", "word@", "token=abc"):
            assert secret not in text.replace('"passed"', "")

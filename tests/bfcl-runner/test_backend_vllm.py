"""The vllm backend, with a program that has vLLM's command line and HTTP interface in place of vLLM."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import RunnerError, load_cases, run_case, vllm_server
from bfcl_runner.backends.vllm import open_backend
from bfcl_runner.checkpoints import read_checkpoint
from bfcl_runner.errors import InfrastructureError, RunStoppedError
from bfcl_runner.handlers import FAMILIES
from bfcl_runner.options import ModelOptions
from bfcl_runner.patience import ConcurrencyGate, Patience
from bfcl_runner.stopping import StopRequest, on_signals
from bfcl_runner.vllm_server import serve_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bfcl_runner.backends.base import Backend

    Checkpoint = Callable[..., Path]

pytestmark = pytest.mark.usefixtures("benchmark")

VLLM = shlex.join([sys.executable, str(Path(__file__).with_name("vllm_stand_in.py"))])
USAGE = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings from outside, and no long waits."""
    for name in ("BFCL_VLLM_EXTRA_ARGS", "BFCL_SEED", "OPENAI_API_KEY", "OPENAI_BASE_URL", "GPTOSS_TOOL_CHOICE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(vllm_server, "POLL_SECONDS", 0.05)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    """Makes checkpoint folders."""

    def make(name: str = "Qwen3-8B", **config: Any) -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        text = json.dumps({"model_type": "qwen3", "max_position_embeddings": 40960, **config})
        (folder / "config.json").write_text(text, encoding="utf-8")
        return folder

    return make


class StandIn:
    """What the program in place of vLLM is to do, and what it did."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._monkeypatch = monkeypatch

    def prepare(self, *arguments: str, play: tuple[dict[str, Any], ...] = ()) -> None:
        """Sets the arguments that the program is given beside the runner's, and what it answers."""
        (self._folder / "play").write_text("".join(json.dumps(body) + "\n" for body in play), encoding="utf-8")
        files = [word for name in ("play", "note", "pids") for word in (f"--{name}", str(self._folder / name))]
        self._monkeypatch.setenv("BFCL_VLLM_EXTRA_ARGS", shlex.join([*files, *arguments]))

    @property
    def arguments(self) -> list[str]:
        """What the program was started with, but for what `prepare` gave it."""
        words: list[str] = json.loads(self._lines()[0])
        return words[: words.index("--play")]

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests for replies: ``path`` and ``body``."""
        return [json.loads(line) for line in self._lines()[1:]]

    def is_gone(self) -> bool:
        """Whether neither the program nor its worker are left."""
        pids = (self._folder / "pids").read_text(encoding="utf-8").split()
        assert len(pids) == 2
        deadline = time.monotonic() + 10  # a killed process takes a moment to end
        while any(_is_alive(pid) for pid in pids):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def _lines(self) -> list[str]:
        return (self._folder / "note").read_text(encoding="utf-8").splitlines()


def _is_alive(pid: str) -> bool:
    """Whether a process goes on; a zombie that nobody collects does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The program, playing nothing yet."""
    program = StandIn(tmp_path, monkeypatch)
    program.prepare()
    return program


@contextmanager
def _backend(folder: Path, **given: Any) -> Iterator[Backend]:
    options = ModelOptions("vllm", model_path=folder, vllm_command=VLLM, **given)
    with open_backend(options, Patience(ConcurrencyGate(1), max_retries=0, max_wait=0)) as backend:
        yield backend


def _chat(content: str | None, *calls: tuple[str, str]) -> dict[str, Any]:
    message = {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(calls)
        ],
    }
    return {"choices": [{"index": 0, "message": message}], "usage": USAGE}


def _completion(text: str) -> dict[str, Any]:
    choice = {"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}
    return {
        "id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE,
    }  # fmt: skip


def _said(content: str) -> dict[str, Any]:
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": content}]}
    return {"status": "completed", "output": [item], "usage": {"input_tokens": 11, "output_tokens": 3}}


# --- how a model is asked ---------------------------------------------------------------------------------------------


def test_function_calling(checkpoint: Checkpoint, stand_in: StandIn) -> None:
    """With a parser the server reads the calls, and the model is named as its folder."""
    case = load_cases("base")[0]
    turns = len(case.entry["question"])
    stand_in.prepare(play=(_chat(None, ("pwd", "{}")), _chat("Done.")) * turns)
    with _backend(checkpoint("any model", model_type="mamba"), served_parser="hermes", seed=3) as backend:
        row = run_case(case, backend)
        assert backend.decoder == "structured"
        assert backend.sampling["served_with"][:3] == ["--enable-auto-tool-choice", "--tool-call-parser", "hermes"]
    assert row["result"] == [[[{"pwd": "{}"}], "Done."]] * turns
    assert "--tool-call-parser" in stand_in.arguments
    request = stand_in.requests[0]
    assert request["path"] == "/v1/chat/completions"
    assert {name: request["body"][name] for name in ("model", "temperature", "seed")} == {
        "model": "any model",
        "temperature": 0.0,
        "seed": 3,
    }
    assert stand_in.is_gone()


def test_prompting(checkpoint: Checkpoint, stand_in: StandIn) -> None:
    """In prompting mode any checkpoint is asked through its own chat template, without tools."""
    stand_in.prepare(play=(_chat("Hello."),))
    with _backend(checkpoint(model_type="mamba"), prompting=True, model="my/model") as backend:
        dialogue = backend.open(load_cases("base")[0])
        dialogue.add_user_turn([{"role": "user", "content": "Hello"}])
        assert dialogue.query().emission == "Hello."
        assert backend.decoder == "prompting"
    (request,) = stand_in.requests
    assert request["body"]["model"] == "my/model"
    assert "tools" not in request["body"]
    assert "--tool-call-parser" not in stand_in.arguments


def test_gpt_oss(checkpoint: Checkpoint, stand_in: StandIn) -> None:
    """gpt-oss is asked through the Responses API."""
    stand_in.prepare(play=(_said("Hello."),))
    with _backend(checkpoint("gpt-oss-20b", model_type="gpt_oss"), reasoning_effort="low") as backend:
        dialogue = backend.open(load_cases("base")[0])
        dialogue.add_user_turn([{"role": "user", "content": "Hello"}])
        assert dialogue.query().emission == "Hello."
    (request,) = stand_in.requests
    assert request["path"] == "/v1/responses"
    assert request["body"]["reasoning"] == {"effort": "low"}


@pytest.fixture
def tokenizers(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """A stand-in for transformers; what it was asked for."""
    pytest.importorskip("overrides", reason="upstream's handlers need overrides (part of bfcl-runner[full])")
    pytest.importorskip("requests", reason="upstream's handlers need requests (part of bfcl-runner[full])")
    asked: list[tuple[str, bool]] = []

    def from_pretrained(source: str, *, trust_remote_code: bool) -> SimpleNamespace:
        asked.append((source, trust_remote_code))
        return SimpleNamespace(tokenize=str.split, model_max_length=10**30)

    auto = SimpleNamespace(from_pretrained=from_pretrained)
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(AutoTokenizer=auto))  # type: ignore[arg-type]
    return asked


def test_family(checkpoint: Checkpoint, stand_in: StandIn, tokenizers: list[tuple[str, bool]]) -> None:
    """A family's handler makes the prompts and reads the calls, on our server."""
    case = load_cases("base")[0]
    turns = len(case.entry["question"])
    call = '<tool_call>\n{"name": "pwd", "arguments": {}}\n</tool_call>'
    stand_in.prepare(play=(_completion(call), _completion("Done.")) * turns)
    folder = checkpoint()
    with _backend(folder, temperature=0.5, seed=4) as backend:
        row = run_case(case, backend)
        assert (backend.decoder, backend.sampling["temperature"]) == ("family:qwen3", 0.5)
    assert row["result"] == [[call, "Done."]] * turns
    assert row["input_token_count"][0] == [11, 11]
    assert tokenizers == [(str(folder), False)]
    first = stand_in.requests[0]
    assert first["path"] == "/v1/completions"
    prompt = first["body"].pop("prompt")
    assert prompt.startswith("<|im_start|>system\n# Tools")
    left = 9000 - len(prompt.split()) - 2  # what the server says a prompt and its reply may have together
    assert first["body"] == {"model": "Qwen3-8B", "temperature": 0.5, "seed": 4, "max_tokens": min(4096, left)}
    assert stand_in.is_gone()


def test_a_lost_server_is_no_answer(
    checkpoint: Checkpoint, stand_in: StandIn, tokenizers: list[tuple[str, bool]]
) -> None:
    """A failure of the server is an infrastructure error, told apart as everywhere."""
    with _backend(checkpoint()) as backend:
        dialogue = backend.open(load_cases("base")[0])
        dialogue.add_user_turn([{"role": "user", "content": "Hello"}])
        with pytest.raises(InfrastructureError) as caught:
            dialogue.query()
    assert caught.value.kind == "server_error"


def test_what_is_missing_shows_before_the_start(
    checkpoint: Checkpoint, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without transformers there is one line, and no server was started."""
    pytest.importorskip("overrides", reason="upstream's handlers need overrides (part of bfcl-runner[full])")
    pytest.importorskip("requests", reason="upstream's handlers need requests (part of bfcl-runner[full])")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(RunnerError) as caught, _backend(checkpoint()):
        pass
    assert str(caught.value).startswith("local checkpoints need transformers (")
    assert str(caught.value).endswith("); run: pip install 'bfcl-runner[full]'")
    assert not (tmp_path / "pids").exists()


# --- which family a checkpoint is of ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "config", "family"),
    [
        ("Hammer2.1-7b", {"model_type": "qwen2"}, "hammer"),
        ("ToolACE-2-8B", {"model_type": "llama"}, "llama-prompting"),
        ("Team-ACE/x", {"model_type": "llama"}, "llama-prompting"),
        ("watt-tool-8B", {"model_type": "llama"}, "llama-prompting"),
        ("watt-ai/x", {"model_type": "llama"}, "llama-prompting"),
        ("granite-3.2-8b-instruct", {"model_type": "granite"}, "granite-3"),
        ("xLAM-2-3b-fc-r", {"model_type": "qwen2"}, "xlam-qwen"),
        ("Llama-xLAM-2-8b-fc-r", {"model_type": "llama"}, "xlam-llama"),
        ("x", {"model_type": "qwen2", "_name_or_path": "Salesforce/x"}, "xlam-qwen"),
        ("x", {"model_type": "llama", "architectures": ["HammerForCausalLM"]}, "hammer"),
        ("granite-3-hammer", {"model_type": "granite"}, "hammer"),
        ("gpt-oss-20b", {"model_type": "gpt_oss"}, "gpt-oss"),
        ("Qwen3-8B", {"model_type": "qwen3"}, "qwen3"),
        ("Llama-3.1-8B-Instruct", {"model_type": "llama"}, "llama-3.1"),
    ],
)
def test_families(checkpoint: Checkpoint, name: str, config: dict[str, Any], family: str) -> None:
    """The first name that matches decides, then the model type."""
    assert read_checkpoint(checkpoint(name, **config)).family == family
    assert family in FAMILIES or family == "gpt-oss"


@pytest.mark.parametrize(
    ("name", "config", "what"),
    [
        ("Mamba", {"model_type": "mamba"}, "model_type 'mamba'"),
        ("Qwen2.5-7B", {"model_type": "qwen2"}, "model_type 'qwen2'"),
        ("xLAM", {"model_type": "mistral"}, "model_type 'mistral' of a model named xlam"),
        ("nothing", {"model_type": None}, "model_type ''"),
    ],
)
def test_unsupported_families(checkpoint: Checkpoint, name: str, config: dict[str, Any], what: str) -> None:
    """The error names what was found and lists what would do."""
    folder = checkpoint(name, **config)
    with pytest.raises(RunnerError) as caught, _backend(folder):
        pass
    assert str(caught.value) == (
        f"--model-path: {folder}: {what} is not supported. Supported are models named hammer, toolace, team-ace, "
        "watt-tool, watt-ai, granite-3, xlam, salesforce (xlam, salesforce: of model_type qwen* or llama*), and "
        "model_type gpt_oss, qwen3, llama; any other with --served-parser or --prompting"
    )


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "No such file or directory"),
        ('{"model_type": ', "no JSON: Expecting value: line 1 column 16 (char 15)"),
        (b"\xff\xfe\xff", "no JSON: 'utf-16-le' codec can't decode byte 0xff in position 2: truncated data"),
        ("[]", "expected a JSON object, found a list"),
    ],
)
def test_bad_configurations(tmp_path: Path, content: str | bytes | None, complaint: str) -> None:
    """A folder without a readable config.json is one line that names the file."""
    path = tmp_path / "config.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RunnerError) as caught, _backend(tmp_path):
        pass
    assert str(caught.value) == f"--model-path: {path}: {complaint}"


def test_no_folder(tmp_path: Path) -> None:
    """A folder that isn't there, or isn't given, is one line."""
    with pytest.raises(RunnerError) as caught, _backend(tmp_path / "none"):
        pass
    assert str(caught.value) == f"--model-path: {tmp_path / 'none'}: no such directory"
    with (
        pytest.raises(RunnerError, match="--model-path: the vllm backend needs the folder"),
        open_backend(ModelOptions("vllm"), Patience(ConcurrencyGate(1), max_retries=0, max_wait=0)),
    ):
        pass


# --- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "extra", "added"),
    [
        (None, None, []),
        (None, "--max-model-len 8192 --override '{\"a\": 1}'", ["--max-model-len", "8192", "--override", '{"a": 1}']),
        ("7", None, ["--seed", "7"]),
        ("7", "--dtype half", ["--seed", "7", "--dtype", "half"]),
        ("7", "--seed 3", ["--seed", "3"]),
        ("7", "--seed=3", ["--seed=3"]),
    ],
)
def test_serve_command(monkeypatch: pytest.MonkeyPatch, seed: str | None, extra: str | None, added: list[str]) -> None:
    """The environment's arguments come last; its seed only where they hold none."""
    for name, value in (("BFCL_SEED", seed), ("BFCL_VLLM_EXTRA_ARGS", extra)):
        if value is not None:
            monkeypatch.setenv(name, value)
    options = ModelOptions("vllm", num_gpus=2, gpu_memory_utilization=0.8, vllm_command="sh 'a b'")
    assert serve_command(options, Path("/models/m"), "org/m", 8123) == [
        *("sh", "a b", "/models/m", "--port", "8123", "--served-model-name", "org/m"),
        *("--tensor-parallel-size", "2", "--gpu-memory-utilization", "0.8", *added),
    ]


@pytest.mark.parametrize(
    ("variables", "command", "complaint"),
    [
        ({}, "no-such-vllm serve", "--vllm-command: no program 'no-such-vllm' is on PATH"),
        ({"BFCL_VLLM_EXTRA_ARGS": "--a 'b"}, "sh", 'BFCL_VLLM_EXTRA_ARGS: "--a \'b": No closing quotation'),
        ({"BFCL_VLLM_EXTRA_ARGS": "--port=1"}, "sh", "BFCL_VLLM_EXTRA_ARGS: --port is chosen by the runner"),
        (
            {"BFCL_VLLM_EXTRA_ARGS": "--api-key secret"},
            "sh",
            f"BFCL_VLLM_EXTRA_ARGS: --api-key {vllm_server.RESERVED_ARGUMENTS['--api-key']}",
        ),
        ({"BFCL_SEED": "x"}, "sh", "BFCL_SEED: 'x' is no whole number"),
    ],
)
def test_wrong_commands(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], command: str, complaint: str
) -> None:
    """Each is one line, before anything is started."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(RunnerError) as caught:
        serve_command(ModelOptions("vllm", vllm_command=command), Path("/models/m"), "m", 1)
    assert str(caught.value) == complaint


# --- start and end of the server --------------------------------------------------------------------------------------


def test_progress_in_lines(checkpoint: Checkpoint, stand_in: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal there is a line before and one after the wait; the log is gone in the end."""
    stand_in.prepare("--slow", "0.3", "--no-health")
    with _backend(checkpoint(), served_parser="hermes"):
        out, err = capsys.readouterr()
    first, second = err.splitlines()
    assert out == ""
    assert re.fullmatch(r"the server is ready after \d+ s", second)
    assert " starting on port " in first
    assert not Path(first.rpartition("log ")[2]).exists()


def test_progress_on_a_terminal(
    checkpoint: Checkpoint, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal a bar moves on standard error."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    with _backend(checkpoint(), served_parser="hermes"):
        out, err = capsys.readouterr()
    assert out == ""
    assert "━" in err


def test_failing_start(checkpoint: Checkpoint, stand_in: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    """A server that ends before it is ready is one line, after the last 20 lines of its log."""
    stand_in.prepare("--fail", "3")
    with pytest.raises(RunnerError) as caught, _backend(checkpoint(), served_parser="hermes"):
        pass
    shown = capsys.readouterr().err.splitlines()[1:]
    assert shown == [*(f"loading shard {number}" for number in range(11, 30)), "CUDA out of memory"]
    message, _, log = str(caught.value).partition("; its log is ")
    assert message.endswith(" ended with status 3 before it was ready")
    assert Path(log).read_text(encoding="utf-8").splitlines()[-20:] == shown
    Path(log).unlink()
    assert stand_in.is_gone()


def test_refused_arguments(checkpoint: Checkpoint, stand_in: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    """What the server's own command line refuses shows in the tail."""
    stand_in.prepare("--no-such-argument")
    with pytest.raises(RunnerError, match="ended with status 2") as caught:
        _open_and_close(checkpoint())
    assert capsys.readouterr().err.splitlines()[-1].endswith("unrecognized arguments: --no-such-argument")
    Path(str(caught.value).rpartition(" ")[2]).unlink()


def _open_and_close(folder: Path) -> None:
    with _backend(folder, served_parser="hermes"):
        pass


def test_start_that_takes_too_long(checkpoint: Checkpoint, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a bound on the wait; the server is stopped then, and its log stays."""
    monkeypatch.setattr(vllm_server, "START_SECONDS", 1.0)
    stand_in.prepare("--slow", "60")
    with pytest.raises(RunnerError, match="was not ready after 1 s") as caught:
        _open_and_close(checkpoint())
    Path(str(caught.value).rpartition(" ")[2]).unlink()
    assert stand_in.is_gone()


def test_stopped_after_an_exception(checkpoint: Checkpoint, stand_in: StandIn) -> None:
    """Whatever ends the run ends the server and its workers."""
    with pytest.raises(ZeroDivisionError), _backend(checkpoint(), served_parser="hermes"):
        raise ZeroDivisionError
    assert stand_in.is_gone()


def test_stubborn_server(checkpoint: Checkpoint, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that doesn't end when asked is killed."""
    monkeypatch.setattr(vllm_server, "STOP_SECONDS", 0.5)
    stand_in.prepare("--stubborn")
    _open_and_close(checkpoint())
    assert stand_in.is_gone()


def test_server_that_dies(
    checkpoint: Checkpoint, stand_in: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server that ends during the run is reported at the end; its worker doesn't stay."""
    with _backend(checkpoint(), served_parser="hermes"):
        os.kill(int((tmp_path / "pids").read_text(encoding="utf-8").split()[0]), signal.SIGKILL)
        time.sleep(0.2)
    last = capsys.readouterr().err.splitlines()[-1]
    message, _, log = last.partition("; its log is ")
    assert message.endswith(" ended by itself with status -9")
    Path(log).unlink()
    assert stand_in.is_gone()


SCRIPT = """
    import sys
    from pathlib import Path
    from bfcl_runner import vllm_server
    from bfcl_runner.backends.vllm import open_backend
    from bfcl_runner.options import ModelOptions
    options = ModelOptions("vllm", model_path=Path(sys.argv[1]), served_parser="hermes", vllm_command=sys.argv[2])
    with open_backend(options, None):
        sys.exit(5)
"""


def _run_script(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(folder), VLLM]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def test_exit_within_the_run(checkpoint: Checkpoint, stand_in: StandIn) -> None:
    """A process that leaves in the middle leaves no server behind."""
    process = _run_script(checkpoint())
    process.communicate(timeout=60)
    assert process.returncode == 5
    assert stand_in.is_gone()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, -signal.SIGINT)])
def test_signals_during_the_start(
    checkpoint: Checkpoint, stand_in: StandIn, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    """A signal while the server loads ends the server first, and then the process as it would have."""
    stand_in.prepare("--slow", "60")
    process = _run_script(checkpoint())
    while not (tmp_path / "pids").exists() or not (tmp_path / "pids").read_text(encoding="utf-8"):
        time.sleep(0.05)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == status
    assert stand_in.is_gone()


def test_a_stop_request_during_the_start(checkpoint: Checkpoint, stand_in: StandIn) -> None:
    """Where the run handles signals itself, it learns of one that came during the start."""
    stand_in.prepare("--slow", "60")
    stop = StopRequest(grace=60)
    stopper = f"import os, time; time.sleep(1); os.kill({os.getpid()}, {int(signal.SIGTERM)})"
    with on_signals(stop), subprocess.Popen([sys.executable, "-c", stopper]), pytest.raises(RunStoppedError):
        _open_and_close(checkpoint())
    assert stop.signal == signal.SIGTERM
    assert stand_in.is_gone()

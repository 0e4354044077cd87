"""Upstream's handlers behind the runner's interface: as upstream runs them, and without evaluating anything."""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import json
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import DecodeError, RunnerError, judge, load_cases, make_agent, run_case
from bfcl_runner.agents import Moment
from bfcl_runner.backends.upstream import open_backend
from bfcl_runner.decoding import decoder
from bfcl_runner.errors import InfrastructureError, ModelUnusableError, TransientError
from bfcl_runner.handler_code import HANDLERS, handler_class, read_literal, registry
from bfcl_runner.handler_dialogue import HandlerBackend
from bfcl_runner.handlers import FAMILIES, OSS_HANDLER, of_family, of_registry
from bfcl_runner.options import ModelOptions
from bfcl_runner.patience import ConcurrencyGate, Patience
from bfcl_runner.sdk_failures import meaning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from bfcl_runner.dataset import Case

pytestmark = [
    pytest.mark.usefixtures("benchmark", "packages"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # upstream and what it imports, not we
]

FC_MODEL = "gpt-4o-mini-2024-07-18-FC"
PROMPTED_MODEL = "gpt-4o-mini-2024-07-18"
CHAT_MODEL = "openbmb/MiniCPM-SALA-FC"
LOCAL_MODEL = "meta-llama/Llama-3.1-8B-Instruct-FC"

Calls = list[tuple[str, dict[str, Any]]]


@pytest.fixture(scope="session")
def packages() -> None:
    """Skips, saying why, without what the handlers import."""
    for name in ("overrides", "requests"):
        pytest.importorskip(name, reason="upstream's handlers need overrides and requests (part of bfcl-runner[full])")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for handlers that want one."""
    monkeypatch.setenv("OPENAI_API_KEY", "none-needed")


def _json_list(calls: Calls) -> str:
    return json.dumps([{"name": name, "arguments": arguments} for name, arguments in calls])


def _tagged(calls: Calls) -> str:
    blocks = (json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls)
    return "<think>\nLet me see.\n</think>\n\n" + "\n".join(f"<tool_call>\n{block}\n</tool_call>" for block in blocks)


def _semicolons(calls: Calls) -> str:
    """One call as Python, as upstream evaluates it; several as JSON."""
    blocks = [{"name": name, "parameters": arguments} for name, arguments in calls]
    return "<|python_tag|>" + (repr(blocks[0]) if len(blocks) == 1 else "; ".join(map(json.dumps, blocks)))


def _python(calls: Calls) -> str:
    texts = (f"{name}({', '.join(f'{key}={value!r}' for key, value in values.items())})" for name, values in calls)
    return f"[{', '.join(texts)}]"


WRITTEN_AS: dict[str, Callable[[Calls], str]] = {
    "hammer": _json_list,
    "llama-prompting": _python,
    "granite-3": lambda calls: "<|tool_call|>" + _json_list(calls),
    "xlam-qwen": _json_list,
    "xlam-llama": _json_list,
    "qwen3": _tagged,
    "llama-3.1": _semicolons,
}
"""How each family writes calls."""


def _texts(case: Case, agent: str, write: Callable[[Calls], str]) -> Iterable[str]:
    """What an agent says in a case, as the model of a family would."""
    for turn in (make_agent(agent).play(case, Moment(index)) for index in range(len(case.ground_truth))):
        for emission in turn:
            if isinstance(emission, str):
                yield emission
            else:
                yield write([(name, json.loads(text)) for call in emission or [] for name, text in call.items()])


class Completions:
    """Stands for the client of a server: says the given texts, and keeps what it was asked."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.completions = self
        self.asked: list[dict[str, Any]] = []
        self._texts = iter(texts)

    def create(self, **request: Any) -> Any:
        """The next text."""
        self.asked.append(request)
        usage = SimpleNamespace(prompt_tokens=len(request["prompt"]), completion_tokens=5)
        return SimpleNamespace(choices=[SimpleNamespace(text=next(self._texts))], usage=usage)


def _equip(handler: Any, texts: Iterable[str]) -> Completions:
    """What the start of a server leaves on a handler."""
    handler.client = Completions(texts)
    handler.tokenizer = SimpleNamespace(tokenize=str.split)
    handler.max_context_length = 100_000
    handler.model_path_or_id = "served"
    client: Completions = handler.client
    return client


def _patience(tries: int = 1) -> Patience:
    return Patience(ConcurrencyGate(1), max_retries=tries - 1, max_wait=60)


def _without_error_texts(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The log, but for how errors are worded."""
    cleaned = copy.deepcopy(log)
    for turn in cleaned:
        for name, entries in turn.items():
            if name.startswith("step_"):
                for entry in entries:
                    entry.pop("error", None)
    return cleaned


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("category", ["base", "miss_func"])
@pytest.mark.parametrize("agent", ["oracle", "noisy:0.5:3"])
def test_families_run_as_upstream_runs_them(family: str, category: str, agent: str) -> None:
    """With the same replies, rows, logs and the prompts sent equal those of upstream's own loop."""
    pytest.importorskip("tree_sitter_java", reason="upstream itself needs tree-sitter 0.21 (Python 3.10 to 3.12)")
    choice = of_family(family, "a-model")
    theirs_class = getattr(importlib.import_module(choice.path.module), choice.path.name)
    for index in (0, 7, 55):
        case = load_cases(category)[index]
        texts = list(_texts(case, agent, WRITTEN_AS[family]))
        ours, theirs = choice.make(0.0), theirs_class("a-model", 0.0, "a-model", choice.is_fc_model)
        # Upstream keeps the simulated APIs by this name: another run must not start from their leftovers.
        theirs.model_name_underline_replaced = f"{family}_{agent}_{category}".translate(str.maketrans("-.:", "___"))
        asked, asked_there = _equip(ours, texts), _equip(theirs, texts)
        row = run_case(case, HandlerBackend(ours, choice.decoder, _patience()))
        with contextlib.redirect_stdout(io.StringIO()):
            result, metadata = theirs.inference_multi_turn_prompting(copy.deepcopy(case.entry), False, True)
        assert row["result"] == result
        assert asked.asked == asked_there.asked
        assert _without_error_texts(row["inference_log"]) == _without_error_texts(metadata.pop("inference_log"))
        metadata.pop("latency")
        assert {name: row.get(name) for name in metadata} == metadata
        if agent == "oracle":
            assert judge(case, row["result"], decoder(choice.decoder)).valid


def test_registry_runs_as_upstream_runs_it(loopbacks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vendor's handler asks and answers as in upstream's own loop, by function calling and in prompting mode."""
    pytest.importorskip("tree_sitter_java", reason="upstream itself needs tree-sitter 0.21 (Python 3.10 to 3.12)")
    server = loopbacks.start(keep_bodies=True)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    case = load_cases("miss_func")[3]
    for name, mode in ((FC_MODEL, "FC"), (PROMPTED_MODEL, "prompting"), (CHAT_MODEL, "FC")):
        del server.requests[:]
        with open_backend(ModelOptions("upstream", model=name), _patience()) as backend:
            assert (backend.decoder, backend.sampling) == (f"upstream:{name}", {"temperature": 0.0})
            row = run_case(case, backend)
        assert judge(case, row["result"], decoder(backend.decoder)).valid
        bodies = [request.body for request in server.requests]
        choice = of_registry(name)
        theirs = getattr(importlib.import_module(choice.path.module), choice.path.name)(
            choice.model_name, 0.0, name, choice.is_fc_model
        )
        theirs.model_name_underline_replaced = f"at_{len(server.requests)}_{choice.path.name}_{mode}"
        with contextlib.redirect_stdout(io.StringIO()):
            run = getattr(theirs, f"inference_multi_turn_{mode}")
            result, metadata = run(copy.deepcopy(case.entry), False, True)
        assert row["result"] == result
        assert [request.body for request in server.requests][len(bodies) :] == bodies
        assert _without_error_texts(row["inference_log"]) == _without_error_texts(metadata["inference_log"])


HOSTILE = {
    "llama-3.1": "open({path!r}, 'w')",
    "llama-prompting": "[cd(folder='a' + str(open({path!r}, 'w')))]",
    "granite-3": "<|tool_call|>[{source!r}]",
    "qwen3": "<tool_call>\n{source!r}\n</tool_call>",
    "hammer": "[{{'name': open({path!r}, 'w')}}]",
    "xlam-qwen": "open({path!r}, 'w')",
    "xlam-llama": "open({path!r}, 'w')",
}
"""Replies that make a file where somebody evaluates them."""


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_evaluated(tmp_path: Path, family: str) -> None:
    """A hostile reply is a reply without calls, or one whose call is refused; it makes no file."""
    path = tmp_path / "made"
    text = HOSTILE[family].format(path=str(path), source=f"open({str(path)!r}, 'w')")
    choice = of_family(family, "a-model")
    case = load_cases("base")[0]
    handler = choice.make(0.0)
    turns = len(case.entry["question"])
    _equip(handler, [text, "I stop here."] * turns)
    row = run_case(case, HandlerBackend(handler, choice.decoder, _patience()))
    assert len(row["result"]) == turns
    assert not judge(case, row["result"], decoder(choice.decoder)).valid
    assert not path.exists()


MALFORMED_CALLS = ('"cd"', "7", '{"arguments": {}}', '{"name": 5, "arguments": {}}', '{"name": "pwd"}', "[]", "null")


@pytest.mark.parametrize("block", MALFORMED_CALLS)
def test_malformed_calls_are_the_models_doing(block: str) -> None:
    """Calls that upstream's own loop breaks at are replies without calls, and the case goes on."""
    choice = of_family("qwen3", "a-model")
    case = load_cases("base")[0]
    handler = choice.make(0.0)
    text = f"<tool_call>\n{block}\n</tool_call>"
    turns = len(case.entry["question"])
    asked = _equip(handler, [text, "I stop here."] * turns).asked
    row = run_case(case, HandlerBackend(handler, choice.decoder, _patience()))
    assert len(row["result"]) == turns
    assert row["result"][0][0] == text
    assert asked[1]["prompt"].count("<tool_call>") > asked[0]["prompt"].count("<tool_call>")


def test_nothing_of_upstream_is_changed() -> None:
    """The private copies are entered nowhere, and upstream's modules keep what they had."""
    code = f"""
import sys
from bfcl_runner.handlers import FAMILIES, of_family
for family in FAMILIES:
    of_family(family, "a-model").make(0.0)
print([name for name in sys.modules if name.startswith("{HANDLERS}.") and name.count(".") > 2])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_upstreams_words_go_to_the_log(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    """What a handler prints is no output of ours."""
    code = handler_class(OSS_HANDLER).decode_execute.__globals__
    with caplog.at_level("DEBUG", logger="bfcl_runner.handler_code"):
        code["__builtins__"]["print"]("a handler", "speaks", end="")
    assert capsys.readouterr() == ("", "")
    assert caplog.messages == ["a handler speaks"]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("{'a': [1, -2.5, None, True, 'x (y']}", {"a": [1, -2.5, None, True, "x (y"]}),
        (" \t2 * 3 + 1", 7),
        ("{'a': 100 * 0.5}", {"a": 50.0}),
        ("'a' + 'b'", "ab"),
    ],
)
def test_literals_are_read(source: str, value: object) -> None:
    """Literals and arithmetic on constants have the value that evaluation gives."""
    assert read_literal(source) == value


@pytest.mark.parametrize(
    "source",
    [
        "print",
        "f()",
        "__import__('os').getcwd()",
        "[x for x in (1,)]",
        "'a' + str(1)",
        "(lambda: 1)()",
        "f'{1}'",
        "9**9**9",
    ],
)
def test_other_expressions_are_not(source: str) -> None:
    """Anything else is refused, in words that are the same in every process."""
    with pytest.raises(ValueError, match=r"^it holds something else than literals$"):
        read_literal(source)


def test_decoders_by_name() -> None:
    """A name finds a handler's reading without a key or a client; one that reads nothing says so."""
    assert decoder(f"upstream:{FC_MODEL}")([{"cd": '{"folder": "a"}'}]) == ["cd(folder='a')"]
    assert decoder(f"upstream:{PROMPTED_MODEL}")("[cd(folder='a')]") == ["cd(folder='a')"]
    assert decoder("family:qwen3")('<tool_call>\n{"name": "pwd", "arguments": {}}\n</tool_call>') == ["pwd()"]
    assert decoder("family:qwen3")("No call.") == []
    with pytest.raises(DecodeError):
        decoder("family:xlam-qwen")("No call.")
    with pytest.raises(LookupError):
        decoder("family:no-such-family")


def test_decoding_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scoring somebody's file works where the model can't be asked."""
    monkeypatch.delenv("OPENAI_API_KEY")
    assert decoder(f"upstream:{FC_MODEL}")([{"pwd": "{}"}]) == ["pwd()"]
    with pytest.raises(RunnerError, match=f"^--model: {FC_MODEL}: OpenAIResponsesHandler: OpenAIError: "):
        _open(FC_MODEL)


def test_the_whole_registry_is_known() -> None:
    """Every name leads to a handler class, without a single vendor's SDK."""
    choices = [of_registry(name) for name in registry()]
    assert len(choices) == 175
    assert {choice.path.module.rpartition(".")[0] for choice in choices} == {
        f"{HANDLERS}.api_inference",
        f"{HANDLERS}.local_inference",
    }
    assert {choice.path.name[-7:] for choice in choices} == {"Handler", "ler_3_1"}


def _open(name: str, **given: Any) -> None:
    with open_backend(ModelOptions("upstream", model=name, **given), _patience()):
        pass


def _error(module: str = "vendor.errors", **attributes: object) -> Exception:
    """An exception as some SDK might raise it."""
    return type("VendorError", (Exception,), {"__module__": module, **attributes})("it\nfailed")


@pytest.mark.parametrize(
    ("error", "meant"),
    [
        (TimeoutError("late"), TransientError("timeout", "late")),
        (ConnectionResetError("gone"), TransientError("connection", "gone")),
        (_error("httpx._exceptions"), TransientError("connection", "it failed")),
        (_error(status_code=429), TransientError("rate_limited", "HTTP 429: it failed", overloaded=True)),
        (_error(code=500), TransientError("server_error", "HTTP 500: it failed")),
        (_error(code="invalid", response=SimpleNamespace(status_code=401)), ModelUnusableError("HTTP 401: it failed")),
        (
            _error("botocore.exceptions", response={"ResponseMetadata": {"HTTPStatusCode": 503}}),
            TransientError("server_error", "HTTP 503: it failed", overloaded=True),
        ),
        (
            _error(status_code=429, response=SimpleNamespace(headers={"retry-after": "7"})),
            TransientError("rate_limited", "HTTP 429: it failed", overloaded=True, retry_after=7.0),
        ),
        (_error(status_code=422), InfrastructureError("request_refused", "HTTP 422: it failed")),
        (_error(), InfrastructureError("request_failed", "VendorError: it failed")),
    ],
)
def test_what_exceptions_of_sdks_mean(error: Exception, meant: Exception) -> None:
    """The status decides where there is one, then where the exception comes from."""
    actual = meaning(error)
    assert type(actual) is type(meant)
    assert vars(actual) == vars(meant)
    assert str(actual).endswith(str(meant))


def test_failures(loopbacks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Overloads are the runner's to wait for, once per try; a refused key ends the run."""
    server = loopbacks.start(loopbacks.rule("429", attempts=(1,)))
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    case = load_cases("base")[0]

    def ask(tries: int) -> object:
        with open_backend(ModelOptions("upstream", model=FC_MODEL), _patience(tries)) as backend:
            dialogue = backend.open(case)
            dialogue.add_user_turn(case.entry["question"][0])
            return dialogue.query().emission

    assert isinstance(ask(2), list)
    assert server.stats.requests == 2
    server.plan = (loopbacks.rule("500"),)
    with pytest.raises(InfrastructureError, match=r"^server_error: HTTP 500") as caught:
        ask(1)
    assert caught.value.tries == 1
    server.plan = (loopbacks.rule("body", body='{"choices": []}'),)
    with pytest.raises(InfrastructureError, match=r"^malformed_body"):
        ask(1)
    server.plan = (loopbacks.rule("401"),)
    with pytest.raises(ModelUnusableError, match="HTTP 401"):
        ask(5)
    assert server.stats.requests == 5


def test_handlers_without_a_client() -> None:
    """Some handlers make their requests themselves; they open all the same."""
    _open("gorilla-openfunctions-v2")


@pytest.mark.parametrize(
    ("name", "given", "complaint"),
    [
        (
            "gpt-4o-mini-2024-07-18-fc",
            {},
            "--model: 'gpt-4o-mini-2024-07-18-fc' is no name of bfcl-eval's registry; near",
        ),
        ("xyzzy", {}, "--model: 'xyzzy' is no name of bfcl-eval's registry"),
        (FC_MODEL, {"seed": 1}, "--seed: the upstream backend can't pass it on to this model"),
        (FC_MODEL, {"base_url": "http://x"}, "--base-url: the upstream backend can't pass it on to this model"),
        (FC_MODEL, {"prompting": True}, "--prompting: the upstream backend can't pass it on to this model"),
        (
            LOCAL_MODEL,
            {},
            f"--model: {LOCAL_MODEL} runs locally: name its server with --base-url, or take --backend vllm",
        ),
    ],
)
def test_wrong_options(name: str, given: dict[str, Any], complaint: str) -> None:
    """Each is one line."""
    with pytest.raises(RunnerError) as caught:
        _open(name, **given)
    assert str(caught.value).startswith(complaint)
    assert "\n" not in str(caught.value)


def test_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vendor whose SDK is not there is one line that says what to install."""
    monkeypatch.setitem(sys.modules, "writerai", None)
    name = next(name for name, entry in registry().items() if entry.model_handler.name == "WriterHandler")
    for _ in range(2):
        with pytest.raises(RunnerError) as caught:
            _open(name)
        assert str(caught.value).startswith("upstream's handlers need more packages (")
        assert str(caught.value).endswith("); run: pip install 'bfcl-runner[full]'")


def test_local_model_on_a_server_of_the_user(loopbacks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that the registry runs locally is asked on the server that is named, under its hub name."""
    asked: list[str] = []

    def from_pretrained(source: str, *, trust_remote_code: bool) -> SimpleNamespace:
        asked.append(source)
        return SimpleNamespace(tokenize=str.split, model_max_length=5000)

    auto = SimpleNamespace(from_pretrained=from_pretrained)
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(AutoTokenizer=auto))  # type: ignore[arg-type]
    server = loopbacks.start()
    options = ModelOptions("upstream", model=LOCAL_MODEL, base_url=server.base_url, seed=3)
    with open_backend(options, _patience()) as backend:
        assert backend.sampling == {"temperature": 0.0, "seed": 3}
        dialogue = backend.open(load_cases("base")[0])
        dialogue.add_user_turn([{"role": "user", "content": "Hello"}])
        # The loopback server has no completions API, which says that the request got there.
        with pytest.raises(ModelUnusableError, match="HTTP 404"):
            dialogue.query()
    assert asked == ["meta-llama/Llama-3.1-8B-Instruct"]

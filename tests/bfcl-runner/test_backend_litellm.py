"""The litellm backend, with the real litellm where it is installed, against a server that plays the ground truth."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import RunnerError, judge, load_cases, run_case
from bfcl_runner.backends.litellm import open_backend
from bfcl_runner.decoding import decoder
from bfcl_runner.errors import InfrastructureError, ModelUnusableError
from bfcl_runner.options import ModelOptions
from bfcl_runner.patience import ConcurrencyGate, Patience

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bfcl_runner.backends.base import Dialogue
    from bfcl_runner.chat import ChatBackend

# Not ours to mend: warnings that litellm and what it imports give about themselves.
pytestmark = pytest.mark.filterwarnings("ignore")

CASE = ("miss_func", 3)


@pytest.fixture
def litellm(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The package, with a key for its OpenAI provider."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("OPENAI_API_KEY", "none-needed")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return pytest.importorskip("litellm", reason="litellm is an extra: pip install 'bfcl-runner[litellm]'")


@contextmanager
def _backend(url: str, *, tries: int = 1, **given: Any) -> Iterator[ChatBackend]:
    options = ModelOptions("litellm", model="openai/oracle", base_url=url, **{"timeout": 30.0, **given})
    patience = Patience(ConcurrencyGate(1), max_retries=tries - 1, max_wait=60)
    with open_backend(options, patience) as backend:
        yield backend


def _asked(backend: ChatBackend) -> Dialogue:
    category, index = CASE
    case = load_cases(category)[index]
    dialogue = backend.open(case)
    dialogue.add_user_turn(case.entry["question"][0])
    return dialogue


@pytest.mark.parametrize("prompting", [False, True])
def test_conversation(litellm: Any, loopbacks: Any, prompting: bool) -> None:
    """The oracle behind litellm passes, by function calling and in prompting mode."""
    category, index = CASE
    case = load_cases(category)[index]
    server = loopbacks.start()
    with _backend(server.base_url, prompting=prompting) as backend:
        row = run_case(case, backend)
    assert judge(case, row["result"], decoder(backend.decoder)).valid
    assert backend.decoder == ("prompting" if prompting else "structured")
    assert {request.structured for request in server.requests} == {not prompting}
    assert row["input_token_count"][0][0] == 100


def test_what_is_sent(litellm: Any, loopbacks: Any) -> None:
    """Sampling goes along, the provider's prefix does not."""
    server = loopbacks.start(keep_bodies=True)
    with _backend(server.base_url, temperature=0.25, seed=7) as backend:
        _asked(backend).query()
    (request,) = server.requests
    body = json.loads(request.body)
    assert {name: body[name] for name in ("model", "temperature", "seed")} == {
        "model": "oracle",
        "temperature": 0.25,
        "seed": 7,
    }
    assert body["tools"][0]["type"] == "function"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("429", "rate_limited"),
        ("500", "server_error"),
        ("503", "server_error"),
        ("400", "request_refused"),
        ("refused", "server_error"),  # litellm calls it an internal error of the server
        ("malformed", "server_error"),
    ],
)
def test_failures(litellm: Any, loopbacks: Any, fault: str, kind: str) -> None:
    """Each is told apart at the first try, and nobody below tries again."""
    server = loopbacks.start(loopbacks.rule(fault))
    with _backend(server.base_url) as backend, pytest.raises(InfrastructureError) as caught:
        _asked(backend).query()
    assert (caught.value.kind, caught.value.tries) == (kind, 1)
    assert "\n" not in caught.value.message
    assert server.stats.requests == 1


def test_time_out(litellm: Any, loopbacks: Any) -> None:
    """A reply that takes longer than the time-out is none."""
    server = loopbacks.start(loopbacks.rule("slow", seconds=3.0))
    with _backend(server.base_url, timeout=0.3) as backend, pytest.raises(InfrastructureError) as caught:
        _asked(backend).query()
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize("fault", ["401", "403", "404"])
def test_unusable(litellm: Any, loopbacks: Any, fault: str) -> None:
    """A key or a model that the server refuses ends the run."""
    server = loopbacks.start(loopbacks.rule(fault))
    with _backend(server.base_url, tries=5) as backend, pytest.raises(ModelUnusableError, match=f"HTTP {fault}"):
        _asked(backend).query()
    assert server.stats.requests == 1


def test_an_overload_passes(litellm: Any, loopbacks: Any) -> None:
    """After 429 the same request is made again, when the server asks for it."""
    server = loopbacks.start(loopbacks.rule("429", attempts=(1,), retry_after="milliseconds", seconds=1.5))
    with _backend(server.base_url, tries=2) as backend:
        reply = _asked(backend).query()
    assert reply.input_tokens == 100
    first, second = server.requests
    assert second.arrived - first.arrived >= 1.5


def test_unknown_provider(litellm: Any) -> None:
    """A name without a provider that litellm knows is an error before anything is asked."""
    with pytest.raises(RunnerError) as caught, open_backend(ModelOptions("litellm", model="nobody/oracle"), None):  # type: ignore[arg-type]
        pass
    assert str(caught.value) == (
        "--model: litellm knows no provider for 'nobody/oracle'; it names models provider/model"
    )


def test_parameter_that_the_model_does_not_take(litellm: Any) -> None:
    """What litellm refuses to send, it would refuse every time."""
    options = ModelOptions("litellm", model="cohere/command-r", reasoning_effort="low")
    patience = Patience(ConcurrencyGate(1), max_retries=3, max_wait=1)
    with open_backend(options, patience) as backend, pytest.raises(ModelUnusableError, match="reasoning_effort"):
        _asked(backend).query()


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without litellm there is one line that says what to install."""
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(RunnerError) as caught, open_backend(ModelOptions("litellm", model="openai/x"), None):  # type: ignore[arg-type]
        pass
    assert str(caught.value).startswith("the litellm backend needs litellm (")
    assert str(caught.value).endswith("); run: pip install 'bfcl-runner[litellm]'")


def test_no_model() -> None:
    """A model must be named."""
    with (
        pytest.raises(RunnerError, match="--model: the litellm backend needs one"),
        open_backend(
            ModelOptions("litellm"),
            None,  # type: ignore[arg-type]
        ),
    ):
        pass

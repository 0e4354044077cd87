"""The same replies give the same rows: our loop against upstream's own, over real HTTP, in both modes."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from bfcl_runner import ModelOptions, RunPlan, Selection, Silent, load_cases, run
from bfcl_runner.benchmark import upstream

if TYPE_CHECKING:
    from pathlib import Path

ODD_REPLIES: tuple[Any, ...] = (
    "Which one do you mean?",
    "",
    [{"cd": '{"folder": "nowhere"}'}],
    [{"pwd": "{}"}, {"no_such_function": '{"x": 1}'}],
    [{"cd": "[1, 2]"}],
    [{"echo": '{"content": "a word (in) brackets", "file_name": null}'}],
    [{"post_tweet": '{"content": "x", "tags": ["#a", 1.5], "mentions": [{"k": null}]}'}],
)
ODD_TEXTS = (
    "Which one do you mean?",
    "",
    "[cd('document')]",
    "[cd(folder=document), pwd()]",
    "[cd(folder={}), pwd()]",
    "[echo(content=f'x')]",
    "[echo(content=1+2, file_name=-1)]",
    "[cd(folder='a')",
    "Sure: [pwd()]",
    "[a.b(x=1)]",
)


@pytest.fixture(scope="module")
def handler_class(benchmark: None) -> Any:
    """Upstream's handler for OpenAI's API; what it imports has no wheel for Python 3.13."""
    for module in ("tree_sitter", "overrides"):
        pytest.importorskip(module, reason=f"upstream's own loop needs {module}")
    return upstream("model_handler.api_inference.openai_completion").OpenAICompletionsHandler


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning:bfcl_eval")  # which would fail upstream's decoding
@pytest.mark.parametrize("category", ["base", "miss_func"])
@pytest.mark.parametrize("prompting", [False, True])
def test_rows_equal_upstreams(
    handler_class: Any,
    loopbacks: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    category: str,
    prompting: bool,
) -> None:
    """Every case of two categories, a fifth of the oracle's replies replaced by odd ones: rows and logs are equal."""
    odd = (*ODD_REPLIES, *(ODD_TEXTS if prompting else ()))
    share = 0.2 / len(odd)
    plan = [
        loopbacks.rule("emission", emission=reply, probability=share, seed=place) for place, reply in enumerate(odd)
    ]
    options = ModelOptions(
        "openai", model="oracle", prompting=prompting, base_url=loopbacks.start(*plan, categories=[category]).base_url
    )
    layout = run(RunPlan(options, tmp_path, Selection((category,)), concurrency=4), Silent()).layout
    ours = [json.loads(line) for line in layout.result(category).read_bytes().splitlines()]

    # A server of its own, since replies are drawn by how often a step is asked for; a handler per case, since only
    # the headers of a client can name the case.
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", loopbacks.start(*plan, categories=[category]).base_url)
    cases = load_cases(category)
    handlers = []
    for case in cases:
        monkeypatch.setenv("OPENAI_DEFAULT_HEADERS", json.dumps({"X-Case-Id": case.id}))
        name = f"peer_{prompting}"
        handlers.append(handler_class(name, temperature=0, registry_name=name, is_fc_model=not prompting))

    def infer(index: int) -> dict[str, Any]:
        entry = copy.deepcopy(cases[index].entry)
        result, metadata = handlers[index].inference(entry, include_input_log=False, exclude_state_log=True)
        row: dict[str, Any] = json.loads(json.dumps({"id": cases[index].id, "result": result, **metadata}))
        return row

    with contextlib.redirect_stdout(io.StringIO()), ThreadPoolExecutor(4) as pool:
        theirs = list(pool.map(infer, range(len(cases))))
    assert len(theirs) == 200
    for their_row, our_row in zip(theirs, ours, strict=True):
        assert _comparable(their_row) == _comparable(our_row)
    assert any(len(turn) > 3 for row in ours for turn in row["result"])


def _comparable(row: dict[str, Any]) -> dict[str, Any]:
    """The row without times, and without the wording of what could not be decoded."""
    row = {key: value for key, value in row.items() if key != "latency"}
    for turn in row["inference_log"]:
        for name, step in turn.items():
            if name.startswith("step_"):
                for entry in step:
                    entry.pop("error", None)
    return row

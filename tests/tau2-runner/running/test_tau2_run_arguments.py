"""What arguments and variables ask for, and the names that runs get."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau2_runner import RunnerError
from tau2_runner.running.additions import Additions, chosen_additions
from tau2_runner.running.coercion import content_calls
from tau2_runner.running.judge import Judge
from tau2_runner.running.offline import Stage, model_words, prepare
from tau2_runner.running.request import file_name, parse
from tau2_runner.running.sri_lite import SRILite

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    AddRunArgs = Callable[[argparse.ArgumentParser], None]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["--agent-llm", "gpt-5.4"], "tau2_airline_gpt-5.4_baseline"),
        (["--agent-llm", "openai/Qwen/Qwen3-8B"], "tau2_airline_Qwen3-8B_baseline"),
        (["--agent-llm", "ft:gpt-4.1:sierra::AB"], "tau2_airline_ft-gpt-4.1-sierra-AB_baseline"),
        (["--agent", "sri_lite", "--agent-llm", "m"], "tau2_airline_m_ablation_no_state"),
        (["--agent", "llm_agent_gt", "--agent-llm", "m"], "tau2_airline_m_llm_agent_gt"),
        (["--agent-llm", "../.."], "tau2_airline_model_baseline"),
        (["--audio-native"], "tau2_airline_openai_baseline"),
        (["--save-to", "mine"], "mine"),
    ],
)
def test_folder_names(words: list[str], name: str, add_run_args: AddRunArgs) -> None:
    """A run is named by domain, model and method, unless it is given a name."""
    request = parse(["--domain", "airline", *words], add_run_args, "ablation_no_state")
    assert name == request.save_to
    assert (f"--save-to={name}" in request.words) is ("--save-to" not in words)


@given(st.text())
def test_file_names_are_tame(text: str) -> None:
    """Whatever a model is called, its part of a folder's name has no separators and isn't empty."""
    name = file_name(text)
    assert name.strip("-.")
    assert set(name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+-")


def test_words_are_passed_on(add_run_args: AddRunArgs) -> None:
    """All words reach tau2 in their order."""
    words = ["-d", "retail", "--task-ids", "1", "2", "--agent-llm-args", '{"temperature": 0.7}']
    request = parse([*words, "--save-to", "x"], add_run_args, "sri_lite")
    assert (*words, "--save-to", "x") == request.words
    assert not request.vault


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "--domain: missing"),
        (["--domain", "moon"], "tau2 run: argument --domain/-d: invalid choice: 'moon'"),
        (["--domain", "airline", "--nope"], "tau2 run: unrecognized arguments: --nope"),
        (["--domain", "airline", "--agent-llm-args", '{"api_key": "sk-1234567'], "invalid loads value: not JSON"),
        (
            ["--domain", "airline", "--agents-llm-args", '{"api_key": "sk-1234567"}'],
            "tau2 run: unrecognized arguments: --agents-llm-args {...",
        ),
        (["--domain", "airline", "--user-llm-args", "[1]"], "--user-llm-args: expected a JSON object"),
    ],
)
def test_wrong_arguments(words: list[str], complaint: str, add_run_args: AddRunArgs) -> None:
    """What tau2 would refuse is one line, and no key is in it."""
    with pytest.raises(RunnerError) as caught:
        parse(words, add_run_args, "sri_lite")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "variables", "asked"),
    [
        ([], {}, Additions()),
        ([], {"SRI_LITE_VARIANT": "baseline", "TAU2_NL_ASSERTIONS_ARGS_JSON": "{"}, Additions()),
        (["--agent", "sri_lite"], {}, Additions(SRILite("sri_lite", 12, 3, 1200))),
        (["--agent=sri_lite"], {"SRI_LITE_VARIANT": "ablation_no_state"}, Additions(SRILite("ablation_no_state"))),
        (
            ["--agent", "sri_lite"],
            {
                "SRI_LITE_RETRY_MAX_MESSAGES": "1",
                "SRI_LITE_MAX_RECENT_TOOLS": "0",
                "SRI_LITE_MAX_TOOL_RESULT_CHARS": "9",
            },
            Additions(SRILite("sri_lite", 4, 0, 200)),
        ),
        ([], {"TAU2_NL_ASSERTIONS_LLM": "m"}, Additions(judge=Judge("m", {}))),
        (
            [],
            {"TAU2_NL_ASSERTIONS_LLM": "m", "TAU2_NL_ASSERTIONS_ARGS_JSON": '{"a": 1}'},
            Additions(judge=Judge("m", {"a": 1})),
        ),
        ([], {"TAU2_COERCE_JSON_CONTENT_TOOL_CALLS": "1"}, Additions(coerce=True)),
        ([], {"TAU2_COERCE_JSON_CONTENT_TOOL_CALLS": "0"}, Additions()),
    ],
)
def test_additions(words: list[str], variables: dict[str, str], asked: Additions) -> None:
    """Nothing is added that wasn't asked for."""
    assert asked == chosen_additions(words, variables)


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"SRI_LITE_VARIANT": "v9"}, "'v9' is none of sri_lite, ablation_no_state, baseline"),
        ({"SRI_LITE_MAX_RECENT_TOOLS": "many"}, "SRI_LITE_MAX_RECENT_TOOLS: 'many' is no whole number"),
        (
            {"TAU2_NL_ASSERTIONS_LLM": "m", "TAU2_NL_ASSERTIONS_ARGS_JSON": '{"api_key": "sk-1'},
            "TAU2_NL_ASSERTIONS_ARGS_JSON: not JSON: Unterminated string starting at",
        ),
        (
            {"TAU2_NL_ASSERTIONS_LLM": "m", "TAU2_NL_ASSERTIONS_ARGS_JSON": "[]"},
            "TAU2_NL_ASSERTIONS_ARGS_JSON: expected a JSON object",
        ),
    ],
)
def test_wrong_variables(variables: dict[str, str], complaint: str) -> None:
    """A variable that can't be read is named, its secrets aren't shown."""
    with pytest.raises(RunnerError) as caught:
        chosen_additions(["--agent", "sri_lite"], variables)
    assert complaint in str(caught.value)
    assert "sk-1" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "calls"),
    [
        ('{"name": "f", "arguments": {"a": 1}}', [("f", {"a": 1})]),
        (' {"name": "f", "parameters": {}} ', [("f", {})]),
        ('[{"name": "f", "arguments": {}}, {"name": "g", "arguments": "{\\"b\\": 2}"}]', [("f", {}), ("g", {"b": 2})]),
        ("[]", []),
        ('[{"name": "f", "arguments": {}}, 1]', []),
        ('{"name": "f"}', []),
        ('{"name": "f", "arguments": {}, "parameters": {}}', []),
        ('{"name": "", "arguments": {}}', []),
        ('{"name": "f", "arguments": [1]}', []),
        ('{"name": "f", "arguments": "x"}', []),
        ('{"name": "Ann", "arguments": {}, "city": "Rome"}', []),
        ('Sure: {"name": "f", "arguments": {}}', []),
        ("[" * 100000, []),
        ("", []),
        (None, []),
    ],
)
def test_content_calls(content: str | None, calls: list[tuple[str, dict[str, object]]]) -> None:
    """Calls are read where they are the whole content and all of it fits."""
    assert calls == content_calls(content)


def test_offline_words() -> None:
    """An offline run names its own models, at its own address, and takes none of others."""
    stage = Stage("flaky:0.25")
    stage.address = "http://127.0.0.1:1/v1"
    words = model_words(stage, ["--domain", "airline"])
    arguments = json.dumps({"temperature": 0.0, "api_base": "http://127.0.0.1:1/v1"})
    assert words[2:] == [
        "--agent-llm=openai/flaky:0.25",
        f"--agent-llm-args={arguments}",
        "--user-llm=openai/scripted-user",
        f"--user-llm-args={arguments}",
    ]
    with pytest.raises(RunnerError, match="--user-llm: an offline run plays agent, user and judge itself"):
        model_words(stage, ["--user-llm=x"])


def test_offline_variables() -> None:
    """An offline run asks litellm to stay at home, sends no key of the user's, and no request through a proxy."""
    environment = {"OPENAI_API_KEY": "sk-real", "NO_PROXY": "intranet"}
    prepare(environment)
    assert environment == {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI_API_KEY": "none",
        "NO_PROXY": "intranet,127.0.0.1",
        "no_proxy": "127.0.0.1",
    }


def test_sri_lite_is_the_agents(add_run_args: AddRunArgs) -> None:
    """A word that happens to be the agent's name gives no other agent the probe."""
    words = ["--domain", "airline", "--save-to", "sri_lite"]
    request = parse(words, add_run_args, "sri_lite")
    assert chosen_additions(words, {}).of_agent(request.options.agent) == Additions()
    words = ["--domain", "airline", "--agent", "sri_lite"]
    assert chosen_additions(words, {}).of_agent(parse(words, add_run_args, "x").options.agent).probe == SRILite()

"""Keys in model arguments: hidden before tau2 sees them, put back into requests, kept out of records and errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau2_runner.running.request import parse
from tau2_runner.running.secrets import Vault

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

KEY = "sk-0123456789"


@pytest.mark.parametrize(
    "arguments",
    [
        {"api_key": KEY},
        {"apiKey": KEY},
        {"aws_secret_access_key": KEY},
        {"aws_session_token": KEY},
        {"azure_ad_token": KEY},
        {"azureAdToken": "0123456789"},
        {"extra_body": {"subscriptionKey": "0123456789"}},
        {"vertex_credentials": {"private_key": KEY}},
        {"extra_headers": {"X-Team": KEY}},
        {"default_headers": {"nested": [{"deep": KEY}]}},
        {"extra_body": {"auth": {"password": KEY}}},
        {"anything": KEY},
        {"api_base": f"https://me:{KEY}@host/v1"},
        {"api_base": f"https://host/v1?key={KEY}"},
        {"extra_headers": {"authorization": f"Bearer {KEY}"}},
    ],
)
def test_keys_are_hidden_and_come_back(arguments: dict[str, Any]) -> None:
    """No key is left in what is passed on, and a request gets all of them back."""
    vault = Vault()
    hidden = vault.hide(arguments, "agent_llm_args")
    assert KEY[3:] not in json.dumps(hidden)
    assert arguments == vault.reveal(hidden)


@pytest.mark.parametrize(
    "arguments",
    [
        {"temperature": 0.7, "max_tokens": 100, "seed": 1, "reasoning_effort": "low", "stop": ["a"], "user": None},
        {"api_base": "http://127.0.0.1:8000/v1", "max_completion_tokens": 5, "thinking": {"budget_tokens": 9}},
        {"api_key": ""},
    ],
)
def test_other_arguments_stay(arguments: dict[str, Any]) -> None:
    """What is no key is recorded as it was given."""
    vault = Vault()
    assert arguments == vault.hide(arguments, "agent_llm_args")
    assert not vault


def test_roles_are_not_mixed_up() -> None:
    """Keys under one name in the arguments of two roles are two keys."""
    vault = Vault()
    agent = vault.hide({"api_key": "for-the-agent"}, "agent_llm_args")
    user = vault.hide({"api_key": "for-the-user"}, "user_llm_args")
    assert (vault.reveal(agent), vault.reveal(user)) == ({"api_key": "for-the-agent"}, {"api_key": "for-the-user"})


def test_hiding_twice_changes_nothing() -> None:
    """A placeholder is no secret."""
    vault = Vault()
    hidden = vault.hide({"api_key": KEY}, "a")
    assert hidden == Vault().hide(hidden, "b")


def test_keys_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that a key variable holds is a key under any name, and leaves texts as well."""
    monkeypatch.setenv("SOME_API_KEY", "abcdefgh")
    assert Vault().hide({"note": "abcdefgh"}, "a") == {"note": "*** (a.note)"}
    assert Vault().censor("refused: abcdefgh") == "refused: ***"


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_reveal_undoes_hide(value: object) -> None:
    """Whatever the arguments are, a request gets what was given."""
    vault = Vault()
    assert vault.reveal(vault.hide({"api_key": value}, "a")) == {"api_key": value}


@pytest.mark.parametrize("option", ["--agent-llm-args", "--agent-llm-arg"])
@pytest.mark.parametrize("glued", [True, False])
def test_words_hold_no_keys(option: str, glued: bool, add_run_args: Callable[[argparse.ArgumentParser], None]) -> None:
    """However the option is written, the words for tau2 and its options hold a placeholder in the key's place."""
    value = json.dumps({"api_key": KEY, "temperature": 1})
    given = [f"{option}={value}"] if glued else [option, value]
    request = parse(["--domain", "airline", *given], add_run_args, "sri_lite")
    assert KEY not in " ".join(request.words)
    assert request.options.agent_llm_args == {"api_key": "*** (agent_llm_args.api_key)", "temperature": 1}
    assert request.vault.reveal(request.options.agent_llm_args) == {"api_key": KEY, "temperature": 1}
    again = parse(request.words, add_run_args, "sri_lite")
    assert again.options == request.options

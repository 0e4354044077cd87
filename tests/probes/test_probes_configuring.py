"""From flags, variables and files to the probes of a run."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from calibration_probes import Configuration, Limits, Mode, ProbeError, build_stack, configure, read_template


def chosen(environment: dict[str, str], **flags: Any) -> list[tuple[str, str, str]]:
    """Name, variant and mode of the probes that are found for it."""
    stack = build_stack(configure(environment, **flags))
    return [(probe.name, probe.variant, probe.mode.value) for probe in stack.probes]


def refusal(environment: dict[str, str] | None = None, **flags: Any) -> str:
    """The line that it is refused with."""
    with pytest.raises(ProbeError) as caught:
        build_stack(configure(environment or {}, **flags))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("environment", "flags", "expected"),
    [
        ({}, {}, []),
        ({}, {"probes": ["sri"]}, [("sri", "v1", "active")]),
        ({}, {"probes": ["cri:bypass", "sri"]}, [("cri", "bypass", "active"), ("sri", "v1", "active")]),
        ({}, {"probes": ["cri:bypass"], "mode": "passive_log"}, [("cri", "bypass", "passive_log")]),
        ({}, {"probes": ["sri"], "mode": "off"}, []),
        ({}, {"mode": "off"}, []),
        ({"BFCL_SRI_MODE": "sri_only"}, {}, [("sri", "v1", "active")]),
        ({"BFCL_SRI_MODE": " passive_log "}, {}, [("sri", "v1", "passive_log")]),
        ({"BFCL_SRI_MODE": "off", "BFCL_CRI_MODE": ""}, {}, []),
        ({"BFCL_SRI_VARIANT": "decision_routed_v1", "BFCL_CRI_VARIANT": "bypass"}, {}, []),
        (
            {"BFCL_CRI_MODE": "cri_only", "BFCL_CRI_VARIANT": "bypass", "BFCL_SRI_MODE": "passive_log"}, {},
            [("sri", "v1", "passive_log"), ("cri", "bypass", "active")],
        ),
        # A flag wins over its variable; what no flag says is still the variable's.
        ({"BFCL_SRI_MODE": "off"}, {"probes": ["sri"]}, [("sri", "v1", "active")]),
        ({"BFCL_SRI_MODE": "passive_log"}, {"probes": ["sri"]}, [("sri", "v1", "passive_log")]),
        ({"BFCL_SRI_MODE": "passive_log"}, {"probes": ["sri"], "mode": "active"}, [("sri", "v1", "active")]),
        ({"BFCL_SRI_MODE": "sri_only"}, {"mode": "off"}, []),
        ({"BFCL_SRI_MODE": "sri_only"}, {"probes": ["cri"]}, [("cri", "v1", "active")]),
        ({"BFCL_SRI_VARIANT": "ablation_no_state"}, {"probes": ["sri"]}, [("sri", "ablation_no_state", "active")]),
        ({"BFCL_SRI_VARIANT": "ablation_no_state"}, {"probes": ["sri:v1"]}, [("sri", "v1", "active")]),
    ],
)  # fmt: skip
def test_choices(environment: dict[str, str], flags: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    """Which probes a run has, with which variant, in which mode and order."""
    assert expected == chosen(environment, **flags)


def test_the_process_environment_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the mapping that is handed over counts."""
    monkeypatch.setenv("BFCL_SRI_MODE", "sri_only")
    assert configure({}) == Configuration()


def test_limits_and_log() -> None:
    """The other variables of the paper."""
    environment = {"SRI_MAX_STATE_CHARS": "10", "SRI_MAX_USER_TURNS": "1", "SRI_MAX_USER_CHARS": "-1"}
    configuration = configure({**environment, "BFCL_SRI_LOG_PATH": "some/log.jsonl"})
    assert configuration.limits == Limits(state_chars=10, user_turns=1, user_chars=-1)
    assert configuration.log_path == Path("some/log.jsonl")
    assert (configure({}).limits, configure({}).log_path) == (Limits(2400, 4, 700), None)


def test_configurations_travel(tmp_path: Path) -> None:
    """Worker processes get the configuration, template included."""
    template = tmp_path / "t"
    template.write_text("{state}")
    configuration = configure({}, probes=["sri"], templates=[str(template)])
    assert pickle.loads(pickle.dumps(configuration)) == configuration  # noqa: S301
    assert configuration.probes[0].mode is Mode.ACTIVE


VARIANTS = "v1, ablation_no_history, ablation_no_state, ablation_no_recon, decision_routed_v1, decision_routed_v2_a"


@pytest.mark.parametrize(
    ("environment", "flags", "expected"),
    [
        ({}, {"probes": ["sry"]}, "unknown probe 'sry'; installed: cri, sri"),
        ({}, {"probes": [""]}, "unknown probe ''; installed: cri, sri"),
        ({}, {"probes": ["sry"], "mode": "off"}, "unknown probe 'sry'; installed: cri, sri"),
        ({}, {"probes": ["sri:v2"]}, f"probe sri has no variant 'v2'; it has {VARIANTS}"),
        ({}, {"probes": ["sri:"]}, f"probe sri has no variant ''; it has {VARIANTS}"),
        ({}, {"probes": ["sri"], "mode": "on"}, "--probe-mode: 'on' is none of off, passive_log, active"),
        ({}, {"mode": "on"}, "--probe-mode: 'on' is none of off, passive_log, active"),
        ({}, {"mode": "active"}, "--probe-mode: there is no probe; name one with --probe"),
        ({}, {"templates": ["x"]}, "--probe-template: there is no probe; name one with --probe"),
        ({}, {"probes": ["sri", "sri:v1"]}, "--probe: sri is named twice"),
        ({"BFCL_SRI_MODE": "cri_only"}, {}, "BFCL_SRI_MODE: 'cri_only' is none of off, passive_log, sri_only"),
        (
            {"BFCL_CRI_MODE": "cri_only", "BFCL_CRI_VARIANT": "v2"}, {},
            "probe cri has no variant 'v2'; it has v1, bypass",
        ),
        ({"SRI_MAX_USER_TURNS": "four"}, {}, "SRI_MAX_USER_TURNS: 'four' is no whole number"),
    ],
)  # fmt: skip
def test_refusals(environment: dict[str, str], flags: dict[str, Any], expected: str) -> None:
    """What isn't known is refused in one line that lists what is."""
    assert expected == refusal(environment, **flags)


def test_templates(tmp_path: Path) -> None:
    """One file for one probe, files by name for several."""
    one, other = tmp_path / "a=b", tmp_path / "other"
    one.write_bytes(b"\xef\xbb\xbfone\r\n{state}\n\n")
    other.write_text("other")
    (choice,) = configure({}, probes=["sri"], templates=[str(one)]).probes
    assert choice.template == read_template(one)
    assert choice.template.text == "one\n{state}\n"
    both = configure({}, probes=["sri", "cri"], templates=[f"cri={one}", f"sri={other}"]).probes
    assert [choice.template and choice.template.path for choice in both] == [other, one]
    (only, without) = configure({}, probes=["sri", "cri"], templates=[f"sri={other}"]).probes
    assert (only.template, without.template) == (read_template(other), None)


def test_templates_that_cannot_be_used(tmp_path: Path) -> None:
    """The line names the file, and its line and placeholder where there is one."""
    path = tmp_path / "t"
    flags: dict[str, Any] = {"probes": ["sri"], "templates": [str(path)]}
    assert refusal(**flags) == f"{path}: can't be read: No such file or directory"
    path.write_bytes(b"\xff")
    assert refusal(**flags) == f"{path}: not UTF-8 (byte 0)"
    path.write_bytes(b" \n")
    assert refusal(**flags) == f"{path}: an empty template"
    path.write_text("{state}\n and {stat}")
    known = "{prior_requests}, {current_request}, {state}"
    assert refusal(**flags) == f"{path}:2: {{stat}}: unknown placeholder; known: {known}"
    both: dict[str, Any] = {**flags, "probes": ["sri", "cri"]}
    assert refusal(**both) == "--probe-template: write NAME=FILE, where NAME is one of sri, cri"
    assert refusal(probes=["sri"], templates=["a", "sri=b"]) == "--probe-template: sri is given two"

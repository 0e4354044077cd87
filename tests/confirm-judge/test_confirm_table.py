"""Table 3: the released labels give the published figures, and a user's own file no row too many."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirm_judge import PUBLISHED_MODELS, Judgment, build_table, read_judgments
from confirm_judge.cli import main
from gar_metrics import wilson

if TYPE_CHECKING:
    from pathlib import Path

PUBLISHED: dict[str, tuple[tuple[float, float, int], ...]] = {
    "Qwen3-8B": ((24.2, 11.6, 95), (27.1, 38.7, 225)),
    "Qwen3-14B": ((28.8, 36.4, 66), (34.2, 50.5, 196)),
    "gpt-oss-20b": ((92.0, 40.0, 25), (82.8, 50.0, 134)),
    "xLAM-2-8b": (),
    "Hammer-2.1-7B": (),
    "ToolACE-2-8B": ((16.3, 4.7, 43), (34.1, 4.4, 91)),
    "gpt-5": ((98.1, 55.6, 54), (99.4, 92.7, 164)),
    "gpt-5.4": ((100.0, 65.1, 43), (100.0, 83.8, 154)),
    "gpt-5-mini": ((89.2, 59.5, 37), (98.2, 87.1, 163)),
    "Gemini 3 Pro": ((100.0, 62.3, 53), (97.4, 91.6, 154)),
    "Doubao-Seed-1.8": ((100.0, 52.8, 36), (98.6, 81.5, 146)),
}
"""By model, airline then retail: GAR, Acc, n."""

JUDGMENTS = st.lists(
    st.builds(
        Judgment,
        model=st.sampled_from(["a", "gpt-5"]),
        domain=st.sampled_from(["retail", "airline", "bank"]),
        sim_id=st.sampled_from(["1", "2", "3"]),
        tool=st.just("t"),
        confirmed=st.none() | st.booleans(),
        passed=st.none() | st.booleans(),
    ),
    max_size=15,
)


@pytest.fixture
def released(repository: Path) -> Path:
    """The released labels, in the repository itself."""
    return repository / "data" / "tau2_confirm_judgments.jsonl"


def table(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    """The rows that the command prints as JSON."""
    assert main(["table", *arguments, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["rows"]
    rows: list[dict[str, Any]] = document["rows"]
    return rows


def judgment(model: str, domain: str = "airline", sim_id: str = "1", **changes: Any) -> Judgment:
    """A confirmed write of a trajectory that passed, with other fields where given."""
    fields: dict[str, Any] = {"tool": "t", "confirmed": True, "passed": True, **changes}
    return Judgment(model=model, domain=domain, sim_id=sim_id, **fields)


def test_published_figures(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All 22 rows in the published order, every figure as published, and no rate where nothing was written."""
    rows = table(capsys, str(released))
    expected = [
        (model, domain, *(figures[place] if figures else (None, None, 0)))
        for model, figures in PUBLISHED.items()
        for place, domain in enumerate(("airline", "retail"))
    ]
    shown = [
        (
            row["model"],
            row["domain"],
            None if row["gar"] is None else round(row["gar"], 1),
            None if row["acc"] is None else round(row["acc"], 1),
            row["n"],
        )
        for row in rows
    ]
    assert expected == shown
    assert tuple(PUBLISHED) == PUBLISHED_MODELS
    assert sum(row["n"] for row in rows) == 1879
    assert sum(row["unjudged"] for row in rows) == 8


def test_rows_are_consistent(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Delta is the difference, Wilson's interval is that of the counts, and both intervals hold their rate."""
    for row in table(capsys, str(released)):
        if not row["n"]:
            assert {row[name] for name in row if "ci95" in name} == {row["delta"]} == {None}
            continue
        assert row["delta"] == pytest.approx(row["gar"] - row["acc"])
        assert row["gar_ci95"] == pytest.approx([100 * bound for bound in wilson(row["confirmed"], row["n"])])
        assert row["acc_ci95"] == pytest.approx([100 * bound for bound in wilson(row["passed"], row["n"])])
        for name in ("gar", "acc", "delta"):
            low, high = row[f"{name}_ci95_cluster"]
            assert low <= row[name] <= high


def test_clusters_widen_the_interval(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All writes of a simulation pass or fail together, so that whole simulations tell less than so many writes."""
    for row in table(capsys, str(released), "--models", "Qwen3-8B"):
        wilson_low, wilson_high = row["acc_ci95"]
        low, high = row["acc_ci95_cluster"]
        assert high - low > 1.3 * (wilson_high - wilson_low)


def test_models_option(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The models that are named, in that order, with every domain of the file; one that isn't there has n = 0."""
    rows = table(capsys, str(released), "--models", "gpt-5", "nobody", "Gemini 3 Pro")
    assert [(row["model"], row["domain"], row["n"]) for row in rows] == [
        ("gpt-5", "airline", 54),
        ("gpt-5", "retail", 164),
        ("nobody", "airline", 0),
        ("nobody", "retail", 0),
        ("Gemini 3 Pro", "airline", 53),
        ("Gemini 3 Pro", "retail", 154),
    ]


def test_own_models(released: Path) -> None:
    """Without the published models only what is there is a row: published names first, others as they appear."""
    own = [judgment("mine", "bank"), judgment("gpt-5.4", "retail"), judgment("mine", "airline"), judgment("Qwen3-8B")]
    assert [(row.model, row.domain) for row in build_table(own)] == [
        ("Qwen3-8B", "airline"),
        ("gpt-5.4", "retail"),
        ("mine", "airline"),
        ("mine", "bank"),
    ]
    rows = build_table([*own, *read_judgments(released)])
    assert [row.model for row in rows if row.n == 0] == ["xLAM-2-8b"] * 2 + ["Hammer-2.1-7B"] * 2
    assert [(row.model, row.domain) for row in rows[-2:]] == [("mine", "airline"), ("mine", "bank")]


def test_no_reward_and_no_verdict() -> None:
    """A trajectory without a reward counts as failed; a write without a verdict isn't counted."""
    (row,) = build_table(
        [judgment("m", passed=None), judgment("m", confirmed=None), judgment("m", sim_id="2", confirmed=False)]
    )
    assert (row.n, row.confirmed, row.passed, row.unjudged, row.simulations) == (2, 1, 1, 1, 2)
    assert (row.gar, row.acc, row.delta) == (50.0, 50.0, 0.0)


def test_one_simulation_has_no_cluster_interval() -> None:
    """Nothing can be resampled there."""
    (row,) = build_table([judgment("m"), judgment("m")])
    assert (row.gar_ci95_cluster, row.acc_ci95_cluster, row.delta_ci95_cluster) == (None, None, None)
    assert row.gar_ci95 == pytest.approx((34.2, 100.0), abs=0.1)


@given(JUDGMENTS)
def test_counts_add_up(judgments: list[Judgment]) -> None:
    """Every judgment is in exactly one row, and rates are those of the counts."""
    rows = build_table(judgments)
    assert sum(row.n + row.unjudged for row in rows) == len(judgments)
    assert len({(row.model, row.domain) for row in rows}) == len(rows)
    for row in rows:
        assert 0 <= max(row.confirmed, row.passed) <= row.n
        assert row.gar == (100 * row.confirmed / row.n if row.n else None)
        assert row.acc == (100 * row.passed / row.n if row.n else None)


def test_the_last_line_of_an_event_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A retried event is there once; lines that name no place are all of different events."""
    first = {"model": "m", "domain": "d", "sim_id": "s", "tool": "t", "confirmed": None, "passed": True}
    placed = {**first, "message_index": 3, "call_index": 0}
    lines = [placed, first, first, {**placed, "confirmed": True}, {**placed, "call_index": 1}]
    file = tmp_path / "judged.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    (row,) = table(capsys, str(file))
    assert (row["n"], row["confirmed"], row["unjudged"]) == (1, 1, 3)


def test_a_run_without_writes(
    tmp_path: Path, write_run: Any, simulation: Any, said: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model whose run was looked at and that wrote nothing is a row with n = 0."""
    results = write_run(tmp_path / "run", [simulation("s", [said("user", "Hello.")])])
    out = tmp_path / "judged.jsonl"
    assert main(["run", "--judge", "rules", "--run", "shy", "airline", str(results), "--out", str(out)]) == 0
    capsys.readouterr()
    assert [(row["model"], row["n"], row["gar"]) for row in table(capsys, str(out))] == [("shy", 0, None)]


def test_what_is_missing_is_said(tmp_path: Path, small_run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that isn't finished says how many writes are missing, also beside output for machines."""
    out = tmp_path / "judged.jsonl"
    run = ["run", "--judge", "rules", "--run", "m", "airline", str(small_run(tmp_path / "run")), "--out", str(out)]
    assert main(run) == 0
    out.write_text("".join(out.read_text(encoding="utf-8").splitlines(keepends=True)[:1]), encoding="utf-8")
    capsys.readouterr()
    for output, stream in (("text", "out"), ("latex", "out"), ("json", "err"), ("csv", "err")):
        assert main(["table", str(out), "--format", output]) == 0
        assert "writes not judged yet: 3; go on with confirm-judge run" in getattr(capsys.readouterr(), stream)


def test_formats(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CSV holds what JSON holds; Markdown and LaTeX show a row for each of its rows."""
    rows = table(capsys, str(released))
    shown = {}
    for output in ("text", "csv", "md", "latex"):
        assert main(["table", str(released), "--format", output]) == 0
        shown[output] = capsys.readouterr().out
    for row, line in zip(rows, csv.DictReader(io.StringIO(shown["csv"])), strict=True):
        assert {name: "" if row[name] is None else str(row[name]) for name in ("model", "n", "gar", "unjudged")} == {
            name: line[name] for name in ("model", "n", "gar", "unjudged")
        }
        assert line["acc_ci95_high"] == ("" if row["acc_ci95"] is None else str(row["acc_ci95"][1]))
    assert sum(line.startswith("| ") for line in shown["md"].splitlines()) == 2 + 22
    assert "| gpt-oss-20b | airline | 25 | 92.0 | 75.0 to 97.8 |" in shown["md"]
    assert shown["latex"].count(r" \\") == 1 + 22
    assert "gpt-oss-20b & airline & 25 & 92.0 & 75.0 to 97.8 &" in shown["latex"]
    assert "Gemini 3 Pro, airline: writes without a verdict, left out: 2" in shown["text"]


def test_names_are_inert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model's name can neither end a line nor a cell, nor run a command of LaTeX."""
    record = {"model": "a|b\n\x1b\\input{x}", "domain": "d&", "sim_id": "s", "tool": "t"}
    file = tmp_path / "judged.jsonl"
    file.write_text(json.dumps({**record, "confirmed": None, "passed": None}) + "\n", encoding="utf-8")
    for output, name in (
        ("text", "a|b\\n\\x1b\\input{x}"),
        ("md", "a\\|b\\n\\x1b\\input{x}"),
        ("latex", r"a\textbar{}b\textbackslash{}n\textbackslash{}x1b\textbackslash{}input\{x\} & d\& &"),
    ):
        assert main(["table", str(file), "--format", output]) == 0
        text = capsys.readouterr().out
        assert name in text
        assert "\x1b" not in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "judged.jsonl: holds no judgments"),
        ("[1]\n", "judged.jsonl:1: expected an object, found a list"),
        ('\n{"model": 1}\n', "judged.jsonl:2: model: expected a string, found a number"),
        ('{"model": "m"}\n', "judged.jsonl:1: domain: missing"),
        ('{"model": "m", "domain": "d", "sim_id": "s", "tool": "t"}\n', "judged.jsonl:1: confirmed: missing"),
        ('{"model": "m", "dom', "judged.jsonl:1: invalid JSON at column 16: Unterminated string starting at"),
    ],
)
def test_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    """File, line and field are named."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judged.jsonl").write_text(content, encoding="utf-8")
    assert main(["table", "judged.jsonl"]) == 2
    assert capsys.readouterr().err == f"confirm-judge: {message}\n"

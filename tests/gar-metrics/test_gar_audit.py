"""``gar audit``: the audit's published figures from the released labels, its formats, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gar_metrics import GarError, audit_cases, audit_record, read_audit
from gar_metrics.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("B1a", "B1b", "B3", "B4", "B5", "B6", "B7")
STATE = {"B1a": 0, "B1b": 1, "B3": "n.a.", "B4": 0, "B5": 0, "B6": 1, "B7": "n.a."}


def audited(number: int = 0, category: str = "base", stratum: str = "A", **changes: object) -> dict[str, object]:
    """The record of a case on which both raters and the final labels say `STATE`, with other fields where given."""
    record: dict[str, object] = {
        "split": "main",
        "case_id": f"multi_turn_{category}_{number}",
        "model": "m",
        "category": category,
        "stratum": stratum,
        "rater_a": STATE,
        "rater_b": STATE,
        "final": STATE,
    }
    return {**record, **changes}


@pytest.fixture
def labels(repository: Path) -> Path:
    """The released labels, in the repository itself."""
    return repository / "data" / "audit_labels.jsonl"


@pytest.fixture
def released(labels: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What the command says about them as JSON."""
    assert main(["audit", str(labels), "--format", "json"]) == 0
    parsed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return parsed


def test_shape(released: dict[str, Any]) -> None:
    """The names of the JSON document are these and no others."""
    assert list(released) == ["labels", "primary_macro_kappa", "primary_min_kappa", "rates", "strata", "b7"]
    assert tuple(released["labels"]) == NAMES
    assert {tuple(label) for label in released["labels"].values()} == {("n", "agreement", "kappa")}
    assert list(released["rates"]) == ["B1a", "B1b", "B3", "B3|B1a=0", "B4", "B5", "B6"]
    assert {tuple(rate) for rate in released["rates"].values()} == {("k", "n", "rate", "ci95")}
    assert list(released["strata"]) == list("ABCDEFG")
    assert {tuple(stratum) for stratum in released["strata"].values()} == {NAMES}


@pytest.mark.parametrize(
    ("label", "n", "agreement", "kappa"),
    [
        ("B1a", 200, 0.970, 0.933),
        ("B1b", 200, 0.945, 0.887),
        ("B3", 78, 1.0, 1.0),
        ("B4", 200, 0.985, 0.792),
        ("B5", 200, 1.0, 1.0),
        ("B6", 169, 0.740, 0.461),
        ("B7", 52, 0.231, -0.006),
    ],
)
def test_agreement(released: dict[str, Any], label: str, n: int, agreement: float, kappa: float) -> None:
    """n, observed agreement and kappa of every label, as published."""
    found = released["labels"][label]
    assert (n, agreement, kappa) == (found["n"], round(found["agreement"], 3), round(found["kappa"], 3))


def test_primary_labels(released: dict[str, Any]) -> None:
    """Mean and minimum of kappa over the five primary labels."""
    assert (round(released["primary_macro_kappa"], 4), round(released["primary_min_kappa"], 4)) == (0.9225, 0.7922)


@pytest.mark.parametrize(
    ("name", "k", "n"),
    [
        ("B1a", 71, 200),
        ("B1b", 88, 200),
        ("B3", 72, 78),
        ("B3|B1a=0", 65, 71),
        ("B4", 7, 200),
        ("B5", 26, 200),
        ("B6", 89, 178),
    ],
)
def test_rates(released: dict[str, Any], name: str, k: int, n: int) -> None:
    """The rates after adjudication, each the exact quotient, inside its interval."""
    rate = released["rates"][name]
    assert (k, n, k / n) == (rate["k"], rate["n"], rate["rate"])
    low, high = rate["ci95"]
    assert 0 < low < k / n < high < 1


def test_intervals(released: dict[str, Any]) -> None:
    """The intervals are those of statsmodels, which takes the quantile in full."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for rate in released["rates"].values():
        expected = proportion.proportion_confint(rate["k"], rate["n"], method="wilson")
        assert rate["ci95"] == pytest.approx(expected, abs=1e-12)


def test_strata(released: dict[str, Any]) -> None:
    """B3 never applies in stratum B and counts as agreement there; the causes agree least."""
    assert released["strata"]["B"]["B3"] == 1.0
    assert (round(released["strata"]["D"]["B7"], 3), round(released["strata"]["F"]["B7"], 3)) == (0.233, 0.227)
    assert released["strata"]["A"]["B1a"] == 43 / 48


def test_causes(released: dict[str, Any]) -> None:
    """The distribution of B7: all four causes, in the order of their counts."""
    expected = {
        "state_inject_misuse": 24,
        "recon_prompt_overfit": 14,
        "unclassified": 11,
        "history_edit_artifact": 3,
    }
    assert list(released["b7"].items()) == list(expected.items())


def test_peer_on_released_labels(labels: Path, released: dict[str, Any]) -> None:
    """Kappa of scikit-learn on the same pairs, for every label that was given more than one value."""
    metrics = pytest.importorskip("sklearn.metrics")
    main_cases = [case for case in read_audit(labels) if case.split == "main"]
    for label in NAMES:
        pairs = [(str(case.rater_a[label]), str(case.rater_b[label])) for case in main_cases]
        both = [pair for pair in pairs if "n.a." not in pair]
        expected = metrics.cohen_kappa_score(*zip(*both, strict=True))
        assert released["labels"][label]["kappa"] == pytest.approx(expected, abs=1e-12)


def test_text(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text is the default: the figures with three decimals, and plain words about the raters."""
    assert main(["audit", str(labels)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "main split: n = 200 (pilot, left out: n = 20)"
    assert "B7      52      0.231  -0.006" in lines
    assert "B3|B1a=0  65   71  0.915  0.828  0.961" in lines
    assert "kappa of the primary labels B1a B1b B3 B4 B5: mean 0.9225, minimum 0.7922" in lines
    assert "raters A and B and the adjudicator of the released labels were automated" in lines[-3]


def test_markdown(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In Markdown every row of a table has as many cells as its head, the bar in a name escaped."""
    assert main(["audit", str(labels), "--format", "md"]) == 0
    out = capsys.readouterr().out
    assert "| B3\\|B1a=0 | 65 | 71 | 0.915 | 0.828 | 0.961 |" in out
    assert "| state_inject_misuse | 24 |" in out
    assert "were automated" in out
    tables = [part.splitlines() for part in out.split("\n\n") if part.startswith("| ")]
    widths = [{row.replace("\\|", "").count("|") for row in table} for table in tables]
    assert [len(found) for found in widths] == [1, 1, 1, 1]


def test_latex(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In LaTeX what has a meaning there is escaped, and all that isn't a table is a comment."""
    assert main(["audit", str(labels), "--format", "latex"]) == 0
    out = capsys.readouterr().out
    assert out.count(r"\begin{tabular}") == out.count(r"\bottomrule") == out.count(r"\end{tabular}") == 4
    assert r"state\_inject\_misuse & 24 \\" in out
    assert r"B3\textbar{}B1a=0 & 65 & 71 & 0.915 & 0.828 & 0.961 \\" in out
    assert r"B7 & 52 & 0.231 & $-$0.006 \\" in out
    outside = [line for line in out.splitlines() if not line.startswith(("%", "\\")) and not line.endswith(r"\\")]
    assert set(outside) == {""}


@pytest.mark.parametrize("style", ["text", "md", "latex"])
def test_hostile_stratum(
    tmp_path: Path, write_lines: Callable[..., Path], capsys: pytest.CaptureFixture[str], style: str
) -> None:
    """A stratum's name stays on its line, whatever it holds."""
    plain, hostile = (
        write_lines(tmp_path / file, [audited(stratum=name)])
        for file, name in (("plain.jsonl", "A"), ("hostile.jsonl", "A\n\x1b[31m\\end{tabular} & | 50% _"))
    )
    main(["audit", str(plain), "--format", style])
    expected = capsys.readouterr().out
    assert main(["audit", str(hostile), "--format", style]) == 0
    out = capsys.readouterr().out
    assert (out.count("\n"), out.count(r"\end{tabular}")) == (
        expected.count("\n"),
        expected.count(r"\end{tabular}") + (style != "latex"),
    )
    assert "\x1b" not in out


def test_other_line_ends(tmp_path: Path, labels: Path, released: dict[str, Any]) -> None:
    """The order of the cases, a byte order mark, other line ends and other fields make no difference."""
    rows = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    path = tmp_path / "other.jsonl"
    lines = [json.dumps({"comment": "new", **row, "adjudication": None}) for row in reversed(rows)]
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*lines, ""]).encode())
    assert released == audit_record(audit_cases(read_audit(path)))


def test_exchanged_raters(tmp_path: Path, labels: Path, write_lines: Callable[..., Path]) -> None:
    """Who is rater A makes no difference to any figure."""
    rows = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    exchanged = [{**row, "rater_a": row["rater_b"], "rater_b": row["rater_a"]} for row in rows]
    path = write_lines(tmp_path / "exchanged.jsonl", exchanged)
    assert audit_cases(read_audit(labels)) == audit_cases(read_audit(path))


@pytest.mark.parametrize("style", ["text", "json", "md", "latex"])
def test_pilot_only(
    tmp_path: Path, write_lines: Callable[..., Path], capsys: pytest.CaptureFixture[str], style: str
) -> None:
    """An empty main split is no fault in any format: counts are 0, and what can't be measured stays empty."""
    path = write_lines(tmp_path / "pilot.jsonl", [audited(split="pilot", final=None)])
    assert main(["audit", str(path), "--format", style]) == 0
    out = capsys.readouterr().out
    if style == "json":
        record = json.loads(out)
        assert record["labels"]["B1a"] == {"n": 0, "agreement": None, "kappa": None}
        assert record["rates"]["B3|B1a=0"] == {"k": 0, "n": 0, "rate": None, "ci95": None}
        assert (record["primary_macro_kappa"], record["primary_min_kappa"], record["strata"]) == (None, None, {})
        assert set(record["b7"].values()) == {0}
    else:
        assert "mean -, minimum -" in out


def test_one_case(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """One case: certain agreement, and no summary of kappa where a primary label (here B3) applies nowhere."""
    audit = audit_cases(read_audit(write_lines(tmp_path / "one.jsonl", [audited()])))
    assert (audit.labels["B1a"].n, audit.labels["B1a"].kappa, audit.labels["B3"].kappa) == (1, 1.0, None)
    assert (audit.primary_macro_kappa, audit.primary_min_kappa) == (None, None)
    assert (audit.rates["B1b"].k, audit.rates["B1b"].n, audit.strata["A"].agreement["B3"]) == (1, 1, 1.0)


def test_held_out_tool(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """B3 is about the cases of miss_func to which it applies, and about those of them without the gold class."""
    finals = [
        ("miss_func", {**STATE, "B1a": 1, "B3": 1}),
        ("miss_func", {**STATE, "B1a": 0, "B3": 1}),
        ("miss_func", {**STATE, "B1a": 0, "B3": 0}),
        ("miss_func", {**STATE, "B1a": 0, "B3": "n.a."}),
        ("base", {**STATE, "B1a": 0, "B3": 1}),
    ]
    rows = [audited(number, category, final=final) for number, (category, final) in enumerate(finals)]
    rates = audit_cases(read_audit(write_lines(tmp_path / "b3.jsonl", rows))).rates
    assert [(rates[name].k, rates[name].n) for name in ("B3", "B3|B1a=0")] == [(2, 3), (1, 2)]


@pytest.mark.parametrize(
    ("changes", "place", "what"),
    [
        ({"split": "test"}, "split", "expected one of main, pilot, found 'test'"),
        ({"split": None}, "split", "expected a string, found null"),
        ({"category": "miss_all"}, "category", "expected one of base, "),
        ({"case_id": 5}, "case_id", "expected a string, found a number"),
        ({"stratum": ["A"]}, "stratum", "expected a string, found a list"),
        ({"rater_a": None}, "rater_a", "expected an object of labels, found null"),
        ({"rater_b": [0, 1]}, "rater_b", "expected an object of labels, found a list"),
        ({"final": None}, "final", "expected an object of labels, found null"),
        ({"split": "pilot", "final": {}}, "final.B1a", "missing"),
        ({"rater_b": {name: STATE[name] for name in NAMES if name != "B4"}}, "rater_b.B4", "missing"),
        ({"rater_a": {**STATE, "B1a": 2}}, "rater_a.B1a", "expected one of 0, 1, n.a., found 2"),
        ({"rater_a": {**STATE, "B1a": True}}, "rater_a.B1a", "expected one of 0, 1, n.a., found a boolean"),
        ({"rater_a": {**STATE, "B1a": 1.0}}, "rater_a.B1a", "expected one of 0, 1, n.a., found 1.0"),
        ({"rater_a": {**STATE, "B1a": "1"}}, "rater_a.B1a", "expected one of 0, 1, n.a., found '1'"),
        ({"rater_a": {**STATE, "B1a": []}}, "rater_a.B1a", "expected one of 0, 1, n.a., found a list"),
        ({"final": {**STATE, "B6": None}}, "final.B6", "expected one of 0, 1, n.a., found null"),
        ({"final": {**STATE, "B7": "luck"}}, "final.B7", "expected one of state_inject_misuse, recon_prompt_overfit, "),
        ({"final": {**STATE, "B7": "x\ny" * 90}}, "final.B7", "expected one of state_inject_misuse, "),
    ],
)
def test_refusals(
    tmp_path: Path,
    write_lines: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, object],
    place: str,
    what: str,
) -> None:
    """A value that can't be is one line with file, line and field, and nothing is printed of the rest."""
    path = write_lines(tmp_path / "labels.jsonl", [audited(0), audited(1, **changes)])
    assert main(["audit", str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"gar: {path}:2: {place}: {what}")
    assert len(err) < 250 + len(str(path))


@pytest.mark.parametrize("field", list(audited()))
def test_missing_fields(tmp_path: Path, write_lines: Callable[..., Path], field: str) -> None:
    """Every field that is read has to be there, the raters above all."""
    record = audited()
    del record[field]
    path = write_lines(tmp_path / "labels.jsonl", [record])
    with pytest.raises(GarError) as refused:
        read_audit(path)
    assert str(refused.value) == f"{path}:1: {field}: missing"


def test_repeated_case(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """A case that stands there twice would count twice; another model's or the pilot's is another case."""
    others = [audited(), audited(model="other"), audited(split="pilot")]
    assert len(read_audit(write_lines(tmp_path / "others.jsonl", others))) == 3
    path = write_lines(tmp_path / "twice.jsonl", [*others, audited()])
    with pytest.raises(GarError) as refused:
        read_audit(path)
    assert str(refused.value) == f"{path}:4: case_id: multi_turn_base_0 of m stands on line 1 too"


def test_no_cases(tmp_path: Path, labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file without a case, no file, a table of something else, and bad usage are one line each."""
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    refusals = {
        (str(empty),): f"{empty}: holds no audited case",
        (str(tmp_path / "no"),): f"{tmp_path / 'no'}: can't be read: No such file or directory",
        (str(tmp_path),): f"{tmp_path}: can't be read: Is a directory",
        (str(labels.with_name("tau2_ask_labels.jsonl")),): "tau2_ask_labels.jsonl:1: split: missing",
        (): "the following arguments are required: FILE (see gar audit --help)",
        (str(labels), "--format", "csv"): "argument --format: invalid choice: 'csv'",
    }
    for arguments, what in refusals.items():
        assert main(["audit", *arguments]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), what in err) == ("", 1, True)

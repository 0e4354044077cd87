"""``gar compare``: its formats, the runs it takes, and its one-line refusals."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from gar_metrics import CATEGORIES, comparison_record, load_runs, mcnemar_exact
from gar_metrics.cli import main
from gar_metrics.comparing import compare_runs
from gar_metrics.export_comparison import SHIFT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RIGHT, FAILED, MASKED, WRONG = (True, True), (True, False), (False, True), (False, False)
BEFORE = {"base": [RIGHT] * 6 + [FAILED] * 6, "miss_func": [MASKED] * 6 + [WRONG] * 6}
AFTER = {"base": [FAILED] + [RIGHT] * 11, "miss_func": [RIGHT] * 6 + [FAILED] * 6}


@pytest.fixture
def folders(tmp_path: Path, write_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run directories ``a`` and ``b``, and ``both`` with two models, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for run, cells in (("a", BEFORE), ("b", AFTER)):
        write_run(tmp_path / run / "result" / "m", cells, scores=tmp_path / run / "score" / "m")
    for model in ("x", "y"):
        write_run(tmp_path / "both" / "result" / model, AFTER, scores=tmp_path / "both" / "score" / model)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """What the command prints when it succeeds."""
    assert main(["compare", *argv]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refusal(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The one line that the command fails with."""
    status = main(["compare", *argv])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err.removeprefix("gar: ").removesuffix("\n")


def test_text(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Shifts with interval and p, outcomes, p by conversation, the first flips, notes."""
    expected = """\
baseline   m, ruleset paper, a/result/m
treatment  m, ruleset paper, b/result/m

category   measure   n  baseline  treatment   shift           95% CI  McNemar p  gained  lost
                             (%)        (%)    (pp)             (pp)
base       Acc      12      50.0       91.7   +41.7    [-1.7, +70.8]     0.1250       6     1
base       GAR      12     100.0      100.0     0.0   [-24.3, +24.3]     1.0000       0     0
miss_func  Acc      12      50.0       50.0     0.0   [-24.3, +24.3]     1.0000       0     0
miss_func  GAR      12       0.0      100.0  +100.0  [+51.5, +100.0]     0.0005      12     0
overall    Acc      24      50.0       70.8   +20.8    [-4.0, +39.8]     0.1250       6     1
overall    GAR      24      50.0      100.0   +50.0   [+22.9, +62.1]     0.0005      12     0

cases by outcome, the treatment's in columns
category   baseline           calibrated_pass  execution_failure  masked_pass  miscalibrated
base       calibrated_pass                  5                  1            0              0
base       execution_failure                6                  0            0              0
base       masked_pass                      0                  0            0              0
base       miscalibrated                    0                  0            0              0
miss_func  calibrated_pass                  0                  0            0              0
miss_func  execution_failure                0                  0            0              0
miss_func  masked_pass                      6                  0            0              0
miss_func  miscalibrated                    0                  6            0              0
overall    calibrated_pass                  5                  1            0              0
overall    execution_failure                6                  0            0              0
overall    masked_pass                      6                  0            0              0
overall    miscalibrated                    0                  6            0              0

overall p by conversation
  Acc 0.1250, GAR 0.0005

flips
  base, Acc, gained 6: multi_turn_base_6, multi_turn_base_7, multi_turn_base_8 and 3 more
  base, Acc, lost 1: multi_turn_base_0
  miss_func, GAR, gained 12: multi_turn_miss_func_0, multi_turn_miss_func_1, multi_turn_miss_func_2 and 9 more

notes
  overall is the mean of 2 of 4 categories: base, miss_func
"""
    assert expected == printed(capsys, "a", "b")


@pytest.mark.parametrize("style", ["text", "md", "latex"])
def test_all_flips(folders: Path, capsys: pytest.CaptureFixture[str], style: str) -> None:
    """--flips lists every case that flipped, of a pair and of a family."""
    ids = ", ".join(f"multi_turn_base_{number}" for number in range(6, 12))
    assert f"base, Acc, gained 6: {ids}\n" in printed(capsys, "a", "b", "--flips", "--format", style)
    assert f"base, Acc, gained 6: {ids}\n" in printed(capsys, "--many", "a", "b", "--flips", "--format", style)
    assert "gained" not in printed(capsys, "--many", "a", "b", "--format", style)


def test_json(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole shape, with the ids of all flips."""
    record = json.loads(printed(capsys, "a", "b", "--format", "json"))
    assert list(record) == ["baseline", "treatment", "categories", "overall", "warnings"]
    assert record["baseline"] == {"model": "m", "folder": "a/result/m", "ruleset": "paper"}
    assert list(record["categories"]) == ["base", "miss_func"]
    for cell in (*record["categories"].values(), record["overall"]):
        assert list(cell) == ["n", "acc", "gar", "transitions"]
    acc = record["categories"]["base"]["acc"]
    assert list(acc) == [
        "baseline", "treatment", "shift_pp", "ci95", "mcnemar_p", "conversation_p", "gained", "lost", "gained_ids",
        "lost_ids",
    ]  # fmt: skip
    assert (acc["baseline"], acc["treatment"], acc["shift_pp"]) == (50.0, 1100 / 12, 500 / 12)
    assert (acc["gained"], acc["lost"], acc["mcnemar_p"]) == (6, 1, mcnemar_exact(6, 1))
    assert (len(acc["gained_ids"]), acc["lost_ids"]) == (6, ["multi_turn_base_0"])
    assert record["categories"]["miss_func"]["transitions"]["masked_pass"]["calibrated_pass"] == 6
    assert record["warnings"] == ["overall is the mean of 2 of 4 categories: base, miss_func"]


def test_json_without_scores(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """What can't be compared is null."""
    write_run(tmp_path, {"base": [RIGHT]})
    (run,) = load_runs([tmp_path])
    record = json.loads(json.dumps(comparison_record(compare_runs(run, run))))
    assert (record["overall"]["acc"], record["overall"]["transitions"]) == (None, None)
    assert record["categories"]["base"]["gar"]["shift_pp"] == 0.0


def test_family_json(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each run as in a pair, the family's sizes, and Holm-adjusted p where the family is."""
    record = json.loads(printed(capsys, "--many", "a", "b", "a", "--format", "json"))
    assert (list(record), record["family"]) == (["baseline", "family", "runs"], {"acc": 2, "gar": 2})
    first, second = record["runs"]
    assert list(first) == ["treatment", "categories", "overall", "warnings"]
    gar = first["overall"]["gar"]
    assert (gar["mcnemar_p_holm"], gar["conversation_p_holm"]) == (2 * mcnemar_exact(12, 0), 2 * mcnemar_exact(12, 0))
    assert second["overall"]["gar"]["mcnemar_p_holm"] == 1.0
    assert "mcnemar_p_holm" not in first["categories"]["base"]["gar"]


def test_csv(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row per run, category and measure, overall included, in the columns named."""
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "--many", "a", "b", "both/result/x", "--format", "csv"))))
    assert tuple(rows[0]) == SHIFT_FIELDS
    keys = [(row["treatment_folder"], row["category"], row["measure"]) for row in rows]
    expected = [
        (folder, category, measure)
        for folder in ("b/result/m", "both/result/x")
        for category in ("base", "miss_func", "overall")
        for measure in ("acc", "gar")
    ]
    assert expected == keys
    assert (rows[0]["lost_ids"], rows[0]["gained"], rows[0]["mcnemar_p_holm"]) == ("multi_turn_base_0", "6", "")
    assert float(rows[5]["mcnemar_p_holm"]) == 2 * mcnemar_exact(12, 0)


def test_family_text(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each run, then for each category, with the family stated."""
    lines = printed(capsys, "--many", "a", "b", "both/result/x").splitlines()
    assert lines[:2] == [
        "baseline  m, ruleset paper, a/result/m",
        "family    overall tests of 2 runs for Acc, 2 runs for GAR; p of single categories are not adjusted",
    ]
    assert [line.split() for line in lines[3:]][2:5] == [
        ["m", "(b/result/m)", "overall", "24", "50.0", "70.8", "+20.8", "0.1250", "0.2500", "50.0", "100.0", "+50.0",
         "0.0005", "0.0010"],
        ["x", "overall", "24", "50.0", "70.8", "+20.8", "0.1250", "0.2500", "50.0", "100.0", "+50.0", "0.0005",
         "0.0010"],
        ["m", "(b/result/m)", "base", "12", "50.0", "91.7", "+41.7", "0.1250", "-", "100.0", "100.0", "0.0", "1.0000",
         "-"],
    ]  # fmt: skip
    assert "  x: Acc 0.2500, GAR 0.0010" in lines


def test_tables_for_documents(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Markdown has pipe tables, LaTeX booktabs with everything special escaped and the rest in comments."""
    markdown = printed(capsys, "a", "b", "--format", "md").splitlines()
    assert "| base | Acc | 12 | 50.0 | 91.7 | +41.7 | [-1.7, +70.8] | 0.1250 | 6 | 1 |" in markdown
    latex = printed(capsys, "a", "b", "--format", "latex").splitlines()
    assert r"miss\_func & GAR & 12 & 0.0 & 100.0 & +100.0 & [+51.5, +100.0] & 0.0005 & 12 & 0 \\" in latex
    outside = [line for line in latex if line and not line.startswith(("%", "\\"))]
    assert all(line.endswith(r" \\") for line in outside)
    assert [line for line in latex if line.startswith("\\begin")] == [
        r"\begin{tabular}{llrrrrrrrr}", r"\begin{tabular}{llrrrr}",
    ]  # fmt: skip


def test_small_p_and_hostile_name(
    tmp_path: Path, write_run: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A tiny p isn't printed as 0, and a folder's name can't end a comment, a cell or a line."""
    before = write_run(tmp_path / "a|b\n\\end{tabular}%", {"miss_func": [WRONG] * 40})
    after = write_run(tmp_path / "after", {"miss_func": [FAILED] * 40})
    for style in ("text", "md", "latex"):
        out = printed(capsys, str(before), str(after), "--format", style)
        assert "<0.0001" in out or r"\textless{}0.0001" in out
        assert "b\\n" in out
        assert "\n\\end{tabular}%" not in out
    many = printed(capsys, "--many", str(after), str(before), "--format", "latex")
    assert r"a\textbar{}b\textbackslash{}n\textbackslash{}end\{tabular\}\% & overall" in many
    assert "| a\\|b\\n\\end{tabular}% | overall |" in printed(
        capsys, "--many", str(after), str(before), "--format", "md"
    )


def test_choice_of_model(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A path with several models needs --model, which takes the model's or its folder's name."""
    found = "x (both/result/x), y (both/result/y)"
    expected = f"both: leads to 2 runs, name one of them, by its folder or with --model: {found}"
    assert expected == refusal(capsys, "both", "both")
    assert refusal(capsys, "a", "both", "--model", "m") == "both: no run of model 'm'; found: x, y"
    assert printed(capsys, "both", "both", "--model", "x").startswith("baseline   x, ruleset paper, both/result/x\n")
    (folders / "both" / "run.json").write_text(json.dumps({"model": "org/x", "model_dir": "x"}))
    for name in ("org/x", "x"):
        assert printed(capsys, "both", "both/result/x", "--model", name).startswith("baseline   org/x, ")


def test_gold_turns(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With an index of gold turns there is a third measure, named in every format."""
    turns = {f"multi_turn_{category}_{number}": 0 for category in BEFORE for number in range(12)}
    (folders / "turns.json").write_text(json.dumps(turns))
    arguments = ("a", "b", "--gold-turns", "turns.json")
    shift = json.loads(printed(capsys, *arguments, "--format", "json"))["overall"]["gold_turn_gar"]
    assert (shift["baseline"], shift["treatment"], shift["gained"]) == (50.0, 100.0, 12)
    assert "overall    gold-turn GAR  24      50.0      100.0" in printed(capsys, *arguments)
    assert "gold-turn GAR base" in printed(capsys, "--many", *arguments)


def test_refusals(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bad usage and bad input are one line each, with status 2."""
    two = "compare takes two paths, a baseline and a treatment"
    assert refusal(capsys) == f"{two}, none is given (--many takes more)"
    assert refusal(capsys, "a") == f"{two}, 1 is given (--many takes more)"
    assert refusal(capsys, "a", "b", "a") == f"{two}, 3 are given (--many takes more)"
    assert refusal(capsys, "--many", "a") == "--many takes a baseline and at least one run, 1 is given"
    assert refusal(capsys, "a", "") == "PATH: an empty path names nothing; the working directory is ."
    assert refusal(capsys, "a", "nowhere") == "nowhere: no such file or folder"
    assert refusal(capsys, "a", "b", "--format", "json", "--flips") == (
        "--flips is for people's formats: json lists every flipped case anyway"
    )
    assert refusal(capsys, "a", "b", "--format", "html").endswith("(see gar compare --help)")
    file_name = "result/m/BFCL_v4_multi_turn_{}_result.json"
    one, other = f"a/{file_name.format('base')}", f"b/{file_name.format('miss_func')}"
    assert refusal(capsys, one, other) == "b/result/m: shares no case with the baseline, a/result/m"
    (folders / "b" / file_name.format("base")).write_text("[]\n")
    assert refusal(capsys, "a", "b").startswith(f"b/{file_name.format('base')}:1: ")


def test_gpt_oss_against_xlam(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs of two harnesses: GAR of every category as in their tables, and what each lacks is noted."""
    runs = shared_data / "bfcl_runs"
    model = runs / "xlam-llama-v3" / "result" / "Salesforce_Llama-xLAM-2-8b-fc-r"
    record = json.loads(printed(capsys, str(runs / "gpt-oss-20b-v4"), str(model), "--format", "json"))
    gars = {category: cell["gar"] for category, cell in record["categories"].items()}
    assert {category: (gar["baseline"], gar["treatment"]) for category, gar in gars.items()} == {
        "base": (97.5, 100.0),
        "miss_func": (0.0, 11.0),
        "miss_param": (0.0, 20.5),
    }
    assert record["overall"]["acc"]["shift_pp"] == pytest.approx(65.1667 - 43.3333, abs=1e-3)
    noted = [warning for warning in record["warnings"] if warning.startswith("baseline, ")]
    assert [category for category in CATEGORIES if any(f"{category}: no text" in note for note in noted)] == [
        "base", "miss_func", "miss_param",
    ]  # fmt: skip

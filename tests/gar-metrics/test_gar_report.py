"""The report as a file: complete, inert, the same each time; its command and its refusals."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import itertools
import json
import os
import re
import stat
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gar_metrics import load_runs, render_report
from gar_metrics.cli import main
from gar_metrics.report import charts

if TYPE_CHECKING:
    from collections.abc import Callable

CELLS = {"base": [(True, True), (True, False)], "miss_func": [(False, True), (True, True), (False, False)]}
HOSTILE = "</script><img src=x onerror=alert(1)>{{ 7*7 }}"


@pytest.fixture
def run_folder(tmp_path: Path, write_run: Callable[..., Path]) -> Path:
    """A scored run directory with two categories."""
    write_run(tmp_path / "run" / "result" / "m", CELLS, scores=tmp_path / "run" / "score" / "m")
    return tmp_path / "run"


class _Outline(HTMLParser):
    """Tags with their attributes, and the text of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.blocks: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag if tag in self.blocks else ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.blocks[self._inside].append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def document(page: str) -> dict[str, list[list[object]]]:
    """The data that the page carries."""
    found = re.search(r'id="packed-cases">([^<]*)<', page)
    assert found
    data: dict[str, list[list[object]]] = json.loads(gzip.decompress(base64.b64decode(found[1])))
    return data


def refusal(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """The one line that the command fails with."""
    status = main([str(argument) for argument in argv])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err.removeprefix("gar: ").removesuffix("\n")


def test_nothing_is_loaded(run_folder: Path) -> None:
    """No address but anchors of the page itself, no inline handler or style; one policy that names every block."""
    outline = _Outline(render_report(load_runs([run_folder])))
    attributes = [(name, value or "") for _, found in outline.tags for name, value in found.items()]
    assert [value for name, value in attributes if name in {"src", "href", "action"} and value[0] != "#"] == []
    assert [name for name, _ in attributes if name == "style" or name.startswith("on")] == []
    (policy,) = (tag["content"] or "" for tag in outline.all("meta") if "http-equiv" in tag)
    assert policy.startswith("default-src 'none'; ")
    scripts = outline.blocks["script"][1:]  # the first holds data
    for kind, blocks in (("script", scripts), ("style", outline.blocks["style"])):
        digests = [base64.b64encode(hashlib.sha256(block.encode()).digest()).decode() for block in blocks]
        hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
        assert f"{kind}-src {hashes};" in policy
    assert not [block for block in scripts if re.search(r"innerHTML|insertAdjacentHTML|eval\(|document\.write", block)]


def test_landmarks(run_folder: Path) -> None:
    """One h1, a caption for every table, a name for every chart and every control."""
    outline = _Outline(render_report(load_runs([run_folder])))
    assert [len(outline.all(tag)) for tag in ("h1", "main", "header", "footer", "nav")] == [1] * 5
    assert len(outline.all("caption")) == len(outline.all("table")) >= 2
    ids = {attributes["id"] for _, attributes in outline.tags if "id" in attributes}
    references = [attributes["aria-labelledby"] for _, attributes in outline.tags if "aria-labelledby" in attributes]
    assert set(references) <= ids
    assert all("aria-labelledby" in svg or svg.get("aria-hidden") == "true" for svg in outline.all("svg"))


def test_same_runs_same_page(run_folder: Path) -> None:
    """No time, no random name: a report can be kept under version control."""
    runs = load_runs([run_folder])
    assert render_report(runs) == render_report(load_runs([run_folder]))


def test_cases_in_the_page(run_folder: Path) -> None:
    """Every case is there with its outcome, its classes and its turns."""
    data = document(render_report(load_runs([run_folder])))
    assert (data["runs"], [cell[:2] for cell in data["cells"]]) == (["m"], [[0, "base"], [0, "miss_func"]])
    assert [data["outcomes"][int(str(case[3]))] for case in data["cases"]] == [
        "calibrated_pass",
        "execution_failure",
        "masked_pass",
        "calibrated_pass",
        "miscalibrated",
    ]
    assert [case[2] for case in data["cases"]] == [1, 2, 1, 2, 3]


def test_figures_are_those_of_the_table(run_folder: Path) -> None:
    """The page's sentences and table say what the runs' cells say."""
    page = render_report(load_runs([run_folder]))
    assert "Of 3 passes, 1 (33.3%) are masked" in page
    assert "Of 3 cases with the right kind of action, 1 (33.3%) failed all the same" in page
    assert re.search(r'miss_func</th>.*REFUSE.*\n<td class="num strong">33.3</td><td class="num faint">6.1–79.2', page)
    assert '<a href="#cases?run=0&amp;category=miss_func&amp;outcome=masked_pass">1</a>' in page


def test_what_was_not_measured(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """Rates of a category whose texts weren't recorded are marked, and a note says what they are bounds of."""
    calls = [{"id": "multi_turn_miss_func_0", "result": [[[{"ls": "{}"}]]]}]
    write_lines(tmp_path / "result" / "m" / "BFCL_v4_multi_turn_miss_func_result.json", calls)
    head = {"accuracy": 1.0, "correct_count": 1, "total_count": 1}
    write_lines(tmp_path / "score" / "m" / "BFCL_v4_multi_turn_miss_func_score.json", [head])
    page = render_report(load_runs([tmp_path]))
    assert '<td class="num strong">0.0†</td>' in page
    assert '<td class="num">100.0†</td>' in page
    assert page.count("† No text was read that could show a question or a refusal") == 1


def test_what_was_measured(run_folder: Path) -> None:
    """Without such a category there is neither mark nor note."""
    assert "†" not in render_report(load_runs([run_folder]))


def test_hostile_texts_are_escaped(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """A model's name that holds markup, and the folder named after it, are text in the page."""
    folder = write_run(tmp_path / "run" / "result" / "m", CELLS, scores=tmp_path / "run" / "score" / "m")
    (tmp_path / "run" / "run.json").write_text(json.dumps({"model": HOSTILE, "model_dir": "m"}))
    page = render_report(load_runs([folder]))
    assert HOSTILE not in page
    assert html.escape(HOSTILE) in page
    assert _Outline(page).all("img") == []


def test_unscored(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Without score files there is GAR, no scatter, and no outcome; the report says so."""
    page = render_report(load_runs([write_run(tmp_path / "m", CELLS)]))
    assert "No score file settles which cases passed" in page
    assert 'id="scatter"' not in page
    assert page.count("not known without a score file that fits") == 2


def test_comparison(tmp_path: Path, write_run: Callable[..., Path]) -> None:
    """Runs after the first that share cases with it are compared; with several, p is adjusted; flips lead to cases."""
    better = {"base": [(True, True), (True, True)]}
    apart = {"miss_param": [(True, True)]}
    folders = [
        write_run(tmp_path / name / "result" / name, cells, scores=tmp_path / name / "score" / name)
        for name, cells in {"first": CELLS, "second": better, "apart": apart, "third": CELLS}.items()
    ]
    page = render_report(load_runs(folders))
    section = page[page.index('id="comparison"') : page.index('id="cases"')]
    assert re.findall(r"Shift from first to (\w+)<", section) == ["second", "third"]
    assert "Holm" in section
    assert '<a href="#cases?case=1/multi_turn_base_1">1</a>' in section
    alone = render_report(load_runs([folders[0], folders[2]]))
    assert 'id="comparison"' not in alone


def test_series_differ() -> None:
    """64 runs have a look of their own, and neighbours differ in colour and in shape."""
    looks = [charts.series(run) for run in range(64)]
    assert len(set(looks)) == 64
    assert all(a.colour != b.colour and a.shape != b.shape for a, b in itertools.pairwise(looks))


def test_chart_geometry(run_folder: Path) -> None:
    """Points, bars and mosaic stand where the rates say."""
    (run,) = load_runs([run_folder])
    base, miss_func = charts.scatters([run])
    assert [(p.x, p.y) for p in (base.points[0], miss_func.points[0])] == [
        (200, 100),
        (200 / 3, pytest.approx(200 / 3)),
    ]
    (row,) = charts.bar_charts([run])[0].rows
    assert [bar.width for bar in row.bars] == [300, 150]
    columns = charts.mosaic(run)
    assert sum(column.width for column in columns) == charts.MOSAIC_WIDTH - charts.GAP
    for column in columns:
        assert sum(segment.height for segment in column.segments) == pytest.approx(charts.MOSAIC_HEIGHT)
        assert sum(segment.count for segment in column.segments) == column.n


def test_command(run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """-o writes the file whole in the place of what is there, keeping its mode; without it the page is printed."""
    target = tmp_path / "report.html"
    target.write_text("old")
    target.chmod(0o640)
    assert main(["report", str(run_folder), "-o", str(target)]) == 0
    assert capsys.readouterr() == ("", "")
    page = target.read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert main(["report", str(run_folder), "-o", "-"]) == 0
    assert capsys.readouterr().out == page


def test_new_file_and_links(run_folder: Path, tmp_path: Path) -> None:
    """A new file has the usual mode; where a link stands, the file that it leads to is replaced."""
    main(["report", str(run_folder), "-o", str(tmp_path / "real.html")])
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "real.html").stat().st_mode) == 0o666 & ~mask
    (tmp_path / "link.html").symlink_to("real.html")
    (tmp_path / "real.html").write_text("old")
    main(["report", str(run_folder), "-o", str(tmp_path / "link.html")])
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_text(encoding="utf-8").endswith("</html>\n")


def test_device(run_folder: Path) -> None:
    """A device is written to, not replaced."""
    assert main(["report", str(run_folder), "--format", "md", "-o", os.devnull]) == 0
    assert not Path(os.devnull).is_file()


def test_tables_for_papers(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The formats for papers print the tables alone."""
    assert main(["report", str(run_folder), "--format", "md"]) == 0
    assert "| m | paper | miss_func | REFUSE | 3 |" in capsys.readouterr().out
    assert main(["report", str(run_folder), "--format", "latex"]) == 0
    assert r"\begin{tabular}" in capsys.readouterr().out


def test_refusals(run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What can't be read or written ends with one line and status 2, and leaves what was there."""
    missing = tmp_path / "no" / "report.html"
    assert (
        refusal(capsys, "report", run_folder, "-o", missing)
        == f"{missing}: can't be written: No such file or directory"
    )
    assert refusal(capsys, "report", run_folder, "-o", tmp_path).startswith(f"{tmp_path}: can't be written: ")
    assert refusal(capsys, "report", tmp_path / "none").endswith("none: no such file or folder")
    assert "invalid choice: 'pdf'" in refusal(capsys, "report", run_folder, "--format", "pdf")
    kept = tmp_path / "kept.html"
    kept.write_text("kept")
    assert refusal(capsys, "report", run_folder / "score", "-o", kept)
    assert kept.read_text() == "kept"


@pytest.mark.parametrize(
    ("module", "command", "extra"),
    [("jinja2", ["report", "RUN"], "report"), ("matplotlib", ["plot", "RUN", "-o", "x.svg"], "plot")],
)
def test_missing_extra(run_folder: Path, module: str, command: list[str], extra: str, tmp_path: Path) -> None:
    """Without the extra the command names it in one line."""
    (tmp_path / f"{module}.py").write_text(f"raise ModuleNotFoundError({module!r}, name={module!r})\n")
    done = subprocess.run(
        [sys.executable, "-m", "gar_metrics", *(str(run_folder) if part == "RUN" else part for part in command)],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.endswith(f"pip install 'gar-metrics[{extra}]'\n")


def test_real_runs(shared_data: Path) -> None:
    """Every real run makes a page: v3 and v4 logs, no logs, error rows, no scores."""
    data = document(render_report(load_runs([shared_data / "bfcl_runs"])))
    assert len(data["cases"]) == sum(cell.n for run in load_runs([shared_data / "bfcl_runs"]) for cell in run.cells)
    kinds = {data["texts"][int(str(case[9][0]))] for case in data["cases"] if isinstance(case[9], list)}
    assert {"instance_state_mismatch", "execution_response_mismatch", "force_terminated", "inference_error"} <= {
        str(kind) for kind in kinds
    }

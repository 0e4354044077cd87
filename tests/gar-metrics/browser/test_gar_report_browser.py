"""The report in a real browser: charts, filters, an open case, links, and nothing hostile runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

# What would run if any of these texts became markup, wherever it is put.
CANARY = "window.canary=1;alert(1)"
HOSTILE = (
    f"</script><script>{CANARY}</script>"
    f'<img src=x onerror="{CANARY}">'
    f'<svg onload={CANARY}><a href="javascript:{CANARY}">x</a>'
    f"\"'><style>*{{display:none}}</style><!-- \u2028 ]]> {{{{ 7*7 }}}} ${{{CANARY}}}"
)


def count(page: Page) -> str:
    """How many cases the page says are listed."""
    return page.inner_text("#cases-count")


def test_charts(opened: Callable[..., object], real_report: Path, keep_screenshot: Callable[..., None]) -> None:
    """Scatter, bars and mosaic are drawn, each mark within its chart, each chart with a name."""
    with opened(real_report) as report:
        for kind, number in (("scatter", 3), ("bars", 3), ("mosaic", 2)):
            charts = report.page.locator(f"svg.{kind}")
            assert charts.count() == number
            for place in range(number):
                box = charts.nth(place).bounding_box()
                assert box["width"] > 150
                assert box["height"] > 60
        assert report.page.locator("svg.scatter .mark").count() == 6
        assert report.page.locator("svg.bars rect.gar, svg.bars rect.acc").count() == 12
        keep_screenshot(report.page, "light")


def test_filter_and_open(
    opened: Callable[..., object], real_report: Path, keep_screenshot: Callable[..., None]
) -> None:
    """Filters narrow the list to what the run's cells count; a case opens with turns, class, cue, results, verdict."""
    with opened(real_report) as report:
        page = report.page
        assert count(page) == "1,200 cases of 1,200"
        page.select_option("#filter-run", label="Salesforce_Llama-xLAM-2-8b-fc-r")
        page.select_option("#filter-category", "miss_param")
        page.select_option("#filter-outcome", "masked_pass")
        assert count(page) == "99 cases of 1,200"
        page.select_option("#filter-outcome", "calibrated_pass")
        page.select_option("#filter-class", "ASK")
        assert count(page) == "30 cases of 1,200"
        page.locator("#case-list button").first.click()
        case = page.locator("#case")
        assert "Passed: calibrated pass" in case.inner_text()
        asked = case.locator("li.step", has=page.locator(".c-ask")).first
        assert asked.locator("mark").inner_text().lower() in asked.locator(".head").inner_text()
        assert case.locator(".user").count() >= 2
        assert case.locator(".result").count() >= 1
        page.click("button[type=reset]")
        page.locator("#cases-count", has_text="1,200 cases of").wait_for()
        page.select_option("#filter-outcome", "execution_failure")
        page.locator("#case-list button").first.click()
        assert "Failed: execution failure" in case.inner_text()
        assert case.locator("details summary").first.inner_text() == "What the grader compared"
        keep_screenshot(page, "case")


def test_search(opened: Callable[..., object], real_report: Path) -> None:
    """The text is looked for in ids and in all that was said, without regard to case; none found is said."""
    with opened(real_report) as report:
        page = report.page
        page.fill("#filter-text", "MULTI_TURN_BASE_7")
        assert count(page) == "22 cases of 1,200"  # 7 and 70 to 79, twice
        page.fill("#filter-text", "no such text anywhere")
        assert count(page) == "0 cases of 1,200"
        assert page.locator("#case-list li").count() == 0
        page.fill("#filter-text", "final_report.pdf")
        page.locator("#case-list button").first.click()
        assert "final_report.pdf" in page.locator("#case").inner_text()


def test_pages(opened: Callable[..., object], real_report: Path) -> None:
    """A page of the list is in the document at a time, and the buttons lead to all of them."""
    with opened(real_report) as report:
        page = report.page
        assert page.locator("#case-list button").count() == 100
        assert page.locator("#page-back").is_disabled()
        for _ in range(11):
            page.click("#page-on")
        assert page.inner_text("#page-place") == "1101–1200"
        assert page.locator("#page-on").is_disabled()


def test_links_to_cases(opened: Callable[..., object], real_report: Path) -> None:
    """A number in the table of outcomes chooses its cases; the address of an open case opens it again."""
    with opened(real_report) as report:
        page = report.page
        page.click('a[href="#cases?run=1&category=miss_func&outcome=masked_pass"]')
        page.locator("#cases-count", has_text="11 cases of").wait_for()
        page.locator("#case-list button").nth(2).click()
        title, address = page.inner_text("#case-title"), page.evaluate("location.hash")
        page.evaluate("location.hash = ''")
        page.reload()
        page.evaluate(f"location.hash = {json.dumps(address)}")
        page.locator("#cases-count", has_text="11 cases of").wait_for()
        assert page.inner_text("#case-title") == title
        del report.requests[1:]  # the reload


def test_comparison(opened: Callable[..., object], real_report: Path) -> None:
    """The flipped cases of the comparison lead to the cases."""
    with opened(real_report) as report:
        page = report.page
        page.click("#comparison summary")
        link = page.locator("#comparison .ids a").first
        case_id = link.get_attribute("href").partition("/")[2]
        link.click()
        page.locator("#case-title", has_text=case_id).wait_for()


def test_probed_run(opened: Callable[..., object], probed_report: Path, keep_screenshot: Callable[..., None]) -> None:
    """A run of bfcl-runner shows what its probes did, turn by turn, and where the gold turn is."""
    with opened(probed_report) as report:
        page = report.page
        page.fill("#filter-text", "sri_halt_candidate")
        page.select_option("#filter-category", "miss_param")
        assert count(page).startswith("12 cases")
        page.locator("#case-list button").first.click()
        page.locator("#case .turn details summary").first.click()
        assert "sri_start_turn (v1, active)" in page.locator("#case .turn details").first.inner_text()
        assert page.locator("#case .turn.gold h4").inner_text().startswith("Turn ")
        keep_screenshot(page, "probed")


@pytest.fixture
def hostile_run(tmp_path: Path, write_lines: Callable[..., Path]) -> Path:
    """A run in which every text that a model, a tool, a grader or a probe writes is an attack."""
    step = [{"role": "tool", "content": HOSTILE}, {"role": "handler_log", "content": HOSTILE, "error": HOSTILE}]
    emissions = [HOSTILE, [{HOSTILE: json.dumps({HOSTILE: HOSTILE})}], f"{HOSTILE} Which one?", [HOSTILE]]
    log = {"begin_of_turn_query": [{"role": "user", "content": HOSTILE}], **{f"step_{n}": step for n in range(4)}}
    name = "<img src=x onerror=canary=1>"
    rows = [{"id": f"multi_turn_miss_param_{n}", "result": [emissions], "inference_log": [log]} for n in range(3)]
    rows.append({"id": "multi_turn_miss_param_3", "result": HOSTILE})
    error = {"error_type": HOSTILE, "error_message": HOSTILE, "details": {HOSTILE: HOSTILE}}
    head = {"accuracy": 0.5, "correct_count": 2, "total_count": 4}
    failing = [{"id": f"multi_turn_miss_param_{n}", "error": error} for n in (0, 3)]
    run = tmp_path / "run"
    write_lines(run / "result" / name / "BFCL_v4_multi_turn_miss_param_result.json", rows)
    write_lines(run / "score" / name / "BFCL_v4_multi_turn_miss_param_score.json", [head, *failing])
    event = {
        "case_id": "multi_turn_miss_param_0",
        "turn_idx": 0,
        "event": HOSTILE,
        "variant": HOSTILE,
        HOSTILE: HOSTILE,
    }
    write_lines(run / "sri_event_log.jsonl", [event])
    write_lines(run / "run.json", [{"model": HOSTILE, "model_dir": name}])
    return run


def test_hostile_texts_are_inert(
    opened: Callable[..., object], hostile_run: Path, tmp_path: Path, written: Callable[..., Path]
) -> None:
    """Nothing of them runs, loads or becomes an element, whichever case is open; they are there to be read."""
    with opened(written(tmp_path, hostile_run)) as report:
        page = report.page
        for place in range(4):
            page.locator("#case-list button").nth(place).click()
            for summary in page.locator("#case summary").all():
                summary.click()
            assert CANARY in page.locator("#case").inner_text()
        page.fill("#filter-text", HOSTILE)
        page.wait_for_timeout(100)
        assert page.evaluate("typeof window.canary") == "undefined"
        assert page.locator("img, iframe, object, embed, svg[onload], a[href^=javascript]").count() == 0
        assert page.locator("script").count() == 5
        assert page.locator("style").count() == 3
        assert page.locator("h1").is_visible()


def test_wide_texts_do_not_widen_the_page(
    opened: Callable[..., object], tmp_path: Path, write_lines: Callable[..., Path], written: Callable[..., Path]
) -> None:
    """Neither a pile of accents, which no line break can divide, nor a name without a space makes the page scroll."""
    piled = "z" + "\u0301\u0327\u0489" * 400
    run = tmp_path / "run"
    rows = [{"id": "multi_turn_miss_func_0", "result": [[f"{piled} I cannot.", "W" * 3000]]}]
    write_lines(run / "result" / "m" / "BFCL_v4_multi_turn_miss_func_result.json", rows)
    write_lines(run / "run.json", [{"model": "</W>" * 100, "model_dir": "m"}])
    for width in (1280, 380):
        with opened(written(tmp_path, run), viewport={"width": width, "height": 800}) as report:
            report.page.locator("#case-list button").first.click()
            assert report.page.locator("#case mark").inner_text() == "cannot"
            assert report.page.evaluate("document.documentElement.scrollWidth") == width


def test_markup_cannot_be_made(
    opened: Callable[..., object], hostile_run: Path, tmp_path: Path, written: Callable[..., Path]
) -> None:
    """Even a slip in the page's own scripts would not parse a text as markup, nor run an inline script."""
    with opened(written(tmp_path, hostile_run)) as report:
        assert report.page.evaluate(MADE_MARKUP) == "TypeError"
        assert report.page.evaluate(MADE_SCRIPT) == "undefined"
        report.messages.clear()  # the browser reports both attempts


MADE_MARKUP = """() => {
  try { document.body.innerHTML = "<b>x</b>"; return "made"; } catch (error) { return error.name; }
}"""
MADE_SCRIPT = """() => {
  try {
    const made = document.createElement("script");
    made.append("window.canary = 1");
    document.body.append(made);
  } catch { return typeof window.canary; }
  return typeof window.canary;
}"""


def test_without_scripts(browser: Browser, real_report: Path) -> None:
    """Without JavaScript everything but the cases is there, and the page says so."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(real_report.as_uri())
    assert page.locator("svg.chart").count() == 8
    assert "needs JavaScript" in page.locator("#cases").inner_text()
    context.close()


def test_five_thousand_cases(
    opened: Callable[..., object], tmp_path: Path, write_lines: Callable[..., Path], written: Callable[..., Path]
) -> None:
    """5,000 cases with texts of their own: choosing among them takes less than 300 ms (an agreed figure)."""
    words = [f"word{number}" for number in range(400)]
    for run in range(25):
        rows = []
        for case in range(200):
            texts = [f"{' '.join(words[(case + run * k) % 400] for k in range(60))} {run}-{case}-{t}" for t in range(8)]
            turn = [[{"mv": json.dumps({"source": text[:40]})}] if t % 2 else text for t, text in enumerate(texts)]
            step = [{"role": "tool", "content": f"result {texts[0][::-1]}"}]
            log = {"begin_of_turn_query": [{"role": "user", "content": texts[1]}], "step_0": step, "step_1": step}
            rows.append({"id": f"multi_turn_base_{case}", "result": [turn, turn[:2]], "inference_log": [log, log]})
        write_lines(tmp_path / f"model{run}" / "BFCL_v4_multi_turn_base_result.json", rows)
    with opened(written(tmp_path, *sorted(tmp_path.glob("model*")))) as report:
        assert count(report.page) == "5,000 cases of 5,000"
        for name, value in (("text", "word7 "), ("text", "zzz"), ("category", "base"), ("class", "ASK")):
            assert report.page.evaluate(FASTEST, [f"filter-{name}", value]) < 300


FASTEST = """([id, value]) => {
  const input = document.getElementById(id);
  const once = () => {
    input.value = "";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    const start = performance.now();
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    return performance.now() - start;
  };
  return Math.min(once(), once(), once());
}"""


def test_long_texts(
    opened: Callable[..., object], tmp_path: Path, write_lines: Callable[..., Path], written: Callable[..., Path]
) -> None:
    """What a text lacks is said where it stands, and so is a cue that lies in what it lacks."""
    long = "🙂" * 4000 + "I cannot do that."
    rows = [{"id": "multi_turn_miss_func_0", "result": [[f"🙂 I cannot. {long}", long]]}]
    write_lines(tmp_path / "m" / "BFCL_v4_multi_turn_miss_func_result.json", rows)
    with opened(written(tmp_path, tmp_path / "m")) as report:
        report.page.locator("#case-list button").first.click()
        early, late = report.page.locator("#case li.step").all()
        assert early.locator("mark").inner_text() == "cannot"
        assert early.locator(".cut").inner_text() == " … 29 more characters, cut"
        assert late.locator("mark").count() == 0
        assert late.locator(".cut").inner_text() == " … 17 more characters, cut"
        assert late.locator(".head").inner_text().endswith("“cannot” (in the part that is cut)")

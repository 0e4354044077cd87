"""The report for everybody: by keyboard, in light and dark, for screen readers, on paper, on a telephone."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

NARROW = {"width": 390, "height": 844}


def test_keyboard(opened: Callable[..., object], real_report: Path) -> None:
    """Tab reaches the skip link, the filters and the list; arrows move in it, Enter opens, Escape leads back."""
    with opened(real_report) as report:
        page = report.page
        focused = "document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
        page.keyboard.press("Tab")
        assert page.evaluate(focused) == "skip"
        page.focus("#filter-run")
        reached = []
        for _ in range(6):
            page.keyboard.press("Tab")
            reached.append(page.evaluate(focused))
        assert reached == ["filter-category", "filter-outcome", "filter-class", "filter-text", "BUTTON", "BUTTON"]
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.evaluate(focused) == "case-title"
        assert page.inner_text("#case-title") == "multi_turn_base_1"
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.getAttribute('aria-current')") == "true"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(
    opened: Callable[..., object], real_report: Path, scheme: str, keep_screenshot: Callable[..., None]
) -> None:
    """In both schemes all text has at least 4.5 times the luminance of its ground, or the other way round (WCAG AA)."""
    with opened(real_report, color_scheme=scheme) as report:
        report.page.locator("#case-list button").first.click()
        assert report.page.evaluate(CONTRASTS) == []
        keep_screenshot(report.page, scheme)


CONTRASTS = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const node of document.querySelectorAll("body *:not(script):not(style):not(noscript):not(svg):not(svg *)")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!own || !node.checkVisibility() || node.disabled) continue;
    const [a, b] = [light(parts(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) faint.push(`${node.tagName}.${node.className}: ${contrast.toFixed(2)}`);
  }
  return [...new Set(faint)];
}"""


def test_accessibility(opened: Callable[..., object], real_report: Path) -> None:
    """Every control and chart has a name, headings skip no level, tables have captions and heads, ids are unique."""
    with opened(real_report) as report:
        page = report.page
        page.locator("#case-list button").first.click()
        assert page.evaluate(NAMELESS) == []
        levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))")
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))
        assert page.evaluate("[...document.querySelectorAll('table')].every((t) => t.caption && t.tHead)")
        assert page.evaluate("document.documentElement.lang") == "en"
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map((node) => node.id)")
        assert len(ids) == len(set(ids))
        assert page.locator("div[onclick], span[onclick], [role=button]:not(button)").count() == 0


NAMELESS = """() => [...document.querySelectorAll("a, button, select, input, summary, [role=img], [role=region]")]
  .filter((node) => {
    const ids = (node.getAttribute("aria-labelledby") ?? "").split(" ");
    const named = ids.map((id) => document.getElementById(id)?.textContent);
    const labels = [...(node.labels ?? [])].map((label) => label.textContent);
    return ![node.getAttribute("aria-label"), ...named, ...labels, node.textContent].some((name) => name?.trim());
  }).map((node) => node.outerHTML.slice(0, 80))"""


def test_print(opened: Callable[..., object], real_report: Path, keep_screenshot: Callable[..., None]) -> None:
    """On paper the list and the filters go, the tables and the open case stay, on white."""
    with opened(real_report, color_scheme="dark") as report:
        page = report.page
        page.emulate_media(media="print", color_scheme="dark")
        assert not page.locator("#cases").is_visible()
        page.emulate_media(media="screen", color_scheme="dark")
        page.locator("#case-list button").first.click()
        page.emulate_media(media="print", color_scheme="dark")
        shown = [page.locator(what).first.is_visible() for what in ("#case", "table.rates", ".list", ".filters", "nav")]
        assert shown == [True, True, False, False, False]
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        keep_screenshot(page, "print")


def test_narrow(opened: Callable[..., object], real_report: Path, keep_screenshot: Callable[..., None]) -> None:
    """On a telephone nothing but the wide tables scrolls sideways."""
    with opened(real_report, viewport=NARROW) as report:
        report.page.locator("#case-list button").first.click()
        assert report.page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        keep_screenshot(report.page, "narrow")

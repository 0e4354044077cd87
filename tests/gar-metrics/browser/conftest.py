"""Headless Chromium, reports of real runs to open in it, and a watch over all that a page says and asks for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gar_metrics.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDE = {"width": 1280, "height": 900}


@dataclass
class Opened:
    """A report in a browser, with all that it said and asked for."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium, for a module at a time: until Playwright is stopped no other test can run an event loop."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Browser) -> Callable[..., object]:
    """A context manager that opens a file; at its end nothing was complained of and no request had left the file."""

    @contextmanager
    def open_report(file: Path, **context: object) -> Iterator[Opened]:
        page = browser.new_page(**{"viewport": WIDE, **context})
        report = Opened(page)
        page.on("console", lambda message: report.messages.append(message.text))
        page.on("pageerror", lambda error: report.messages.append(str(error)))
        page.on("dialog", lambda dialog: (report.messages.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: report.requests.append(request.url))
        page.goto(file.as_uri())
        page.wait_for_selector("#case-list button")
        yield report
        assert report.messages == []
        assert report.requests == [file.as_uri()]
        page.close()

    return open_report


@pytest.fixture(scope="session")
def real_report(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two models' real runs."""
    return _written(tmp_path_factory.mktemp("real"), shared_data / "bfcl_runs" / "xlam-llama-v3")


@pytest.fixture(scope="session")
def probed_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a scripted agent's runs, without and with a probe."""
    pytest.importorskip("bfcl_eval", reason="bfcl-eval is not installed (bfcl-runner install-benchmark)")
    folder = tmp_path_factory.mktemp("probed")
    for name, probe in (("without", []), ("with", ["--probe", "sri"])):
        command = ["-m", "bfcl_runner", "run", "--backend", "scripted", "--agent", "noisy:0.5:1", *probe]
        command += ["--limit", "12", "--output-dir", str(folder / name)]
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
    return _written(folder, folder / "without", folder / "with")


def _written(folder: Path, *runs: Path) -> Path:
    file = folder / "report.html"
    assert main(["report", *map(str, runs), "-o", str(file)]) == 0
    return file


@pytest.fixture(scope="session")
def written() -> Callable[..., Path]:
    """The report file of some runs: ``written(folder, *runs)``."""
    return _written


@pytest.fixture(scope="session")
def keep_screenshot() -> Callable[[Page, str], None]:
    """Keeps a picture of the whole page in the folder that GAR_SCREENSHOTS names, if it names one."""

    def keep(page: Page, name: str) -> None:
        folder = os.environ.get("GAR_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=Path(folder) / f"report-{name}.png", full_page=True)

    return keep

"""What all tests share: the figures above pytest's closing line, and the rules for markers."""

import functools
import gc
import os
import time
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

MARKERS = ("proves", "slow", "agents", "faults", "browser", "tray")
FOLDERS = ("agents", "faults")  # each marker lives in the folder of its name, and only there
GIVEN = ("browser", "tray")  # so does each of these, and every test there gets it by itself
FIRST = (
    "test_browser_every_page.py",
    "test_kills_small.py",
    "test_outside_described.py",
    "test_outside_flood.py",
    "test_outside_held_database.py",
)
"""They take half a minute and more: begun last, each would be the tail."""
TESTS = Path(__file__).parent


class Figures:
    """Counts on the controller; workers of xdist hand over what only they know."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.began = time.perf_counter()
        self.deselected = 0
        self.marked: Counter[str] = Counter()

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.deselected += len(items)

    def pytest_sessionfinish(self) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["deselected"] = self.deselected

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        # Each worker collects everything and deselects the same.
        told = getattr(node, "workeroutput", {}).get("deselected", 0)
        self.deselected = max(self.deselected, told)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        ran = report.when == "call"
        if ran or (report.when == "setup" and not report.passed):
            self.marked.update(dict(report.user_properties).get("markers", []))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        skipped = len(terminalreporter.stats.get("skipped", []))
        counts = ", ".join(f"{name} {self.marked[name]}" for name in MARKERS)
        wall = time.perf_counter() - self.began
        terminalreporter.write_line("")
        terminalreporter.write_line(f"skipped {skipped}, deselected {self.deselected}")
        terminalreporter.write_line(f"tests per marker: {counts}")
        terminalreporter.write_line(f"wall time {wall:.1f} s")


def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.register_profile("busy machine", deadline=None)
    hypothesis.settings.load_profile("busy machine")
    config.pluginmanager.register(Figures(config), "figures")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is collected goes away: the collector of garbage would go through thousands of
    tests and all that they import, again and again, now and later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if folder_of(item) in GIVEN:
            item.add_marker(folder_of(item))
        if fault := marker_fault(item):
            raise pytest.UsageError(f"{item.nodeid}: {fault}")
        names = {mark.name for mark in item.iter_markers()}
        # Travels with the report to xdist's controller, which collects nothing itself.
        item.user_properties.append(("markers", sorted(names.intersection(MARKERS))))
    items.sort(key=lambda item: item.path.name not in FIRST)


@pytest.fixture(autouse=True)
def the_umask() -> Iterator[None]:
    """Whoever prepares a home in this process has 077 from then on, and so would the next test."""
    before = os.umask(0o077)
    os.umask(before)
    yield
    os.umask(before)


def marker_fault(item: pytest.Item) -> str | None:
    """What is wrong with a test's markers, as one sentence."""
    for mark in item.iter_markers("proves"):
        if not mark.args or not all(isinstance(row, str) for row in mark.args) or mark.kwargs:
            return "`proves` takes ids of docs/rows.txt and nothing else"
    for name in (*FOLDERS, *GIVEN):
        if (item.get_closest_marker(name) is not None) != (folder_of(item) == name):
            return f"a test in tests/{name} bears the marker `{name}`, and no other test does"
    return None


def folder_of(item: pytest.Item) -> str:
    return _folder(item.path)


@functools.cache
def _folder(path: Path) -> str:
    """Asked five times for each of thousands of tests."""
    return path.relative_to(TESTS).parts[0] if path.is_relative_to(TESTS) else ""

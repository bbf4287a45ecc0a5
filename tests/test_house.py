"""The house stands: every law that a machine can hold is held by the whole checkout."""

import ast
import functools
import gc
import re
from collections.abc import Callable, Iterable, Iterator

import pytest
from house import calls, imports, shape
from house.source import PACKAGE, ROOT, Finding, Source, checkout_files

TOP_LEVEL = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "docs",
    "icons",
    "packaging",
    "pyproject.toml",
    PACKAGE,
    "tests",
    "web",
}

BRANCH_MOVERS = {f"{git}.{name}" for git in ("git", "self._git") for name in ("deliver", "finish")}
REWRITES_HISTORY = re.compile(
    r"\b(?:UPDATE|DELETE\s+FROM|REPLACE\s+INTO|DROP\s+TABLE)\s+events\b|\bEvents\.(?:update|delete)\("
)
ADDS_TO_HISTORY = re.compile(r"\bINSERT\s+INTO\s+events\b|\bEvents\.insert")


def texts() -> Iterator[tuple[str, str]]:
    """Every text file by its path from the root; pictures and the like are passed over."""
    for path in checkout_files(ROOT):
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


@functools.cache
def every_text() -> dict[str, str]:
    """Read when the first check asks: every worker collects this file, and few run it."""
    return dict(texts())


@functools.cache
def source_of(path: str) -> Source:
    return Source(path, every_text()[path])


@functools.cache
def all_python(below: str = "") -> tuple[Source, ...]:
    """Kept to the end: the collector of garbage would go through a million nodes, again and again,
    for most of the time that this takes."""
    paths = [path for path in every_text() if path.startswith(below) and path.endswith(".py")]
    gc.disable()
    try:
        return tuple(map(source_of, paths))
    finally:
        gc.freeze()
        gc.enable()


def ours() -> tuple[Source, ...]:
    return all_python(f"{PACKAGE}/")


Check = Callable[[Source], Iterable[Finding]]
TextCheck = Callable[[str, str], Iterable[Finding]]


def refuse(findings: Iterable[Finding]) -> None:
    told = [str(finding) for finding in findings]
    if told:
        pytest.fail("\n".join(told), pytrace=False)


PACKAGE_CHECKS = [
    imports.floors,
    imports.early_runner,
    imports.light_clients,
    imports.owners,
    calls.threads,
    calls.clocks,
    calls.dangers,
    calls.open_comparisons,
    calls.query_traps,
]
PYTHON_CHECKS = [imports.strangers, shape.vague_names, shape.long_functions, shape.first_sentence]
TEXT_CHECKS = [shape.long_files, shape.unfinished, shape.machine_paths]


@pytest.mark.parametrize("check", PACKAGE_CHECKS, ids=lambda check: check.__name__)
def test_the_package_keeps_the_law(check: Check) -> None:
    refuse(finding for source in ours() for finding in check(source))


@pytest.mark.parametrize("check", PYTHON_CHECKS, ids=lambda check: check.__name__)
def test_all_python_keeps_the_law(check: Check) -> None:
    refuse(finding for source in all_python() for finding in check(source))


@pytest.mark.parametrize("check", TEXT_CHECKS, ids=lambda check: check.__name__)
def test_every_text_keeps_the_law(check: TextCheck) -> None:
    refuse(finding for path, text in every_text().items() for finding in check(path, text))


@pytest.mark.proves("S-64")
def test_the_product_fetches_nothing_by_an_address() -> None:
    refuse(finding for source in ours() for finding in calls.fetches(source))


@pytest.mark.proves("C-27")
def test_one_room_alone_moves_the_users_branches() -> None:
    """`deliver` and its recovery `finish` are what moves a branch that is there already."""
    found = {
        source.path
        for source in ours()
        for node in source.nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func) in BRANCH_MOVERS
    }
    assert found == {f"{PACKAGE}/engine/delivery.py"}


@pytest.mark.proves("C-33")
def test_an_event_is_added_and_then_neither_changed_nor_taken_away() -> None:
    texts = {source.path: source.text for source in ours()}
    texts |= {path: text for path, text in every_text().items() if path.endswith(".sql")}
    wrong = [path for path, text in texts.items() if REWRITES_HISTORY.search(text)]
    adding = [path for path, text in texts.items() if ADDS_TO_HISTORY.search(text)]
    assert not wrong and adding == [f"{PACKAGE}/store/journal.py"]


def test_no_module_imports_itself_by_way_of_others() -> None:
    refuse(imports.circles(ours()))


def test_packaging_is_no_package() -> None:
    advice = "remove it: `packaging` would hide the library of that name"
    refuse(Finding(p, 1, advice) for p in every_text() if p.startswith("packaging/__init__"))


def test_the_top_level_holds_only_what_the_house_names() -> None:
    found = {path.relative_to(ROOT).parts[0] for path in checkout_files(ROOT)}
    advice = "move it into a room, or name it in TOP_LEVEL with a ruling"
    refuse(Finding(name, 1, advice) for name in sorted(found - TOP_LEVEL))


def test_the_checks_see_the_whole_house() -> None:
    """A check that is shown nothing finds nothing."""
    assert {"model", "__init__"} <= {source.room for source in ours()}
    assert {"README.md", ".ci/run", "packaging/dev.py"} <= every_text().keys()


# --- the checks themselves ---------------------------------------------------------------------

# check · where · refused · allowed there
SNIPPETS = [
    (imports.floors, "model/a", "from roundtable_desktop.rules import retry", "import enum"),
    (imports.floors, "rules/a", "import roundtable_desktop.store.db", "from ..model import states"),
    (imports.floors, "rules/a", "from ..store import db", "from . import retry"),
    (
        imports.floors,
        "runner/a",
        "from roundtable_desktop.model import messages",
        "from roundtable_desktop.model.states import RunStatus",
    ),
    (
        imports.floors,
        "adapters/git/a",
        "from roundtable_desktop.adapters.runners import start",
        "from roundtable_desktop.adapters.git.refs import read",
    ),
    (
        imports.floors,
        "dashboard/a",
        "from roundtable_desktop.store.db import Store",
        "from roundtable_desktop.store.db import Reader",
    ),
    (
        imports.floors,
        "cli/a",
        "from roundtable_desktop.engine.desk import tasks",
        "from roundtable_desktop import __version__, app, phrases",
    ),
    (
        imports.light_clients,
        "cli/a",
        "from roundtable_desktop.app import Owner",
        "def start():\n    from roundtable_desktop.app import Owner",
    ),
    (imports.floors, "kitchen/a", "x = 1", None),
    (
        imports.early_runner,
        "__main__",
        "from roundtable_desktop.runner.main import main",
        "def part():\n    from roundtable_desktop.runner.main import main",
    ),
    (imports.owners, "engine/a", "from peewee import fn", "import schedule"),
    (imports.owners, "demo/a", "import subprocess", "import os"),
    (imports.owners, "rules/a", "from random import random", "import cronsim"),
    (imports.strangers, "runner/a", "import psutil", "import asyncio"),
    (imports.strangers, "mcp/bridge", "import mcp", "import urllib.request"),
    (
        calls.threads,
        "store/a",
        "from threading import Thread as T\nT(target=print)",
        "import threading\nthreading.Lock()",
    ),
    (
        calls.threads,
        "dashboard/a",
        "import threading\nclass A(threading.Thread): pass",
        "class A: pass",
    ),
    (calls.clocks, "engine/a", "import time\nnow = time.time", "clock.now()"),
    (
        calls.clocks,
        "rules/a",
        "from datetime import datetime as d\nd.now()",
        "from datetime import datetime\ndatetime.fromtimestamp(0)",
    ),
    (
        calls.clocks,
        "tray/a",
        "import time\ndef f(clock=time.monotonic): pass",
        "def f(clock): return clock()",
    ),
    (calls.clocks, "store/a", "import datetime\ndatetime.date.today()", "import time\ntime.sleep"),
    (calls.dangers, "rules/a", "eval('1')", "model.eval('1')"),
    (calls.dangers, "adapters/a", "run('ls', shell=True)", "run(['ls'], shell=False)"),
    (calls.dangers, "adapters/a", "run('ls', shell=flag)", "run(['ls'])"),
    (calls.dangers, "adapters/a", "import os\nos.system('ls')", "import os\nos.getpid()"),
    (calls.dangers, "store/a", "from pickle import loads", "from json import loads"),
    (calls.dangers, "app", "from yaml import load\nload('')", "from yaml import safe_load"),
    (calls.fetches, "engine/a", "import urllib.request", "from urllib.parse import urlsplit"),
    (calls.fetches, "adapters/a", "from http.client import HTTPConnection", "import http"),
    (
        calls.open_comparisons,
        "dashboard/a",
        "given == self.csrf",
        "compare_digest(given, self.csrf)",
    ),
    (calls.open_comparisons, "runner/a", "launch['x'] != control_key", "control_key == ''"),
    (calls.query_traps, "store/a", "q.where(A.x == 1 and A.y == 2)", "q.where((A.x == 1) & A.y)"),
    (calls.query_traps, "store/a", "q.where(not A.x)", "q.where(~A.x)"),
    (calls.query_traps, "store/a", "q.where(A.x is None)", "q.where(A.x.is_null())"),
    (calls.query_traps, "store/a", "q.where(A.x in ids)", "q.where(A.x.in_(ids))"),
    (calls.query_traps, "store/a", "q.where(0 <= A.x <= 9)", "q.where(A.x.between(0, 9))"),
    (calls.query_traps, "store/a", "q.join(B, on=A.x or B.y)", "q.join(B, on=A.x == B.y)"),
    (calls.query_traps, "store/a", "q.having(A.x and n)", "q.where(A.x if s is S.DONE else n)"),
    (shape.vague_names, "store/json_utils", "x = 1", None),
    (shape.vague_names, "engine/a", "class RunManager: pass", "class Rebase_: pass"),
    (
        shape.long_functions,
        "engine/a",
        "def f():\n" + "    x = 1\n" * shape.FUNCTION_LINES,
        "def f():\n" + "    x = 1\n" * (shape.FUNCTION_LINES - 1),
    ),
    (shape.first_sentence, "engine/a", "x = 1", '"""What it is for."""\nx = 1'),
    (shape.first_sentence, "engine/a", '"""no sentence"""', ""),
]


@pytest.mark.parametrize(
    ("check", "where", "refused", "allowed"),
    SNIPPETS,
    ids=[f"{check.__name__}-{number}" for number, (check, *_) in enumerate(SNIPPETS)],
)
def test_a_check_refuses_what_it_is_for(
    check: Check, where: str, refused: str, allowed: str | None
) -> None:
    path = f"{PACKAGE}/{where}.py"
    assert [str(finding) for finding in check(Source(path, refused))]
    if allowed is not None:
        assert not [str(finding) for finding in check(Source(path, allowed))]


@pytest.mark.parametrize(
    ("check", "path", "refused", "allowed"),
    [
        (shape.long_files, "web/a.js", "x\n" * 401, "x\n" * 400),
        (shape.unfinished, "a.md", "a TO" + "DO: later", "a list of what to do"),
        (shape.unfinished, "a.py", "x = 1  # FIX" + "ME", "TO" + 'DO = "todo"'),
        (shape.machine_paths, "a.toml", "path = '/wo" + "rk/somewhere'", "see docs/work/plan"),
        (shape.machine_paths, "a.py", "open('/ro" + "ot/.ssh')", "url = '/api/v1/work/1'"),
        (shape.machine_paths, "a.py", "'/ho" + "me/joan/x'", "'/home/somebody/x'"),
    ],
    ids=["long_files", "note", "comment", "quoted path", "path", "home"],
)
def test_a_text_check_refuses_what_it_is_for(
    check: TextCheck, path: str, refused: str, allowed: str
) -> None:
    assert [str(finding) for finding in check(path, refused)]
    assert not [str(finding) for finding in check(path, allowed)]


def test_a_circle_is_found_wherever_the_import_stands() -> None:
    first = Source(f"{PACKAGE}/rules/a.py", f"from {PACKAGE}.rules import b")
    second = Source(f"{PACKAGE}/rules/b.py", f"def f():\n    from {PACKAGE}.rules.a import x")
    assert [finding.line for finding in imports.circles([first, second])] == [2]
    assert not list(imports.circles([first]))


def test_a_finding_names_the_file_and_the_line() -> None:
    [finding] = imports.owners(Source(f"{PACKAGE}/rules/a.py", "import os\nimport peewee"))
    assert str(finding).startswith(f"{PACKAGE}/rules/a.py:2: peewee belongs to store")

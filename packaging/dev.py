"""The one door to the checkout: try the product, test it, check it.

Standard library only: it runs on a bare Python 3.11+ with git and installs the rest into `.venv`
(`ROUNDTABLE_VENV` names another folder). Every command may be repeated; what is done is not done
again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from _agents import programs
from _memory import in_memory
from _rows import rows_report
from _system import BROWSER, TRAY, left_out
from _venv import PYTHON, ROOT, SCRIPTS, VENV, SetUpFailed, lock, prepare, say
from _web import install_checker

OLDEST = (3, 11)
TESTS = ROOT / "tests"


def demo(arguments: list[str]) -> int:
    """install the product and run `roundtable demo` with these arguments"""
    prepare(tools=False)
    return run(SCRIPTS / "roundtable", "demo", *arguments)


def test(arguments: list[str]) -> int:
    """run every test; [--quick] leaves out what is slow or has a screen; the rest: pytest"""
    without = [need.marker for need in left_out((BROWSER, TRAY))]
    prepare(tools=True)
    install_checker(VENV)
    workers = (os.cpu_count() or 1) + 1  # many a test waits for programs that it started
    if "--quick" in arguments:
        without += sorted({"slow", BROWSER.marker, TRAY.marker} - {*without})
    chosen = ["-m", " and ".join(f"not {marker}" for marker in without)] if without else []
    rest = [argument for argument in arguments if argument != "--quick"]
    return pytest("-n", f"{workers}", "--dist", "worksteal", *in_memory(), *chosen, *rest)


def agents(arguments: list[str]) -> int:
    """install the pinned real agents and run the tests that need them"""
    if has_tests("agents"):
        prepare(tools=True)  # first: it makes the folder in which the agents live
        os.environ.update(programs())
    return marked("agents", "agent", arguments)


def faults(arguments: list[str]) -> int:
    """run the long fault runs; [--kills N] says how many kills each makes, [--seed N] which"""
    for option, variable in (("--kills", "ROUNDTABLE_KILLS"), ("--seed", "ROUNDTABLE_SEED")):
        if option in arguments:
            at = arguments.index(option)
            number = arguments[at + 1 : at + 2]
            if not (number and number[0].isdecimal()):
                return usage(f"{option} takes a number")
            os.environ[variable] = number[0]
            arguments = arguments[:at] + arguments[at + 2 :]
    return marked("faults", "fault", arguments)


def bench(arguments: list[str]) -> int:
    """measure, and print the ratios beside the goals"""
    if not (TESTS / "benchmarks" / "__main__.py").exists():
        say("no benchmarks yet")
        return 0
    prepare(tools=True)
    return run(PYTHON, "-m", "tests.benchmarks", *arguments)


def idle(arguments: list[str]) -> int:
    """measure how often an idle owner wakes, beside the goal; [--seconds N] [--routines N]"""
    prepare(tools=True)
    return run(PYTHON, "-m", "tests.benchmarks.idle", *arguments)


def pictures(arguments: list[str]) -> int:
    """save a picture of every page and of the tray, with what axe says; [FOLDER] for them"""
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        return usage("pictures takes one folder at most")
    if left_out([BROWSER]):
        return 1
    folder = arguments[0] if arguments else tempfile.mkdtemp(prefix="roundtable-pictures-")
    prepare(tools=True)
    code = run(PYTHON, "-m", "tests.pictures", folder)
    if not (TESTS / "pictures" / "tray.py").exists() or left_out([TRAY]):
        return code
    return max(code, run(PYTHON, "-m", "tests.pictures.tray", folder))


def lint(arguments: list[str]) -> int:
    """ruff, its formatter and mypy; all three are heard before it fails"""
    if arguments:
        return usage("lint takes no arguments")
    prepare(tools=True)
    codes = [
        run(SCRIPTS / "ruff", "check", "--quiet", "."),
        run(SCRIPTS / "ruff", "format", "--check", "--quiet", "."),
        run(SCRIPTS / "mypy", "--no-error-summary"),
    ]
    say("lint found faults" if any(codes) else "lint is clean")
    return max(codes)


def rows(arguments: list[str]) -> int:
    """compare docs/rows.txt with the rows that the tests prove"""
    if arguments:
        return usage("rows takes no arguments")
    lines, wrong = rows_report(ROOT / "docs" / "rows.txt", TESTS)
    print("\n".join(lines))
    for fault in wrong:
        print(f"fault: {fault}", file=sys.stderr)
    return 1 if wrong else 0


def renew_lock(arguments: list[str]) -> int:
    """write packaging/requirements.lock anew"""
    if arguments:
        return usage("lock takes no arguments")
    lock()
    return 0


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "demo": demo,
    "test": test,
    "agents": agents,
    "faults": faults,
    "bench": bench,
    "idle": idle,
    "pictures": pictures,
    "lint": lint,
    "rows": rows,
    "lock": renew_lock,
}


def marked(marker: str, noun: str, arguments: list[str]) -> int:
    """The tests of a folder that `test` does not collect; none is not a failure yet."""
    if not has_tests(marker):
        say(f"no {noun} tests yet")
        return 0
    return pytest("-m", marker, str(TESTS / marker), *arguments)


def has_tests(folder: str) -> bool:
    return any((TESTS / folder).rglob("test_*.py"))


def pytest(*arguments: str) -> int:
    """pytest's closing line is the last that is printed; our figures stand above it."""
    prepare(tools=True)
    return run(PYTHON, "-m", "pytest", *arguments)


def run(program: Path, *arguments: str) -> int:
    child = subprocess.Popen([str(program), *arguments], cwd=ROOT)
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:
            continue  # the terminal told the child as well; it ends in its own way


def usage(fault: str = "") -> int:
    if fault:
        print(f"dev: {fault}", file=sys.stderr)
    print("usage: python3 packaging/dev.py COMMAND [ARGUMENTS]", file=sys.stderr)
    for name, command in COMMANDS.items():
        print(f"  {name:<9}{command.__doc__}", file=sys.stderr)
    return 2


def main(arguments: list[str]) -> int:
    if sys.version_info < OLDEST:
        print("dev: Python 3.11 or newer is needed", file=sys.stderr)
        return 1
    if not arguments or arguments[0] not in COMMANDS:
        return usage(f"no command {arguments[0]!r}" if arguments else "")
    # Else every program that a test starts would compile the whole package for itself.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        return COMMANDS[arguments[0]](arguments[1:])
    except SetUpFailed as failure:
        print(f"dev: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

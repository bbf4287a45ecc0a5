"""What a command of the command line loads before it does its work."""

import subprocess
import sys

import pytest
from outside_house import House, Person

COMMAND = "from roundtable_desktop.cli.main import main; main()"
HEAVY = {"flask", "mcp", "peewee", "psutil", "pydantic", "sqlite3", "subprocess", "waitress"}

UNASKED = {"roundtable_desktop.cli.agents", "roundtable_desktop.cli.demo"}
"""Rooms of the command line in which none of these commands is."""


def loaded(person: Person, *words: str) -> tuple[int, set[str]]:
    """The command's exit code, and the modules that its process imported."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", COMMAND, *words],
        cwd=person.root,
        env=person.env,
        capture_output=True,
        text=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return done.returncode, {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.slow
@pytest.mark.proves("G12 client")
def test_a_command_that_only_asks_loads_no_library_of_the_owner(shared: House) -> None:
    for words in ("--version", "--help", "status", "workspace list", "inbox list"):
        code, modules = loaded(shared, *words.split())
        assert code == 0 and "click" in modules
        assert modules & HEAVY == set(), words
        assert not any(name.startswith("roundtable_desktop.engine") for name in modules), words
        assert words == "--help" or modules & UNASKED == set(), words


@pytest.mark.slow
def test_a_command_that_may_become_the_owner_loads_them_then(house: House) -> None:
    path = house.repository()
    code, modules = loaded(house, "init", str(path))
    assert code == 0 and HEAVY & modules >= {"peewee", "pydantic"}

"""The SDK is not there before the first token (G12), and a token is kept by its hash alone."""

import subprocess
import sys

import pytest

from roundtable_desktop.adapters.system import SystemIds
from roundtable_desktop.mcp.tokens import bearer, issue, token_hash

STORY = """
import sys
from roundtable_desktop.adapters.system import SystemIds
from roundtable_desktop.mcp.server import Door
from roundtable_desktop.mcp.tools import describe

def heavy():
    return sorted({n.split(".")[0] for n in sys.modules} & {"mcp", "mcp_types", "starlette",
        "anyio", "uvicorn", "httpx2", "asyncio"})

class Nobody:
    def find(self, token_hash):
        return None

door = Door(Nobody(), None, SystemIds())
describe()
assert door.answer("POST", [("Authorization", "Bearer x")], b"{}").status == 401
print(*heavy())
door.issue()
door.stop()
print(*heavy())
"""


@pytest.mark.slow
def test_nothing_of_the_sdk_is_loaded_before_the_first_token() -> None:
    ran = subprocess.run([sys.executable, "-I", "-c", STORY], capture_output=True, text=True)
    assert ran.stderr == ""
    before, after = ran.stdout.splitlines()
    assert before == ""
    assert {"mcp", "asyncio"} <= set(after.split())


def test_a_door_that_never_opened_stops_at_once() -> None:
    story = STORY.replace("door.issue()\n", "")
    ran = subprocess.run([sys.executable, "-I", "-c", story], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "\n\n", "")


def test_a_token_is_256_random_bits_and_never_shown() -> None:
    first, second = issue(SystemIds()), issue(SystemIds())
    assert first.token != second.token
    assert len(first.token) >= 43
    assert first.hash == token_hash(first.token)
    assert len(first.hash) == 64
    assert first.token not in repr(first)


def test_only_a_bearer_token_is_taken_from_the_header() -> None:
    assert bearer("Bearer abc") == bearer("bearer  abc ") == "abc"
    assert bearer("") is bearer("abc") is bearer("Bearer ") is bearer("Basic abc") is None

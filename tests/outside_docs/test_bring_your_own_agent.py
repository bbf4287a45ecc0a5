"""What docs/bring-your-own-agent.md prints works when it is typed as it stands there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from living_home import LivingHome, marked

PAGE = Path(__file__).parents[2] / "docs" / "bring-your-own-agent.md"


def block(language: str) -> str:
    """The only fenced block of that language."""
    [text] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    return str(text)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[LivingHome]:
    home = LivingHome(tmp_path)
    try:
        home.begin()
        yield home
    finally:
        home.close()


@pytest.mark.slow
@pytest.mark.proves("D-08 adapters", "D-09 offline")
def test_the_agent_of_the_page_delivers_its_change(home: LivingHome) -> None:
    (home.person / "my_agent.py").write_text(block("python"))
    home.run(["sh", "-e", "-c", block("sh")])
    [task] = home.get("/tasks")["items"]
    run = home.ended(task["id"])
    assert run["outcome"] == "done", run
    assert run["result_json"]["summary"] == "I wrote down what I was asked."
    assert marked(run["id"]) == []
    assert home.deliver(task["id"])["status"] == "delivered"
    assert "What the note should say" in (home.repository / "NOTE.md").read_text()
    assert home.git("status", "--porcelain") == "?? .roundtable/"


def test_the_page_promises_thirty_lines_and_keeps_it() -> None:
    code = [line for line in block("python").splitlines() if line.strip()]
    assert 25 <= len(code) <= 30, len(code)

"""What agents print, in a real browser: read, searched, copied, and never more than text."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from chromium import Watch
from outside_house import House, Room
from playwright.sync_api import Page, expect

HOSTILE = (
    "</script><script>window.__x=1</script><img src=x onerror=window.__x=1>",
    "<scr\x1b[1mipt>document.title='x'</scr\x1b[0mipt>",
    "\x1b]8;;http://evil.example/\x1b\\click me\x1b]8;;\x1b\\",
    "\x1b]52;c;ZXZpbA==\x07\x1b]0;owned\x07",
    "\x1b[2J\x1b[1;1H\x1bP1$r\x1b\\\x9b31mred\x84\x8d",
    "safe\u202egnp.exe\u2066\u200f \x00\x08\x7f\r",
    "javascript:window.__x=1 data:text/html,<script>window.__x=1</script>",
)
PRINT = f"""
import sys
for text in {HOSTILE!r}:
    print(text)
    print(text, file=sys.stderr)
open("leaf.txt", "w").write("\\n".join({HOSTILE!r}).replace("\\0", ""))
"""
LONG = """
for n in range(9000): print("line", n, "of what was printed", "." * 60)
print("one line of five million letters ", "x" * 5_000_000)
print("the very end")
"""
ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def room(house: House) -> Iterator[Room]:
    yield house.room("printing")


@pytest.fixture(scope="module")
def hostile(room: Room) -> Any:
    task = room.task("Print", room.python(PRINT, name="loud"))
    run = room.ended(task)
    return run, room.proposal(task)


@pytest.mark.proves("S-35", "B-137", "B-138")
def test_hostile_output_is_text_and_can_be_copied(hostile: Any, person: Page, watch: Watch) -> None:
    run, proposal = hostile
    for path in (
        f"/runs/{run['id']}",
        f"/runs/{run['id']}?q=script",
        f"/runs/{run['id']}?part=changes",
        f"/runs/{run['id']}?part=result",
        f"/proposals/{proposal['id']}",
    ):
        person.goto(path)
        expect(person).to_have_title(re.compile("Roundtable$"))
        expect(person.get_by_text("window.__x=1").first).to_be_visible()
        assert person.evaluate("window.__x === undefined")
        assert person.locator("a[href*=evil], img[src=x], main script").count() == 0
        copied = person.evaluate(
            "getSelection().selectAllChildren(document.querySelector('main')),"
            "getSelection().toString()"
        )
        assert "<script>window.__x=1</script>" in copied and not ACTIVE.search(copied), path
    person.goto(f"/runs/{run['id']}")
    log = person.locator("ol.log")
    expect(log).to_contain_text("<script>document.title='x'</script>")
    expect(log).to_contain_text("click me")
    expect(log).to_contain_text("safe⟨U+202E⟩gnp.exe")
    assert not re.search(r"evil\.example|52;c|\[2J|31m|owned", log.inner_text())


@pytest.mark.proves("B-139", "F-39 search")
def test_a_long_transcript_is_walked_and_searched(room: Room, either: Page) -> None:
    run = room.ended(room.task("Long", room.python(LONG, name=f"long-{id(either)}")))
    either.goto(f"/runs/{run['id']}")
    expect(either.get_by_text("line 0 of what was printed")).to_be_visible()
    assert len(either.content()) < 1_500_000
    either.get_by_role("link", name="To the end").click()
    expect(either.get_by_text("the very end")).to_be_visible()
    expect(either.get_by_text("[cut]")).to_have_count(1)
    earlier = either.get_by_role("link", name="Show earlier")
    for _ in range(20):
        if not earlier.count():
            break
        with either.expect_navigation():  # else the old page or half of the new one is looked at
            earlier.click()
        assert len(either.content()) < 1_500_000
    expect(either.get_by_text("line 0 of what was printed")).to_be_visible()
    field = either.get_by_label("Find in the transcript")
    field.fill("LINE 8999 of")
    field.press("Enter")
    found = either.get_by_role("link", name="line 8999 of what was printed")
    expect(found).to_have_count(1)
    expect(either.get_by_label("Find in the transcript")).to_have_value("LINE 8999 of")
    found.click()
    expect(either.get_by_text("line 8999 of what was printed")).to_be_visible()
    with either.expect_download() as download:
        either.get_by_role("link", name="Download all of it").click()
    assert download.value.suggested_filename == f"run-{run['id'][-8:]}.txt"
    assert "the very end" in download.value.path().read_text()

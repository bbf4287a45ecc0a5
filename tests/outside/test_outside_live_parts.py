"""A part of a page that follows what happens names the subject of all that changes it."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest
from outside_house import Browser, House, until
from outside_talk import comment, demo, item_of, resolved, script

VOID = ("br", "hr", "img", "input", "link", "meta")
PASSES = re.compile(r"\b[\d.]+ (?:ms|s|min|h)\b")
"""Running times: no event tells of them."""


class Parts(HTMLParser):
    """What stands in each part that follows something, and what that is."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.topics: dict[str, set[str]] = {}
        self.words: dict[str, list[str]] = {}
        self._part, self._depth = "", 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if not self._depth and "data-live" in found:
            self._part = found["id"] or ""
            self.topics[self._part] = set((found["data-live"] or "").split())
            self.words[self._part] = []
        if (self._depth or "data-live" in found) and tag not in VOID:
            self._depth += 1

    def handle_endtag(self, tag: str) -> None:
        self._depth -= bool(self._depth) and tag not in VOID

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.words[self._part] += PASSES.sub("", data).split()


@dataclass
class Sight:
    """All pages at hand, before and after something was done."""

    house: House
    browser: Browser
    pages: list[str] = field(default_factory=lambda: ["/", "/inbox", "/runs", "/control"])

    @contextmanager
    def when(self, what: str, settled: Callable[[], object] = lambda: True) -> Iterator[None]:
        """What is done in it changes only parts that listen to one of its events."""
        first, before = self._last(), self._taken()
        yield
        until(settled)
        after = self._taken()
        happened = self.house.get("/events", after=first, limit=200)["items"]
        subjects = {event["subject_type"] for event in happened}
        changed = 0
        for page, old in before.items():
            new = after[page]
            for part in old.words.keys() & new.words.keys():
                if old.words[part] != new.words[part]:
                    changed += 1
                    hears = old.topics[part]
                    assert hears & subjects, f"{what}: {part} of {page} hears {hears}: {subjects}"
        assert changed, what

    def _last(self) -> int:
        return int(self.house.get("/status")["last_event"])

    def _taken(self) -> dict[str, Parts]:
        answers = {page: self.browser.ask("GET", page) for page in self.pages}
        assert {one.status for one in answers.values()} == {200}
        return {page: Parts(one.text) for page, one in answers.items()}


@pytest.mark.slow
@pytest.mark.proves("K-61 run")
def test_a_part_follows_every_subject_that_changes_it(running: House) -> None:
    sight = Sight(running, Browser(running))
    with sight.when("a repository is registered"):
        room = running.room()
    task = room.task("Ask first", description=script("sleep 2", "ask May I?", "write a.txt one"))
    sight.pages.append(f"/tasks/{task['id']}")
    with sight.when("an agent is added"):
        agent = demo(room, "ada")
    with sight.when("somebody says something"):
        comment(room, task, "Hello")
    with sight.when("a run begins", lambda: room.live(task)):
        room.house.program("PATCH", f"/tasks/{task['id']}", {"assignee_agent_id": agent})
    run = f"/runs/{room.live(task)['id']}"
    sight.pages += [run, f"{run}?part=changes", f"{run}?part=events", f"{run}?part=why"]
    with sight.when("the agent asks"):
        item = item_of(room, task)
    sight.pages.append("/inbox?status=resolved")
    with sight.when("an agent is renamed"):
        assert running.program("PATCH", f"/agents/{agent}", {"name": "grace"}).status == 200
    with sight.when("it is answered", lambda: resolved(room, item)):
        running.post(f"/inbox/{item['id']}/act", {"action": item["data"]["options"][0]["id"]})
    room.ended(task)
    proposal = room.proposal(task)
    sight.pages.append(f"/proposals/{proposal['id']}")
    with sight.when("an agent is renamed after its run"):
        assert running.program("PATCH", f"/agents/{agent}", {"name": "joan"}).status == 200
    with sight.when("it is delivered"):
        room.lands(proposal)
    with sight.when("nothing new is started"):
        running.post("/control", {"action": "pause"})

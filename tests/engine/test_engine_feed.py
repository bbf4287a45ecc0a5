"""Who watches is woken by what is committed, misses nothing, and is let go."""

import threading
from pathlib import Path

import pytest

from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.engine.desk.browsers import Browsers
from roundtable_desktop.engine.desk.feed import Feed
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Event, Subject
from roundtable_desktop.store import journal, migrate
from roundtable_desktop.store.db import Reader, Store

LONG = 20.0


class Watched:
    """A database with a feed, and threads that wait at it."""

    def __init__(self, folder: Path) -> None:
        clock, path = SystemClock(), folder / "roundtable.db"
        migrate.migrate(path, folder / "backups", clock.now())
        self.store, self.reader = Store(path, clock), Reader(path, clock)
        self.feed = Feed(self.store, self.reader)

    def happen(self, name: str) -> None:
        with self.store.transaction() as tx:
            journal.tell(tx, Kind.OWNER_STARTED, Subject("owner", name), workspace_id=None)

    def watch(self, after: int) -> "Watching":
        return Watching(self.feed, after)


class Watching(threading.Thread):
    def __init__(self, feed: Feed, after: int) -> None:
        super().__init__(daemon=True)
        self.feed, self.after = feed, after
        self.seen: list[Event] = []
        self.start()

    def run(self) -> None:
        self.seen = self.feed.wait(self.after, LONG)

    def names(self) -> list[str]:
        self.join(LONG / 2)
        assert not self.is_alive()
        return [event.subject_id for event in self.seen]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


@pytest.mark.proves("K-61 run")
def test_all_who_wait_are_woken_by_one_event(watched: Watched) -> None:
    waiting = [watched.watch(watched.feed.last()) for _ in range(5)]
    watched.happen("one")
    assert [each.names() for each in waiting] == [["one"]] * 5


@pytest.mark.proves("K-61 run")
def test_what_happened_before_the_wait_is_there_at_once_and_in_order(watched: Watched) -> None:
    for name in ("one", "two", "three"):
        watched.happen(name)
    assert watched.watch(0).names() == ["one", "two", "three"]
    assert watched.watch(watched.feed.last() - 1).names() == ["three"]


@pytest.mark.proves("S-27")
def test_the_end_of_a_sign_in_lets_those_who_wait_look_again(watched: Watched) -> None:
    waiting = watched.watch(watched.feed.last())
    Browsers(watched.store, watched.reader).revoke_all()
    assert waiting.names() == []


def test_a_closed_feed_keeps_nobody(watched: Watched) -> None:
    waiting = watched.watch(watched.feed.last())
    watched.feed.close()
    assert waiting.names() == [] and watched.feed.closed
    watched.happen("late")
    assert watched.feed.wait(0, LONG) == []

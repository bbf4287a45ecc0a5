"""The event streams: what goes over them, for whom, how many there are, and when they end."""

import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from streaming import Stream

from roundtable_desktop.adapters.system import SystemClock, SystemIds
from roundtable_desktop.dashboard import describe
from roundtable_desktop.dashboard.api import events
from roundtable_desktop.dashboard.app import Parts, build_app
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.guard import Doors
from roundtable_desktop.dashboard.live import HEARTBEAT, MOST, Streams
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.server import listen, serve
from roundtable_desktop.dashboard.signin import ABSOLUTE_LIFE, SignIn, digest
from roundtable_desktop.engine.desk.browsers import Browsers
from roundtable_desktop.engine.desk.feed import Feed
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.callers import WebSession
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Subject
from roundtable_desktop.store import journal, migrate
from roundtable_desktop.store.db import Reader, Store

AT_ONCE = 1.0  # seconds; nothing of it is a wait of ours


class MovedClock(SystemClock):
    """The machine's, set forward by a test."""

    later = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.later

    def monotonic(self) -> float:
        return super().monotonic() + self.later.total_seconds()


class Watched:
    """A server with a database of its own, and time that a test moves."""

    def __init__(self, folder: Path) -> None:
        self.clock, ids, path = MovedClock(), SystemIds(), folder / "roundtable.db"
        migrate.migrate(path, folder / "backups", self.clock.now())
        # A reader measures how long it reads: no time may be moved under it.
        self.store, self.reader = Store(path, self.clock), Reader(path, SystemClock())
        self.feed = Feed(self.store, self.reader)
        self.browsers = Browsers(self.store, self.reader)
        sockets = listen("127.0.0.1", 0)
        self.doors = Doors(sockets[0].getsockname()[1], "k3v9x0q2m7ab")
        self.token = ["token-" + "q" * 40]
        self.signin = SignIn(self.doors, self.clock, ids, lambda: self.token[0], self.browsers)
        api = self.api = Api("Roundtable", "0")
        look = Look(self.reader, self.clock, *[None] * 7)  # type: ignore[arg-type]
        streams = Streams(self.feed, self.signin, self.clock)
        events.declare(api, look, streams, Figures("UTC"))
        parts = Parts(doors=self.doors, ids=ids, signin=self.signin, health=lambda: "ok", api=api)
        self.server = serve(build_app(parts), sockets, self.clock, on_left=self.feed.stir)
        self.opened: list[Stream] = []

    def happen(self, name: str) -> None:
        with self.store.transaction() as tx:
            journal.tell(tx, Kind.OWNER_STARTED, Subject("owner", name), workspace_id=None)

    def program(self, query: str = "", **more: str) -> Stream:
        return self._open({"Authorization": f"Bearer {self.token[0]}"} | more, query)

    def browser(self, left: timedelta = ABSOLUTE_LIFE, **more: str) -> Stream:
        """A signed-in one. left: of the life of its session."""
        now, session_id = self.clock.now(), f"{len(self.opened):040}"
        self.browsers.create(
            WebSession(
                id_hash=digest(session_id), created_at=now + left - ABSOLUTE_LIFE, seen_at=now
            )
        )
        cookie = f"{self.signin.cookie_name}={session_id}"
        return self._open({"Host": self.doors.browser_host, "Cookie": cookie} | more)

    def _open(self, headers: dict[str, str], query: str = "") -> Stream:
        self.opened.append(Stream(self.server.port, headers, query))
        return self.opened[-1]

    def full(self) -> list[Stream]:
        """As many streams as there may be, each begun."""
        streams = [self.program() for _ in range(MOST)]
        assert [stream.status for stream in streams] == [200] * MOST
        for stream in streams:
            stream.begin()
        return streams


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    watched = Watched(tmp_path)
    thread = threading.Thread(target=watched.server.run)
    thread.start()
    yield watched
    for stream in watched.opened:
        stream.vanish()
    watched.feed.close()
    watched.server.close()
    thread.join(5)
    watched.reader.close()
    watched.store.close()
    assert not thread.is_alive()


@pytest.mark.proves("K-61 run")
def test_events_come_as_they_happen_each_one_line_with_its_id(watched: Watched) -> None:
    stream = watched.program()
    assert stream["Content-Type"] == "text/event-stream"
    assert stream["Cache-Control"] == "no-store"
    last = stream.begin()
    assert last == watched.feed.last()
    watched.happen("a\nb\u2028c")
    event = stream.event()
    assert (event["id"], event["kind"]) == (last + 1, "owner.started")
    assert event["subject_id"] == "a\nb\u2028c"
    began = time.monotonic()
    watched.happen("two")
    assert stream.event()["subject_id"] == "two"
    assert time.monotonic() - began < AT_ONCE


@pytest.mark.proves("F-49")
def test_a_cursor_leaves_nothing_out_and_repeats_nothing(watched: Watched) -> None:
    for number in range(450):  # more than one look at the table
        watched.happen(str(number))
    for cursor in ({"query": "?after=0"}, {"Last-Event-ID": "0"}):
        stream = watched.program(**cursor)
        assert stream.begin() == 0
        assert [stream.event()["subject_id"] for _ in range(450)] == [str(n) for n in range(450)]
    last = watched.feed.last()
    newer = watched.program(f"?after={last - 9}", **{"Last-Event-ID": str(last - 2)})
    assert newer.begin() == last - 2
    assert [newer.event()["id"] for _ in range(2)] == [last - 1, last]


def test_a_cursor_of_another_database_begins_now(watched: Watched) -> None:
    stream = watched.program("?after=9000000")
    assert stream.begin() == watched.feed.last()
    watched.happen("new")
    assert stream.event()["subject_id"] == "new"


@pytest.mark.parametrize("given", ["x", "-1", "1e3", "0x1", "9" * 19])
def test_what_is_no_event_id_is_unreadable(watched: Watched, given: str) -> None:
    stream = watched.program(**{"Last-Event-ID": given})
    assert (stream.status, stream.problem()["code"]) == (400, "bad_last_event_id")
    stream = watched.program(f"?after={given}")
    assert (stream.status, stream.problem()["code"]) == (422, "invalid_query")


def test_silence_is_broken_by_a_comment(watched: Watched) -> None:
    stream = watched.browser()
    stream.begin()
    watched.clock.later += timedelta(seconds=HEARTBEAT)
    watched.feed.stir()
    assert stream.block(AT_ONCE) == [": "]


@pytest.mark.proves("S-61")
def test_the_ninth_stream_is_refused_at_once(watched: Watched) -> None:
    watched.full()
    began = time.monotonic()
    ninth = watched.program()
    assert time.monotonic() - began < AT_ONCE
    assert (ninth.status, ninth["Retry-After"]) == (503, "5")
    assert ninth["Content-Type"] == "application/problem+json"
    assert ninth.problem()["code"] == "streams_taken"


@pytest.mark.proves("S-61")
def test_whoever_hangs_up_makes_room_at_once(watched: Watched) -> None:
    """Not at the next heartbeat: nothing is written to any of them here."""
    for stream in watched.full():
        stream.vanish()
    began = time.monotonic()
    kept = 0
    while kept < MOST:
        kept += watched.program().status == 200
        assert time.monotonic() - began < AT_ONCE


@pytest.mark.proves("S-27")
def test_a_browser_that_was_signed_out_hears_no_more(watched: Watched) -> None:
    stream, other = watched.browser(), watched.program()
    stream.begin(), other.begin()
    watched.browsers.revoke_all()
    assert stream.ends_within(2) < 2
    watched.happen("afterwards")
    assert other.event()["subject_id"] == "afterwards"


@pytest.mark.proves("S-27")
def test_a_session_ends_in_its_stream_when_its_time_is_over(watched: Watched) -> None:
    stream = watched.browser(left=timedelta(seconds=0.3))
    stream.begin()
    assert stream.ends_within(2) < 2


@pytest.mark.slow
@pytest.mark.proves("S-27")
def test_a_stream_of_an_old_token_ends(watched: Watched) -> None:
    stream = watched.program()
    stream.begin()
    watched.token[0] = "another-" + "q" * 40
    assert stream.ends_within(2.5) < 2.2


@pytest.mark.proves("S-17", "S-13")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
    ],
)
def test_foreign_pages_get_no_stream(
    watched: Watched, headers: dict[str, str], status: int
) -> None:
    assert watched.browser(**headers).status == status
    assert watched.program(**headers).status == status


@pytest.mark.proves("S-18", "S-24")
def test_strangers_get_no_stream(watched: Watched) -> None:
    assert watched._open({}).status == 401
    assert watched._open({"Authorization": "Bearer x"}).status == 401
    assert watched.browser(Host=f"127.0.0.1:{watched.server.port}").status == 401
    own = {"Origin": watched.doors.browser_url, "Sec-Fetch-Site": "same-origin"}
    assert watched.browser(**own).status == 200


def test_the_end_of_the_feed_is_the_end_of_its_streams(watched: Watched) -> None:
    streams = watched.full()
    watched.feed.close()
    for stream in streams:
        assert stream.ends_within(2) < 2


@pytest.mark.proves("C-110")
def test_the_stream_is_described(watched: Watched) -> None:
    described = describe.document("Roundtable", "0", watched.api.routes)
    answer = described["paths"]["/api/v1/events/stream"]["get"]
    assert list(answer["responses"]["200"]["content"]) == ["text/event-stream"]
    assert "503" in answer["responses"] and "400" in answer["responses"]
    assert {p["name"] for p in answer["parameters"]} == {"after", "Last-Event-ID"}

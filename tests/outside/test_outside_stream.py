"""The event stream of a real owner, and `roundtable watch`: nothing lost, nobody hung."""

import json
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

import pytest
from outside_house import PATIENCE, ROUNDTABLE, Browser, House, until
from streaming import Stream


def program(house: House, query: str = "", **headers: str) -> Stream:
    return Stream(house.port, {"Authorization": f"Bearer {house.token}"} | headers, query)


def known(house: House, after: int = 0) -> list[Any]:
    """The whole feed after that event, page by page."""
    found: list[Any] = []
    while items := house.get("/events", after=after, limit=200)["items"]:
        found += items
        after = items[-1]["id"]
    return found


@pytest.mark.slow
@pytest.mark.proves("S-61")
def test_fifty_streams_at_once_leave_the_pages_alone(running: House) -> None:
    browser = Browser(running)

    def open_one(_: int) -> tuple[float, Stream]:
        began = time.monotonic()
        stream = program(running)
        return time.monotonic() - began, stream

    def get_page() -> float:
        began = time.monotonic()
        assert browser.ask("GET", "/").status == 200
        return time.monotonic() - began

    get_page()
    with ThreadPoolExecutor(10) as pool:
        opened = list(pool.map(open_one, range(50)))
    streams = [stream for _, stream in opened]
    taken = [one for one in streams if one.status == 200]
    assert len(taken) == 8 and {one.status for one in streams} == {200, 503}
    assert {one["Retry-After"] for one in streams if one.status == 503} == {"5"}
    assert sorted(seconds for seconds, _ in opened)[25] < 1
    until(lambda: sorted(get_page() for _ in range(5))[2] < 0.5)  # others may work here too
    for one in taken:
        one.begin()
    running.room()
    assert {one.event()["kind"] for one in taken} == {"workspace.added"}
    for one in streams:
        one.vanish()
    until(lambda: (one := program(running)).status == 200 and one.vanish() is None, 2)


@pytest.mark.slow
@pytest.mark.proves("S-27")
def test_signing_out_ends_the_stream_of_that_browser_alone(shared: House) -> None:
    leaving, staying = Browser(shared), Browser(shared)
    streams = [
        Stream(shared.port, {"Host": shared.browser_host, "Cookie": one.cookie})
        for one in (leaving, staying)
    ]
    for one in streams:
        one.begin()
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    assert leaving.ask("POST", "/logout", f"csrf={leaving.csrf()}", **form).status == 303
    assert streams[0].ends_within(2) < 2
    shared.room("after-signing-out")
    told = (streams[1].event()["kind"] for _ in range(100))  # of other rooms, too
    assert "workspace.added" in told
    streams[1].vanish()


@pytest.mark.slow
@pytest.mark.proves("S-27")
def test_a_new_token_ends_the_streams_of_the_old_one(running: House) -> None:
    stream = program(running)
    stream.begin()
    (running.home / "token").write_text("n" * 43)
    assert stream.ends_within(3) < 2.5
    assert program(running).status == 200


@pytest.mark.slow
@pytest.mark.proves("F-49")
def test_a_cursor_holds_over_a_kill_of_the_owner(running: House) -> None:
    room, port = running.room(), running.port
    stream = program(running)
    seen = []
    last = stream.begin()
    for number in range(3):
        room.task(f"before {number}")
        seen.append(stream.event())
    running.end(signal.SIGKILL)
    running.start("--port", str(port))
    for number in range(3):
        room.task(f"while nobody listened {number}")
    again = program(running, **{"Last-Event-ID": str(seen[-1]["id"])})
    assert again.begin() == seen[-1]["id"]
    room.task("the last")
    wanted = known(running, last)
    while len(seen) < len(wanted):
        seen.append(again.event())
    assert seen == wanted
    assert [one["id"] for one in seen] == sorted({one["id"] for one in seen})
    again.vanish()


@pytest.mark.slow
def test_an_owner_that_is_told_to_stop_waits_for_no_stream(running: House) -> None:
    streams = [program(running) for _ in range(8)]
    began = time.monotonic()
    code, _ = running.end()
    assert code == 0 and time.monotonic() - began < 8
    for one in streams:
        assert one.ends_within(2) < 2


# --- roundtable watch ----------------------------------------------------------------------------


class Watching:
    """`roundtable watch --follow`, its lines as they come."""

    def __init__(self, house: House, *words: str) -> None:
        self.child = subprocess.Popen(
            [ROUNDTABLE, "watch", "--follow", *words],
            env={name: value for name, value in house.env.items() if name != "PYTHONUNBUFFERED"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell that starts us in the background has switched Ctrl-C off for its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self._lines = self._read(self.child.stdout)
        self._asides = self._read(self.child.stderr)

    def _read(self, pipe: IO[str] | None) -> "queue.SimpleQueue[str]":
        assert pipe is not None
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()

        def read() -> None:
            for line in pipe:
                lines.put(line.rstrip("\n"))
            lines.put("")

        threading.Thread(target=read, daemon=True).start()
        return lines

    def next(self) -> str:
        return self._lines.get(timeout=PATIENCE)

    def aside(self) -> str:
        """The next line that it says beside the feed; empty when it has ended."""
        return self._asides.get(timeout=PATIENCE)

    def end(self) -> int:
        self.child.send_signal(signal.SIGINT)
        return self.child.wait(PATIENCE)


@pytest.fixture
def watching(running: House) -> Iterator[list[Watching]]:
    started: list[Watching] = []
    yield started
    for one in started:
        one.child.kill()
        one.child.wait()


@pytest.mark.slow
@pytest.mark.proves("K-61 run")
def test_watch_says_the_feed_in_words_and_goes_on_after_a_number(
    running: House, watching: list[Watching]
) -> None:
    room = running.room()
    room.ended(room.task("See me \u202enow", room.shell("echo <b>hi</b>", "ada & co")))
    feed = known(running)
    lines = running.cli("watch").out.splitlines()[: len(feed)]
    assert [int(line.split()[0]) for line in lines] == [event["id"] for event in feed]
    said = [line.split("  ", 2)[2] for line in lines]
    assert any("You made the task T-1 See me" in one for one in said)
    assert any("ada & co began to work in run" in one for one in said)
    assert not [one for one in said if re.search(r"[a-z]_[a-z]|\w\.\w|<|…", one)], said
    follow = Watching(running, "--after", str(feed[0]["id"]))
    watching.append(follow)
    assert [follow.next() for _ in lines[1:]] == lines[1:]
    last = known(running)[-1]["id"]
    for number in range(3):
        room.task(f"Later {number}")
    wanted = [event["id"] for event in known(running, last)]
    new: list[int] = []
    while not new or new[-1] < wanted[-1]:
        new.append(int(follow.next().split()[0]))
    assert new == list(range(feed[-1]["id"] + 1, wanted[-1] + 1)), "each once, in order"
    assert follow.end() == 0
    read = [json.loads(line) for line in running.cli("watch", "--json").out.splitlines()]
    assert read[: len(feed)] == feed
    later = running.cli("watch", "--json", "--after", str(read[-2]["id"])).out
    assert json.loads(later.splitlines()[0]) == read[-1]


@pytest.mark.slow
@pytest.mark.proves("F-49")
def test_watch_follows_over_a_kill_and_a_new_port(running: House, watching: list[Watching]) -> None:
    room, last = running.room(), known(running)[-1]["id"]
    watch = Watching(running, "--json", "--after", str(last))
    watching.append(watch)
    room.task("before")
    seen = [json.loads(watch.next())]
    running.end(signal.SIGKILL)
    # Until it looked: one that is back within that second is not said to be gone.
    assert watch.aside() == "The owner is gone. Waiting for it to come back…"
    running.start()
    room.task("afterwards")
    wanted = known(running, last)
    while len(seen) < len(wanted):
        seen.append(json.loads(watch.next()))
    assert seen == wanted
    assert watch.end() == 0
    assert watch.aside() == ""


@pytest.mark.slow
@pytest.mark.proves("S-61")
def test_watch_misses_nothing_while_all_streams_are_taken(
    running: House, watching: list[Watching]
) -> None:
    room = running.room()
    streams = [program(running) for _ in range(8)]
    watch = Watching(running, "--json")
    watching.append(watch)
    taken = "All event streams are taken. Looking every 5 s…"
    assert watch.aside() == taken
    last = known(running)[-1]["id"]
    room.task("meanwhile")
    wanted = known(running, last)
    assert [json.loads(watch.next()) for _ in wanted] == wanted
    running.end(signal.SIGKILL)
    for one in streams:
        one.vanish()
    assert watch.aside() == "The owner is gone. Waiting for it to come back…"
    running.start()
    room.task("afterwards")
    wanted = known(running, wanted[-1]["id"])
    assert [json.loads(watch.next()) for _ in wanted] == wanted
    assert watch.end() == 0
    assert watch.aside() == ""


@pytest.mark.slow
def test_watch_without_an_owner_says_how_to_start_one(house: House) -> None:
    for words in (("watch",), ("watch", "--follow")):
        done = house.cli(*words)
        assert done.code == 3 and "roundtable start" in done.err and done.out == ""

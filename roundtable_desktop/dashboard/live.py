"""The event streams: how many there may be, what goes over one, and when it ends."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from flask import Response, request

from roundtable_desktop.dashboard.problems import Refusal
from roundtable_desktop.dashboard.signin import SignIn
from roundtable_desktop.engine.desk.feed import Feed
from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.records import Event

MOST = 8
"""Each holds one of the server's threads, and pages need theirs."""
HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent: a line that died without a word is noticed."""
AGAIN_AFTER = "5"
"""Seconds, as `Retry-After`; pages ask that often while they have no stream."""

Line = Callable[[Event], str]


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who reads a stream, asked without a request.

    allowed: for how many seconds its credential counts at most, 0 once it does not. left: whether
    it hung up.
    """

    allowed: Callable[[], float]
    left: Callable[[], bool]


class Streams:
    """Each waits at the feed. An idle one of a browser costs a wake per heartbeat; one of a program
    wakes every TOKEN_STEP too, to see whether its token still counts."""

    def __init__(self, feed: Feed, signin: SignIn, clock: Clock) -> None:
        self._feed = feed
        self._signin = signin
        self._clock = clock
        self._places = threading.BoundedSemaphore(MOST)

    def open(self, after: int | None, line: Line) -> Response:
        """The answer to the request at hand. after: the last event that its reader has; None
        begins with what happens from now on. Raises Refusal when all places are taken."""
        watcher = Watcher(self._signin.standing(), request.environ["waitress.client_disconnected"])
        if not self._places.acquire(blocking=False):
            headers = {"Retry-After": AGAIN_AFTER}
            raise Refusal(503, "streams_taken", headers=headers, values={"most": MOST})
        stream = Response(self._stream(after, line, watcher), content_type="text/event-stream")
        stream.call_on_close(self._places.release)
        return stream

    def _stream(self, after: int | None, line: Line, watcher: Watcher) -> Iterator[str]:
        last = self._feed.last()
        # An id that is yet to come is of a database before a restore: nothing would ever follow.
        cursor = last if after is None else min(after, last)
        beat = self._clock.monotonic() + HEARTBEAT
        yield f"id: {cursor}\n\n"
        news: list[Event] = []
        while True:
            turn = self._feed.turn
            allowed = watcher.allowed()
            if self._feed.closed or watcher.left() or not allowed:
                return
            now = self._clock.monotonic()
            if news:
                cursor = news[-1].id
                yield "".join(f"id: {event.id}\ndata: {line(event)}\n\n" for event in news)
                beat = now + HEARTBEAT
            elif now >= beat:
                yield ": \n\n"
                beat = now + HEARTBEAT
            news = self._feed.wait(cursor, min(allowed, beat - now), turn)

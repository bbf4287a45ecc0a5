"""The door for agents: who may in, how many at once, and the life of what stands behind it."""

import logging
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from roundtable_desktop.mcp.answers import Answer, refusal
from roundtable_desktop.mcp.calls import Call
from roundtable_desktop.mcp.desk import AgentDesk
from roundtable_desktop.mcp.reading import check_key, check_message
from roundtable_desktop.mcp.tokens import Holders, Issued, bearer, issue, token_hash
from roundtable_desktop.model.errors import Busy, Invalid
from roundtable_desktop.model.ports import Ids

if TYPE_CHECKING:
    from roundtable_desktop.mcp.exchange import Exchange

log = logging.getLogger(__name__)

CALLS_AT_ONCE = 4
LAST_CALLS = 5.0
"""Seconds that calls under way get when the door closes."""

PASSED_ON = ("accept", "content-type", "mcp-")
"""How the headers begin that are the protocol's own; the SDK sees no token and no cookie."""


class Door:
    """What is behind `POST /mcp`; Host, Origin and the size of a body are the guard's (S-06).

    The SDK is imported, on a thread of its own, when the first token is issued, or when the agent
    of a run that outlived a restart comes back.
    """

    def __init__(self, holders: Holders, desk: AgentDesk, ids: Ids) -> None:
        self._holders = holders
        self._desk = desk
        self._ids = ids
        self._slots = threading.BoundedSemaphore(CALLS_AT_ONCE)
        self._gate = threading.Lock()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._exchange: Future[Exchange] = Future()

    def issue(self) -> Issued:
        """A token for one run. It opens the door once its hash stands in that run's row."""
        self._begin()
        return issue(self._ids)

    def answer(self, method: str, headers: Iterable[tuple[str, str]], body: bytes) -> Answer:
        """1. whose token  2. can it be read  3. is there room  4. the SDK, and a tool of ours.

        There is no stream to open with GET and no session to end with DELETE.
        """
        if method != "POST":
            return refusal(405, "method_not_allowed", {"Allow": "POST"})
        given = {name.lower(): value for name, value in headers}
        token = bearer(given.get("authorization", ""))
        holder = self._holders.find(token_hash(token)) if token else None
        if token is None or holder is None:
            return refusal(401, "run_access_over", {"WWW-Authenticate": "Bearer"})
        key = given.get("idempotency-key")
        try:
            check_key(key)
            check_message(body)
        except Invalid as fault:
            return refusal(400, fault.code)
        if not self._slots.acquire(blocking=False):
            return _later()
        try:
            passed = [pair for pair in given.items() if pair[0].startswith(PASSED_ON)]
            return self._ask(Call(self._desk, replace(holder, token=token), key), passed, body)
        except Busy:
            return _later()
        finally:
            self._slots.release()

    def stop(self) -> None:
        """No new calls; those under way get a moment; returns when the thread has ended."""
        with self._gate:
            self._closed = True
        if self._thread is None or not self._thread.is_alive():
            return
        for _ in range(CALLS_AT_ONCE):
            self._slots.acquire(timeout=LAST_CALLS / CALLS_AT_ONCE)
        if self._exchange.exception() is None:
            self._exchange.result().stop()
        self._thread.join()

    def _ask(self, call: Call, headers: list[tuple[str, str]], body: bytes) -> Answer:
        answer = self._begin().result().answer(call, headers, body)
        if answer.status >= 500 and self._closed:
            raise Busy("unavailable")  # the end spoke there, not the call: it is to be repeated
        return answer

    def _begin(self) -> "Future[Exchange]":
        with self._gate:
            if self._closed:
                raise Busy("unavailable")
            if self._thread is None:
                self._thread = threading.Thread(target=self._live, name="mcp")
                self._thread.start()
        return self._exchange

    def _live(self) -> None:
        begun = self._exchange
        try:
            from roundtable_desktop.mcp.exchange import Exchange

            exchange = Exchange(CALLS_AT_ONCE)
            exchange.run(ready=lambda: begun.set_result(exchange))
        except Exception:
            log.exception("mcp ended by a fault")
        if not begun.done():
            begun.set_exception(Busy("unavailable"))
        with self._gate:
            if not self._closed:  # it ended by itself: the next call begins it anew
                self._thread, self._exchange = None, Future()


def _later() -> Answer:
    return refusal(503, "unavailable", {"Retry-After": "1"})

"""The listening sockets and waitress around the application; loopback only."""

import contextlib
import errno
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from waitress import wasyncore  # type: ignore[import-untyped]
from waitress.adjustments import Adjustments  # type: ignore[import-untyped]
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]
from waitress.server import TcpWSGIServer  # type: ignore[import-untyped]
from waitress.task import ErrorTask, ThreadedTaskDispatcher  # type: ignore[import-untyped]

from roundtable_desktop.dashboard.guard import BODY_LIMIT, dress
from roundtable_desktop.dashboard.problems import (
    CODE_OF_STATUS,
    MEDIA_TYPE,
    Refusal,
    problem_json,
)
from roundtable_desktop.model.errors import Broken, Busy, Invalid
from roundtable_desktop.model.ports import Clock

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

log = logging.getLogger(__name__)

LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}

THREADS = 16
LIMITS = {"limit": BODY_LIMIT // 1024}

PATIENCE = 20.0
"""Seconds a connection may take until its next request is complete. waitress itself only ends
silent ones, so one byte now and then would hold a connection for ever (S-60)."""
PATIENCE_STEP = 1.0
QUIET_STEP = 60.0
"""The loop's timeout with nobody waiting. New work wakes it: threads pull waitress's trigger."""
LAST_ANSWERS = 2.0
"""Seconds that answers under way get when the server closes."""


def check_host(host: str) -> None:
    """Raises Invalid: there is no way to serve anybody else's machine (S-08)."""
    if host not in LOOPBACK:
        raise Invalid("host_not_loopback", "/host", host=host)


BACKLOG = 1024
"""Connections that wait; what serves them says the same."""


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets for `host`, and for its twin of the other family at the same port.

    Browsers look for `….localhost` at [::1] first: left free, another user of this machine could
    take it and be handed our links and cookies. Raises OSError when the port is taken on either.
    """
    check_host(host)
    first = _bound(LOOPBACK[host], "::1" if host == "::1" else "127.0.0.1", port)
    taken = first.getsockname()[1]
    twin = (socket.AF_INET, "127.0.0.1") if host == "::1" else (socket.AF_INET6, "::1")
    try:
        return [first, _bound(*twin, taken)]
    except OSError as error:
        if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            return [first]
        first.close()
        raise


def listen_where_asked(host: str, asked: int | None, last: int) -> list[socket.socket]:
    """The asked port or none; the last one, else the next that is free (contract, Files)."""
    if asked is not None:
        try:
            return listen(host, asked)
        except OSError as error:
            raise Broken("port_taken", port=asked, text=os.strerror(error.errno or 0)) from None
    for port in range(last, min(last + 50, 65_536)):
        try:
            return listen(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise Broken("port_taken", port=port, text=str(error)) from None
            log.warning("port taken by a stranger port=%d", port)
    raise Busy("no_free_port", port=last)


def _bound(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A restart takes the port while old connections still linger.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((address, port))
        # Two that only bind get the same port, and one of them fails much later.
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


class Refusing(ErrorTask):  # type: ignore[misc]
    """waitress's own refusals (unreadable, too large), in our words: its text echoes the input."""

    def execute(self) -> None:
        status = int(self.request.error.code)
        refusal = Refusal(status, CODE_OF_STATUS.get(status, "internal"), values=LIMITS)
        body = problem_json(refusal, self.channel.server.new_id())
        self.status = f"{status} Refused"
        self.response_headers.extend(dress([("Content-Type", MEDIA_TYPE)]))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when it keeps us waiting."""

    error_task_class = Refusing

    def __init__(self, server: "Listener", *rest: Any, **named: Any) -> None:
        self.waiting_since = server.monotonic()
        super().__init__(server, *rest, **named)

    def service(self) -> None:
        super().service()
        self.waiting_since = self.server.monotonic()

    def handle_close(self) -> None:
        super().handle_close()
        if self.requests:
            self.server.on_left()


class Listener(TcpWSGIServer):  # type: ignore[misc]
    """One listening socket."""

    channel_class = Channel
    monotonic: Callable[[], float]
    on_left: Callable[[], None]
    new_id: Callable[[], str]

    def waiting(self) -> Iterator[Channel]:
        """Connections that have no whole request yet."""
        return (c for c in list(self.active_channels.values()) if not c.requests)

    def stop_listening(self) -> None:
        self.accepting = False
        self.del_channel()
        self.socket.close()


class Server:
    """Serves until closed. Streams end with the feed, which is to be closed before.

    on_left: called when somebody left whose answer is under way, from the loop: it must be quick.
    """

    def __init__(
        self,
        app: "WSGIApplication",
        sockets: list[socket.socket],
        clock: Clock,
        on_left: Callable[[], None],
        new_id: Callable[[], str],
    ) -> None:
        self.port: int = sockets[0].getsockname()[1]
        self.closing = threading.Event()
        self._clock = clock
        self._on_left = on_left
        self._new_id = new_id
        self._map: dict[int, Any] = {}
        self._ended = threading.Lock()
        self._workers = ThreadedTaskDispatcher()
        self._workers.set_thread_count(THREADS)
        self._listeners = [self._listener(app, sock) for sock in sockets]

    def _listener(self, app: "WSGIApplication", sock: socket.socket) -> Listener:
        info = (sock.family, sock.type, sock.proto, sock.getsockname())
        listener = Listener(
            app, self._map, True, sock, self._workers, _adjustments(), info, bind_socket=False
        )
        listener.monotonic = self._clock.monotonic
        listener.on_left = self._on_left
        listener.new_id = self._new_id
        return listener

    def run(self) -> None:
        """Blocks until `close`."""
        with self._ended:
            while not self.closing.is_set():
                self._turn(PATIENCE_STEP if self._end_the_slow() else QUIET_STEP)
            self._finish()

    def close(self) -> None:
        """From any thread, once or often; returns when all is closed, in about 2 s at most."""
        self.closing.set()
        for listener in self._listeners:
            with contextlib.suppress(OSError):  # its trigger is closed already
                listener.pull_trigger()
        with self._ended:
            self._finish()

    def _turn(self, timeout: float) -> None:
        wasyncore.loop(timeout, use_poll=True, map=self._map, count=1)

    def _end_the_slow(self) -> bool:
        """Whether anybody keeps us waiting, so that the loop must look again soon."""
        now = self._clock.monotonic()
        waiting = [c for listener in self._listeners for c in listener.waiting()]
        for channel in waiting:
            if now - channel.waiting_since > PATIENCE:
                channel.handle_close()
        return bool(waiting)

    def _finish(self) -> None:
        """Let answers under way end, send them, close the rest."""
        if not self._map:
            return
        for listener in self._listeners:
            listener.stop_listening()
        self._workers.shutdown(timeout=LAST_ANSWERS)
        self._turn(0)
        for channel in [c for c in self._map.values() if isinstance(c, Channel)]:
            # Not `close`: a thread that waits for a slow reader must be told.
            channel.handle_close()
        for listener in self._listeners:
            listener.trigger.close()


def serve(
    app: "WSGIApplication",
    sockets: list[socket.socket],
    clock: Clock,
    on_left: Callable[[], None] = lambda: None,
    new_id: Callable[[], str] = lambda: "",
) -> Server:
    """Accepts from now on; answers once `run` is called. new_id: of a request that it refuses."""
    # "Task queue depth" is said for every queued request; the figure is in nobody's hands.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    return Server(app, sockets, clock, on_left, new_id)


def _adjustments() -> Any:
    return Adjustments(
        ident=None,
        expose_tracebacks=False,
        channel_request_lookahead=1,  # else nobody notices that a stream's reader has gone
        connection_limit=512,
        max_request_header_size=32 * 1024,
        max_request_body_size=BODY_LIMIT + 1,  # waitress refuses what is equal
        # Bodies and answers stay in memory; waitress would spill them into /tmp.
        inbuf_overflow=2 * BODY_LIMIT,
        outbuf_overflow=64 * BODY_LIMIT,
        log_socket_errors=False,
    )

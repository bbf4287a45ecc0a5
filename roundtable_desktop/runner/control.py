"""Answers on the run's control channel, to those who know its key."""

import json
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from hmac import new as _preloaded  # noqa: F401  the challenge would import it late
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
    wait,
)
from typing import Any

from roundtable_desktop.runner.spool import Spool

BACKLOG = 16
CONNECTIONS = 8
REQUEST_BYTES = 65536
NUDGE_SECONDS = 0.02
STALL_SECONDS = 5
"""How long a peer may leave us in the middle of a message or of the challenge."""

Answer = Mapping[str, object]
UNKNOWN: Answer = {"ok": False, "why": "unknown"}


class Control:
    """A listener without authkey: with one, a single silent client would block accept for all.

    ask: takes a request in any thread and gives the answer.
    """

    def __init__(
        self, address: str, key: str, spool: Spool, ask: Callable[[Mapping[str, Any]], Answer]
    ) -> None:
        self._key = key.encode()
        self._spool = spool
        self._ask = ask
        self._seats = threading.Semaphore(CONNECTIONS)
        self._closed = False
        self._listener = _listen(address)
        threading.Thread(target=self._accept, daemon=True, name="control").start()

    def close(self) -> None:
        """Removes the socket; open connections end with the process."""
        self._closed = True
        self._listener.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                connection = self._listener.accept()
            except OSError:
                time.sleep(NUDGE_SECONDS)  # no descriptor left: not for ever
                continue
            if self._seats.acquire(blocking=False):
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def _serve(self, connection: "Connection[bytes, bytes]") -> None:
        bell = Bell()
        try:
            _never_stall(connection)
            deliver_challenge(connection, self._key)
            answer_challenge(connection, self._key)
            while True:
                self._once(connection, bell)
        # A peer that went, stalled, lied or wrote no JSON; answer_challenge asserts in 3.11.
        except (EOFError, OSError, AuthenticationError, AssertionError, ValueError):
            pass
        finally:
            self._spool.bells.discard(bell.ring)
            bell.close()
            connection.close()
            self._seats.release()

    def _once(self, connection: "Connection[bytes, bytes]", bell: "Bell") -> None:
        ready = wait([connection, bell.ear])
        if connection in ready:
            request = json.loads(connection.recv_bytes(REQUEST_BYTES))
            connection.send_bytes(json.dumps(self._answer(request, bell)).encode())
        if bell.ear in ready:
            bell.hush()
            connection.send_bytes(json.dumps({"nudge": self._spool.seq}).encode())
            time.sleep(NUDGE_SECONDS)

    def _answer(self, request: object, bell: "Bell") -> Answer:
        if not isinstance(request, dict):
            return UNKNOWN
        if request.get("do") == "follow":
            self._spool.bells.add(bell.ring)
            return {"ok": True, "seq": self._spool.seq}
        return self._ask(request)


class Bell:
    """Wakes a thread that waits for a connection as well; many rings are one."""

    def __init__(self) -> None:
        self.ear, self._hand = socket.socketpair()
        self.ear.setblocking(False)
        self._hand.setblocking(False)
        self._lock = threading.Lock()

    def ring(self) -> None:
        with self._lock, suppress(OSError):  # full: it rings already; closed: nobody listens
            self._hand.send(b"\0")

    def hush(self) -> None:
        with suppress(BlockingIOError):
            while self.ear.recv(4096):
                pass

    def close(self) -> None:
        with self._lock:
            self._hand.close()
        self.ear.close()


def _listen(address: str) -> Listener:
    """Private from its first moment, as all that a runner makes (its umask is 077). That is not
    changed for this: other threads are writing meanwhile."""
    listener = Listener(address, "AF_UNIX", backlog=BACKLOG)
    os.chmod(address, 0o600)
    return listener


def _never_stall(connection: "Connection[bytes, bytes]") -> None:
    limit = struct.pack("ll", STALL_SECONDS, 0)
    with socket.socket(fileno=os.dup(connection.fileno())) as twin:
        twin.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        twin.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)


def listen_or_go_without(
    address: str, key: str, spool: Spool, ask: Callable[[Mapping[str, Any]], Answer]
) -> Control | None:
    """A run without a channel is still followed by its spool; it is not worth ending for that."""
    try:
        return Control(address, key, spool, ask)
    except OSError as fault:
        sys.stderr.write(f"no control channel: {fault}\n")
        return None

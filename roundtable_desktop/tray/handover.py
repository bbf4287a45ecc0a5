"""Where a second start meets the first one: it hands over what it was asked for, and ends.

By plain sockets: Qt's own need its network library, which costs the app 3 MB (G12). Where there are
no such sockets (Windows), nobody is met, and the lock of the home decides.
"""

import contextlib
import json
import os
import socket
from collections.abc import Callable

from PySide6.QtCore import QDeadlineTimer, QObject, QSocketNotifier, QThread, QTimer, Signal

ONCE, PATIENT = 0, 3000
"""ms for which the other one is looked for: at all, or also one that is just starting."""
_ANSWER = 3000  # ms
_STEP = 100
_LONGEST = 4096  # bytes of what is handed over
_WAITING = 8  # guests that nobody has met yet
_HEARD = b"heard\n"
_SOCKETS = hasattr(socket, "AF_UNIX")


def hand_over(place: str, hidden: bool, patience: int) -> bool:
    """True when a running tray has taken it. To be called apart from the main thread."""
    if not _SOCKETS:
        return False
    deadline = QDeadlineTimer(patience)
    while True:
        with socket.socket(socket.AF_UNIX) as there:
            there.settimeout(_ANSWER / 1000)
            with contextlib.suppress(OSError):
                there.connect(place)
                return _told(there, json.dumps({"hidden": hidden}).encode() + b"\n")
        if deadline.hasExpired():
            return False
        QThread.msleep(_STEP)


def _told(there: socket.socket, words: bytes) -> bool:
    deadline, heard = QDeadlineTimer(_ANSWER), b""
    with contextlib.suppress(OSError):  # the time is up, or nobody is there any more
        there.sendall(words)
        while not heard.endswith(b"\n") and (left := deadline.remainingTime()) > 0:
            there.settimeout(left / 1000)
            if not (more := there.recv(_LONGEST)):
                break
            heard += more
    return heard == _HEARD


class Meeting(QObject):
    """The first one's side. asked: hidden, as the second one was told to be."""

    asked = Signal(bool)

    def __init__(self, place: str) -> None:
        """place: in the private home; whoever holds the home may take away what lies there."""
        super().__init__()
        self._place = place
        self._door: socket.socket | None = None
        self.open = _SOCKETS and self._listen()

    def _listen(self) -> bool:
        self._door = door = socket.socket(socket.AF_UNIX)
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._place)
            door.bind(self._place)
            os.chmod(self._place, 0o600)
            door.listen(_WAITING)
        except OSError:
            door.close()
            return False
        door.setblocking(False)
        self._bell = QSocketNotifier(door.fileno(), QSocketNotifier.Type.Read, self)
        self._bell.activated.connect(self._meet)
        return True

    def close(self) -> None:
        """Nobody is heard from now on; the socket is gone."""
        if self.open and self._door is not None:
            self.open = False
            self._bell.setEnabled(False)
            self._door.close()
            with contextlib.suppress(OSError):
                os.unlink(self._place)

    def _meet(self) -> None:
        if self.open and self._door is not None:
            with contextlib.suppress(OSError):  # gone again
                _Guest(self._door.accept()[0], self.asked.emit, self)


class _Guest(QObject):
    """One that has come, until it was heard or sent away."""

    def __init__(self, line: socket.socket, heard: Callable[[bool], None], parent: QObject) -> None:
        super().__init__(parent)
        self._line, self._heard, self._words = line, heard, b""
        line.setblocking(False)
        self._bell = QSocketNotifier(line.fileno(), QSocketNotifier.Type.Read, self)
        self._bell.activated.connect(self._hear)
        self._silent = QTimer(self)
        self._silent.setSingleShot(True)
        self._silent.timeout.connect(self._leave)
        self._silent.start(_ANSWER)

    def _hear(self) -> None:
        try:
            more = self._line.recv(_LONGEST)
        except BlockingIOError:
            return
        except OSError:
            return self._leave()
        self._words += more
        words, ended, _ = self._words.partition(b"\n")
        if not ended:
            return self._leave() if not more or len(words) > _LONGEST else None
        try:
            hidden = json.loads(words)["hidden"] is True
        except (ValueError, KeyError, TypeError, RecursionError):
            return self._leave()
        with contextlib.suppress(OSError):  # it waits no more; it is done for it all the same
            self._line.send(_HEARD)
        self._leave()
        return self._heard(hidden)

    def _leave(self) -> None:
        self._silent.stop()
        self._bell.setEnabled(False)
        self._line.close()
        self.deleteLater()

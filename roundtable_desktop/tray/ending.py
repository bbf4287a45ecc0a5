"""Hears from the operating system that the program is to end."""

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier, Signal

_NUMBERS = (signal.SIGINT, signal.SIGTERM)


class Ending(QObject):
    """By the pipe of `set_wakeup_fd`: a handler waits for the next bit of Python to run, and the
    loop of Qt runs none while nothing happens."""

    told = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._hear, self._tell = socket.socketpair()
        for end in (self._hear, self._tell):
            end.setblocking(False)
        signal.set_wakeup_fd(self._tell.fileno(), warn_on_full_buffer=False)
        for number in _NUMBERS:
            signal.signal(number, lambda *_: None)  # else Python would raise, or end at once
        self._readable = QSocketNotifier(self._hear.fileno(), QSocketNotifier.Type.Read, self)
        self._readable.activated.connect(self._heard)

    def _heard(self) -> None:
        numbers = self._hear.recv(64)
        if any(number in numbers for number in _NUMBERS):
            self.told.emit()

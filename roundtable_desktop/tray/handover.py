"""Where a second start meets the first one: it hands over what it was asked for, and ends."""

import json
from collections.abc import Callable

from PySide6.QtCore import QDeadlineTimer, QObject, QThread, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

ONCE, PATIENT = 0, 3000
"""ms for which the other one is looked for: at all, or also one that is just starting."""
_ANSWER = 3000  # ms
_STEP = 100
_LONGEST = 4096  # bytes of what is handed over
_HEARD = b"heard\n"


def hand_over(place: str, hidden: bool, patience: int) -> bool:
    """True when a running tray has taken it. To be called apart from the main thread."""
    deadline = QDeadlineTimer(patience)
    while True:
        socket = QLocalSocket()
        socket.connectToServer(place)
        if socket.waitForConnected(_ANSWER):
            return _told(socket, json.dumps({"hidden": hidden}).encode() + b"\n")
        if deadline.hasExpired():
            return False
        QThread.msleep(_STEP)


def _told(socket: QLocalSocket, words: bytes) -> bool:
    deadline = QDeadlineTimer(_ANSWER)
    socket.write(words)
    while not socket.canReadLine():
        if not socket.waitForReadyRead(max(deadline.remainingTime(), 1)):
            return False
    return bytes(socket.readLine().data()) == _HEARD


class Meeting(QObject):
    """The first one's side. asked: hidden, as the second one was told to be."""

    asked = Signal(bool)

    def __init__(self, place: str) -> None:
        """place: in the private home; whoever holds the home may take away what lies there."""
        super().__init__()
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._meet)
        QLocalServer.removeServer(place)
        self.open = self._server.listen(place)

    def close(self) -> None:
        """Nobody is heard from now on; the socket is gone."""
        self._server.close()

    def _meet(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(self._reader(socket))
            socket.disconnected.connect(socket.deleteLater)
            silent = QTimer(socket)
            silent.setSingleShot(True)
            silent.timeout.connect(socket.abort)
            silent.start(_ANSWER)

    def _reader(self, socket: QLocalSocket) -> Callable[[], None]:
        def read() -> None:
            if not socket.canReadLine():
                if socket.bytesAvailable() > _LONGEST:
                    socket.abort()
                return
            try:
                hidden = json.loads(bytes(socket.readLine().data()))["hidden"] is True
            except (ValueError, KeyError, TypeError):
                socket.abort()
                return
            socket.write(_HEARD)
            socket.disconnectFromServer()
            self.asked.emit(hidden)

        return read

"""The buses of a Linux desktop, on the Qt main thread and without waiting for an answer."""

import logging
from collections.abc import Callable
from typing import Any, Literal

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    message_bus,
    new_method_call,
)
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from PySide6.QtCore import QObject, QSocketNotifier

from roundtable_desktop.tray.place import Place

log = logging.getLogger(__name__)

Answered = Callable[[tuple[Any, ...] | None], None]
"""What the other side answered; None when it refused or is not there."""
Heard = Callable[[tuple[Any, ...]], None]

_PATIENCE = 0.2
"""Seconds for all of a message to leave: its buffer holds many, so that it leaves at once unless
the bus has stopped reading. What is cut off then leaves the connection useless."""


def connect(which: Literal["SESSION", "SYSTEM"] = "SESSION") -> DBusConnection | None:
    """To be called apart from the main thread: it waits for the bus. None: there is none. The
    system's hands out locks, which are files."""
    try:
        return open_dbus_connection(which, enable_fds=which == "SYSTEM")
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        log.info("no %s bus reason=%r", which.lower(), str(error))
        return None


class Bus(QObject):
    """Calls and signals by one connection; when that breaks, every call is answered by None."""

    def __init__(self, connection: DBusConnection) -> None:
        super().__init__()
        self._connection = connection
        connection.sock.settimeout(_PATIENCE)
        self._open = True
        self._asked: dict[int, Answered] = {}
        self._listeners: list[tuple[MatchRule, Heard]] = []
        self._readable = QSocketNotifier(connection.sock.fileno(), QSocketNotifier.Type.Read, self)
        self._readable.activated.connect(self._read)

    def call(
        self,
        place: Place,
        member: str,
        signature: str | None = None,
        body: tuple[Any, ...] = (),
        then: Answered | None = None,
    ) -> None:
        """A call's answer comes by `then`, later."""
        address = DBusAddress(place.path, bus_name=place.name, interface=place.interface)
        self._send(new_method_call(address, member, signature, body), then)

    def listen(self, interface: str, member: str, heard: Heard, *first: str) -> None:
        """`heard` gets the body of each such signal that begins with the texts `first`."""
        rule = MatchRule(type="signal", interface=interface, member=member)
        for place, text in enumerate(first):
            rule.add_arg_condition(place, text)
        self._listeners.append((rule, heard))
        self._send(message_bus.AddMatch(rule), None)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._readable.setEnabled(False)
            self._connection.close()
        left, self._asked = self._asked, {}
        for answered in left.values():
            answered(None)

    def _send(self, message: Message, then: Answered | None) -> None:
        serial = next(self._connection.outgoing_serial)
        if then is not None:
            self._asked[serial] = then
        if not self._open:
            return self.close()
        try:
            self._connection.send(message, serial=serial)
        except OSError as error:
            self._broken(error)
        return None

    def _read(self) -> None:
        """All that is there; a message of which a part is missing waits for the rest."""
        while self._open:
            try:
                message = self._connection.receive(timeout=0)
            except TimeoutError:
                return
            except (OSError, ValueError) as error:
                return self._broken(error)
            self._take(message)
        return None

    def _take(self, message: Message) -> None:
        fields = message.header.fields
        then = self._asked.pop(fields.get(HeaderFields.reply_serial, -1), None)
        if then is not None:
            failed = message.header.message_type is MessageType.error
            then(None if failed else message.body)
            return
        for rule, heard in self._listeners:
            if message.header.message_type is MessageType.signal and rule.matches(message):
                heard(message.body)

    def _broken(self, error: Exception) -> None:
        log.warning("bus lost reason=%r", str(error))
        self.close()

"""The desktop's bus, as the tray speaks on it: a real one, and the tray's half in this process."""

import os
import signal
import threading
import time
from typing import Any

import pytest
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection
from PySide6.QtWidgets import QApplication

from roundtable_desktop.tray.bus import Bus
from roundtable_desktop.tray.place import Place

NOBODY = Place("org.example.Nobody", "/", "org.example.Nobody")
DAEMON = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
PICTURE = bytes(16 * 1024)
MANY = 200  # more than the buffer of a socket holds
AWAKE_AFTER = 20.0  # seconds; without a limit of its own the tray would wait that long


@pytest.mark.proves("D-01 waits")
def test_a_bus_that_reads_no_more_is_given_up_and_not_waited_for(
    bus: str, application: QApplication
) -> None:
    connection = open_dbus_connection(bus)
    ask = new_method_call(DAEMON, "GetConnectionUnixProcessID", "s", ("org.freedesktop.DBus",))
    daemon = connection.send_and_get_reply(ask, timeout=20).body[0]
    spoken = Bus(connection)
    answers: list[tuple[Any, ...] | None] = []
    awake = threading.Timer(AWAKE_AFTER, os.kill, (daemon, signal.SIGCONT))
    os.kill(daemon, signal.SIGSTOP)
    awake.start()
    began = time.monotonic()
    try:
        for _number in range(MANY):
            spoken.call(NOBODY, "Notify", "ay", (PICTURE,), answers.append)
        took = time.monotonic() - began
    finally:
        awake.cancel()
        os.kill(daemon, signal.SIGCONT)
    assert took < AWAKE_AFTER / 2
    assert answers == [None] * MANY, "each is answered, so that something else can speak instead"

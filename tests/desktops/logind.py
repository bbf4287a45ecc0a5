"""A logind that records: who holds the machine up, and until when."""

import asyncio
import os
import select
from dataclasses import dataclass
from typing import Annotated

from dbus_fast.annotations import DBusBool, DBusSignature, DBusStr
from dbus_fast.service import ServiceInterface, dbus_method, dbus_signal

LOGIND = "org.freedesktop.login1"
SENT = 0.5
"""Seconds after which an answer has left, and our own copy of its file can go."""

File = Annotated[int, DBusSignature("h")]


@dataclass(frozen=True)
class Lock:
    """words: what, who, mode."""

    words: tuple[str, str, str]
    ear: int

    @property
    def held(self) -> bool:
        """Its other end is open somewhere."""
        return not select.select([self.ear], [], [], 0)[0]


class Logind(ServiceInterface):
    def __init__(self, locks: list[Lock]) -> None:
        super().__init__(f"{LOGIND}.Manager")
        self.locks = locks

    @dbus_method()
    def Inhibit(self, what: DBusStr, who: DBusStr, why: DBusStr, mode: DBusStr) -> File:
        ear, given = os.pipe()
        self.locks.append(Lock((what, who, mode), ear))
        asyncio.get_event_loop().call_later(SENT, os.close, given)
        return given

    @dbus_signal()
    def PrepareForShutdown(self, begins: DBusBool) -> DBusBool:
        return begins

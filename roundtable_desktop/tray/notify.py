"""Notifications of the desktop: one for each key, replaced and closed by it."""

from __future__ import annotations

import html
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QSystemTrayIcon

from roundtable_desktop.tray.place import Place

if TYPE_CHECKING:  # its library is for Linux alone
    from roundtable_desktop.tray.bus import Bus

log = logging.getLogger(__name__)

DEFAULT = "default"
"""The action of a click on the notification itself; some desktops show it as a button too."""
LATER = "later"
"""It goes; what it told of stays where it is."""
APP = "Roundtable"

_SERVER = Place(
    "org.freedesktop.Notifications",
    "/org/freedesktop/Notifications",
    "org.freedesktop.Notifications",
)
_URGENCY = {"low": 0, "normal": 1, "critical": 2}
_NOT_YET = 0
_LONG = 15_000  # ms that a balloon stays


@dataclass(frozen=True, slots=True)
class Notice:
    """Plain text. actions: name and label; urgency: low, normal, critical."""

    key: str
    title: str
    body: str
    actions: Sequence[tuple[str, str]]
    urgency: str = "normal"


class Notifier(Protocol):
    """What speaks to the person; `activated` carries a key and the name of an action."""

    @property
    def activated(self) -> SignalInstance: ...

    def notify(self, notice: Notice) -> None:
        """In place of the last one with this key, if that is still there."""

    def renew(self, notice: Notice) -> None:
        """The same, but only if the last one with this key is still there."""

    def close(self, key: str) -> None:
        """Takes it away, if it is still there."""


class Balloon(QObject):
    """What Qt's icon can do: no buttons, no replacing; the last one that was shown is clicked.

    Until there is an icon, what it should have said is kept.
    """

    activated = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self._icon: QSystemTrayIcon | None = None
        self._last = ""
        self._kept: dict[str, Notice] = {}

    def attach(self, icon: QSystemTrayIcon) -> None:
        """icon: one that Qt draws. Of another it would ask the desktop's server, of which we know
        already that it is not there, and hand it plain text as if it were markup."""
        self._icon = icon
        icon.messageClicked.connect(lambda: self.activated.emit(self._last, DEFAULT))
        for notice in self.take():
            self.notify(notice)

    def take(self) -> Sequence[Notice]:
        """What nobody has said yet, oldest first, for another one to say."""
        kept, self._kept = self._kept, {}
        return list(kept.values())

    def notify(self, notice: Notice) -> None:
        if self._icon is None:
            log.warning("nobody shows notifications title=%r", notice.title)
            self._kept[notice.key] = notice
            return
        self._last = notice.key
        self._icon.showMessage(notice.title, notice.body, self._icon.icon(), _LONG)

    def renew(self, notice: Notice) -> None:
        if notice.key in self._kept:
            self._kept[notice.key] = notice

    def close(self, key: str) -> None:
        """What is shown goes by itself."""
        self._kept.pop(key, None)


class Desktop(QObject):
    """The freedesktop.org server. While it is not there, what should be said goes to `instead`;
    when it comes, it says what that one has kept.

    What it can do is asked before the first notification: some take a body as markup.
    """

    activated = Signal(str, str)

    def __init__(self, bus: Bus, picture: QImage, instead: Balloon) -> None:
        super().__init__()
        self._bus = bus
        self._instead = instead
        self._caps: Sequence[str] | None = None  # of the server that is there now, once it told
        self._unsent: dict[str, Notice] = {}  # until then
        self._hints = {"desktop-entry": ("s", "roundtable-desktop"), "image-data": _data(picture)}
        self._ids: dict[str, int] = {}  # what is shown, or _NOT_YET while it is being sent
        self._unwanted: set[str] = set()  # closed before the server gave it a number
        bus.listen(_SERVER.interface, "ActionInvoked", self._invoked)
        bus.listen(_SERVER.interface, "NotificationClosed", self._gone)
        bus.listen("org.freedesktop.DBus", "NameOwnerChanged", self._changed, _SERVER.name)

    def notify(self, notice: Notice) -> None:
        if self._caps is not None:
            return self._send(notice, self._caps)
        self._unsent[notice.key] = notice
        if len(self._unsent) == 1:
            self._ask()
        return None

    def renew(self, notice: Notice) -> None:
        self._instead.renew(notice)
        if notice.key in self._ids or notice.key in self._unsent:
            self.notify(notice)

    def close(self, key: str) -> None:
        self._unsent.pop(key, None)
        self._instead.close(key)
        number = self._ids.pop(key, None)
        if number == _NOT_YET:
            self._unwanted.add(key)
        elif number is not None:
            self._bus.call(_SERVER, "CloseNotification", "u", (number,))

    def _ask(self) -> None:
        self._bus.call(_SERVER, "GetCapabilities", then=self._able)

    def _able(self, answer: tuple[Any, ...] | None) -> None:
        unsent, self._unsent = self._unsent, {}
        self._caps = tuple(answer[0]) if answer else None
        for notice in unsent.values():
            if self._caps is None:
                self._instead.notify(notice)
            else:
                self._send(notice, self._caps)

    def _changed(self, body: tuple[Any, ...]) -> None:
        """Another server came, or none is left: it knows none of the numbers of the last one."""
        self._caps = None
        self._ids = {key: _NOT_YET for key, one in self._ids.items() if one == _NOT_YET}
        if body[2]:
            self._unsent = {one.key: one for one in self._instead.take()} | self._unsent
            self._ask()

    def _send(self, notice: Notice, caps: Sequence[str]) -> None:
        body = notice.body
        if "body-markup" in caps:
            body = html.escape(body, quote=False)
        hints: Mapping[str, Any] = self._hints | {"urgency": ("y", _URGENCY[notice.urgency])}
        if any(name not in (DEFAULT, LATER) for name, _label in notice.actions):
            hints = {**hints, "resident": ("b", True)}  # it stays, and becomes what comes of it
        actions = [word for action in notice.actions for word in action]
        last = self._ids.get(notice.key, _NOT_YET)
        self._ids[notice.key] = last
        self._unwanted.discard(notice.key)
        words = (APP, last, "", notice.title, body, actions, hints, -1)
        self._bus.call(
            _SERVER, "Notify", "susssasa{sv}i", words, lambda answer: self._sent(notice, answer)
        )

    def _sent(self, notice: Notice, answer: tuple[Any, ...] | None) -> None:
        unwanted = notice.key in self._unwanted
        self._unwanted.discard(notice.key)
        if answer is None:
            self._ids.pop(notice.key, None)
            if not unwanted:
                self._instead.notify(notice)
        elif unwanted:
            self._bus.call(_SERVER, "CloseNotification", "u", (answer[0],))
        else:
            self._ids[notice.key] = answer[0]
        if answer is not None:  # what it refused before, as some do when it is too much at once
            for kept in self._instead.take():
                self.notify(kept)

    def _invoked(self, body: tuple[Any, ...]) -> None:
        key = self._key_of(body[0])
        if key is not None:
            self.activated.emit(key, str(body[1]))

    def _gone(self, body: tuple[Any, ...]) -> None:
        key = self._key_of(body[0])
        if key is not None:
            del self._ids[key]

    def _key_of(self, number: int) -> str | None:
        return next((key for key, one in self._ids.items() if one == number != _NOT_YET), None)


def _data(picture: QImage) -> tuple[str, tuple[Any, ...]]:
    """The hint `image-data`: width, height, row stride, alpha, bits, channels, bytes."""
    plain = picture.convertToFormat(QImage.Format.Format_RGBA8888)
    size = (plain.width(), plain.height(), plain.bytesPerLine())
    return "(iiibiiay)", (*size, True, 8, 4, bytes(plain.constBits()))

"""A desktop that records: it shows the icon, reads and clicks the menu, keeps the notifications."""

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from dbus_fast import Message, MessageType, PropertyAccess, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.annotations import (
    DBusBool,
    DBusInt32,
    DBusSignature,
    DBusStr,
    DBusUInt32,
    DBusVariant,
)
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property, dbus_signal
from desktops.logind import LOGIND, Lock, Logind

R = TypeVar("R")

Texts = Annotated[list[str], DBusSignature("as")]
Hints = Annotated[dict[str, Any], DBusSignature("a{sv}")]
NumberAndText = Annotated[list[Any], DBusSignature("us")]
TwoNumbers = Annotated[list[int], DBusSignature("uu")]
Setting = Annotated[list[Any], DBusSignature("ssv")]
Server = Annotated[list[str], DBusSignature("ssss")]

NOTIFICATIONS = "org.freedesktop.Notifications"
WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
PORTAL = "org.freedesktop.portal.Desktop"
APPEARANCE = ("org.freedesktop.appearance", "color-scheme")
SCHEMES = {"dark": 1, "light": 2}
CLOSED_BY_CALL, DISMISSED = 3, 2


@dataclass
class Note:
    """One notification; `times` that it was said, each in place of the last."""

    id: int
    title: str
    body: str
    actions: list[str]
    hints: dict[str, Any]
    times: int = 1
    closed: bool = False


@dataclass(frozen=True)
class Line:
    """One entry of the menu; the part of an entry that cannot be seen is left out."""

    id: int
    label: str
    enabled: bool
    below: list["Line"] = field(default_factory=list)


class Notifications(ServiceInterface):
    def __init__(self, notes: list[Note]) -> None:
        super().__init__(NOTIFICATIONS)
        self.notes = notes

    @dbus_method()
    def GetCapabilities(self) -> Texts:
        return ["actions", "body", "body-markup", "persistence"]

    @dbus_method()
    def GetServerInformation(self) -> Server:
        return ["recorder", "tests", "1", "1.2"]

    @dbus_method()
    def Notify(
        self,
        app: DBusStr,
        replaces: DBusUInt32,
        icon: DBusStr,
        title: DBusStr,
        body: DBusStr,
        actions: Texts,
        hints: Hints,
        timeout: DBusInt32,
    ) -> DBusUInt32:
        for note in self.notes:
            if replaces == note.id:
                note.title, note.body, note.times = title, body, note.times + 1
                return note.id
        made = Note(len(self.notes) + 1, title, body, actions, hints)
        self.notes.append(made)
        return made.id

    @dbus_method()
    def CloseNotification(self, number: DBusUInt32) -> None:
        for note in self.notes:
            if note.id == number:
                note.closed = True
        self.NotificationClosed(number, CLOSED_BY_CALL)

    @dbus_signal()
    def ActionInvoked(self, number: DBusUInt32, action: DBusStr) -> NumberAndText:
        return [number, action]

    @dbus_signal()
    def NotificationClosed(self, number: DBusUInt32, why: DBusUInt32) -> TwoNumbers:
        return [number, why]


class Watcher(ServiceInterface):
    def __init__(self, items: list[str]) -> None:
        super().__init__(WATCHER)
        self.items = items

    @dbus_method()
    def RegisterStatusNotifierItem(self, name: DBusStr) -> None:
        self.items.append(name)

    @dbus_method()
    def RegisterStatusNotifierHost(self, name: DBusStr) -> None:
        pass

    @dbus_property(access=PropertyAccess.READ)
    def RegisteredStatusNotifierItems(self) -> Texts:
        return self.items

    @dbus_property(access=PropertyAccess.READ)
    def IsStatusNotifierHostRegistered(self) -> DBusBool:
        return True

    @dbus_property(access=PropertyAccess.READ)
    def ProtocolVersion(self) -> DBusInt32:
        return 0


class Settings(ServiceInterface):
    """The portal's, as far as dark and light go."""

    def __init__(self, scheme: int) -> None:
        super().__init__("org.freedesktop.portal.Settings")
        self.scheme = scheme

    @dbus_method()
    def Read(self, namespace: DBusStr, key: DBusStr) -> DBusVariant:
        assert (namespace, key) == APPEARANCE
        return Variant("v", Variant("u", self.scheme))

    @dbus_signal()
    def SettingChanged(self, namespace: DBusStr, key: DBusStr, value: DBusVariant) -> Setting:
        return [namespace, key, value]


class Recorder:
    """Its loop runs on a thread; every method may be called from the test's."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._buses: dict[str, MessageBus] = {}
        self.notes: list[Note] = []
        self.items: list[str] = []
        self._server = Notifications(self.notes)
        self.locks: list[Lock] = []
        self._logind = Logind(self.locks)

    def close(self) -> None:
        for name in list(self._buses):
            self.leave(name)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    # --- coming and going ----------------------------------------------------------------------

    def show_notifications(self) -> None:
        self._do(self._come(NOTIFICATIONS, "/org/freedesktop/Notifications", self._server))

    def show_panel(self) -> None:
        self.items.clear()
        self._do(self._come(WATCHER, "/StatusNotifierWatcher", Watcher(self.items)))
        self._do(self._watch_owners())

    def prefer(self, scheme: str) -> None:
        """dark or light; from now on the portal is there to say so."""
        self._settings = Settings(SCHEMES[scheme])
        self._do(self._come(PORTAL, "/org/freedesktop/portal/desktop", self._settings))

    def change(self, scheme: str) -> None:
        async def act() -> None:
            self._settings.scheme = SCHEMES[scheme]
            self._settings.SettingChanged(*APPEARANCE, Variant("u", SCHEMES[scheme]))

        self._do(act())

    def show_logind(self) -> None:
        self._do(self._come(LOGIND, "/org/freedesktop/login1", self._logind, files=True))

    def go_down(self, begins: bool) -> None:
        """The machine, or not after all."""

        async def act() -> None:
            self._logind.PrepareForShutdown(begins)

        self._do(act())

    def leave(self, name: str) -> None:
        bus = self._buses.pop(name)
        self._loop.call_soon_threadsafe(bus.disconnect)
        self._do(bus.wait_for_disconnect())

    async def _come(
        self, name: str, path: str, interface: ServiceInterface, *, files: bool = False
    ) -> None:
        bus = await MessageBus(bus_address=self._address, negotiate_unix_fd=files).connect()
        bus.export(path, interface)
        await bus.request_name(name)
        self._buses[name] = bus

    async def _watch_owners(self) -> None:
        """An icon goes with its program."""

        def hear(message: Message) -> None:
            if message.member == "NameOwnerChanged" and not message.body[2]:
                self.items[:] = [one for one in self.items if one != message.body[0]]

        bus = self._buses[WATCHER]
        bus.add_message_handler(hear)
        rule = "type='signal',interface='org.freedesktop.DBus',member='NameOwnerChanged'"
        await bus.call(
            Message(
                destination="org.freedesktop.DBus",
                path="/org/freedesktop/DBus",
                interface="org.freedesktop.DBus",
                member="AddMatch",
                signature="s",
                body=[rule],
            )
        )

    # --- notifications -------------------------------------------------------------------------

    def press(self, note: Note, action: str) -> None:
        """The server takes the notification away, as most do."""

        async def act() -> None:
            self._server.ActionInvoked(note.id, action)
            note.closed = True
            self._server.NotificationClosed(note.id, DISMISSED)

        self._do(act())

    # --- the icon and its menu -----------------------------------------------------------------

    def icon(self) -> dict[str, Any]:
        """The properties of the only icon."""
        found = self._ask("/StatusNotifierItem", "org.freedesktop.DBus.Properties", "GetAll", ITEM)
        return {name: one.value for name, one in found[0].items()}

    def click_icon(self, member: str = "Activate") -> None:
        self._ask("/StatusNotifierItem", ITEM, member, 0, 0)

    def menu(self) -> list[Line]:
        path = self.icon()["Menu"]
        self._ask(path, MENU, "AboutToShow", 0)
        found = self._ask(path, MENU, "GetLayout", 0, -1, [])
        return _lines(found[1][2])

    def choose(self, *labels: str) -> None:
        """Clicks the entry at the end of that way through the menu."""
        lines = self.menu()
        for label in labels:
            line = next(one for one in lines if one.label == label)
            lines = line.below
        assert line.enabled, label
        event = (line.id, "clicked", Variant("s", ""), 0)
        self._ask(self.icon()["Menu"], MENU, "Event", *event)

    def _ask(self, path: str, interface: str, member: str, *body: object) -> list[Any]:
        signature = {
            "GetAll": "s",
            "Activate": "ii",
            "SecondaryActivate": "ii",
            "AboutToShow": "i",
            "GetLayout": "iias",
            "Event": "isvu",
        }[member]

        async def ask() -> Message | None:
            return await self._buses[WATCHER].call(
                Message(
                    destination=self.items[0],
                    path=path,
                    interface=interface,
                    member=member,
                    signature=signature,
                    body=list(body),
                )
            )

        answer = self._do(ask())
        assert answer is not None and answer.message_type is MessageType.METHOD_RETURN, answer
        return list(answer.body)

    def _do(self, work: Coroutine[Any, Any, R]) -> R:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)


def _lines(nodes: list[Variant]) -> list[Line]:
    found = []
    for node in nodes:
        number, properties, below = node.value
        shown = {name: one.value for name, one in properties.items()}
        if shown.get("visible", True) and shown.get("type") != "separator":
            # Two underscores are one; one marks the letter after it.
            label = "_".join(part.replace("_", "") for part in shown.get("label", "").split("__"))
            found.append(Line(number, label, shown.get("enabled", True), _lines(below)))
    return found

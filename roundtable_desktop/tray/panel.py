"""The panel: whether there is one that shows icons, and whether it is dark."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSystemTrayIcon

from roundtable_desktop.tray.place import Place

if TYPE_CHECKING:  # its library is for Linux alone
    from roundtable_desktop.tray.bus import Bus

log = logging.getLogger(__name__)

WATCHER = "org.kde.StatusNotifierWatcher"
PATIENCE = 10_000  # ms without a panel until the person is told
_LOOKS = (500, 1000, 2000, 4000, 8000, 16_000, 30_000)  # ms between looks, the last for ever

_PORTAL = Place(
    "org.freedesktop.portal.Desktop",
    "/org/freedesktop/portal/desktop",
    "org.freedesktop.portal.Settings",
)
_APPEARANCE, _SCHEME = "org.freedesktop.appearance", "color-scheme"


class Panel(QObject):
    """came: once, when there is a panel; from then on Qt itself comes back to one that restarts.
    missing: once, when none came in time; it is still waited for."""

    came = Signal()
    missing = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._found = False
        self._looks = 0
        self._look_again = QTimer(self)
        self._look_again.setSingleShot(True)
        self._look_again.timeout.connect(self._look)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.timeout.connect(self._miss)

    def wait(self) -> None:
        self._late.start(PATIENCE)
        self._look()

    def listen(self, bus: Bus) -> None:
        """A panel of the newer kind says when it comes; one of the older kind is looked for."""
        bus.listen(
            "org.freedesktop.DBus",
            "NameOwnerChanged",
            lambda body: self._look() if body[2] else None,
            WATCHER,
        )

    def _look(self) -> None:
        if self._found:
            return
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._found = True
            self._late.stop()
            self._look_again.stop()
            log.info("panel found")
            self.came.emit()
            return
        self._look_again.start(_LOOKS[min(self._looks, len(_LOOKS) - 1)])
        self._looks += 1

    def _miss(self) -> None:
        log.warning("no panel that shows icons; going on without one")
        self.missing.emit()


class Scheme(QObject):
    """Dark or light: by the portal, which also says when it changes; else by Qt's own guess."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._told: int | None = None

    @property
    def dark(self) -> bool:
        """True also when nobody knows: most panels are dark."""
        if self._told in (1, 2):
            return self._told == 1
        return QGuiApplication.styleHints().colorScheme() != Qt.ColorScheme.Light

    def listen(self, bus: Bus) -> None:
        bus.listen(_PORTAL.interface, "SettingChanged", self._changed_there, _APPEARANCE, _SCHEME)
        bus.call(_PORTAL, "Read", "ss", (_APPEARANCE, _SCHEME), self._read)

    def _changed_there(self, body: tuple[Any, ...]) -> None:
        self._take(body[2])

    def _read(self, body: tuple[Any, ...] | None) -> None:
        if body:
            self._take(body[0])

    def _take(self, variant: Any) -> None:
        """A variant is (signature, value); `Read` wraps it twice."""
        while isinstance(variant, tuple) and len(variant) == 2:
            variant = variant[1]
        if isinstance(variant, int) and variant != self._told:
            self._told = variant
            self.changed.emit()

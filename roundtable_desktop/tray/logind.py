"""Hears from logind that the machine goes down, and holds that up until agents are told (F-47)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from roundtable_desktop.phrases import _
from roundtable_desktop.tray.place import Place

if TYPE_CHECKING:  # its library is for Linux alone
    from roundtable_desktop.tray.bus import Bus

_LOGIND = Place(
    "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"
)


class GoingDown(QObject):
    """A desktop on Wayland tells its programs nothing before it ends them; logind does. Its lock is
    a file: it holds as long as that is open, at most five seconds, and goes with this process."""

    told = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._bus: Bus | None = None
        self._lock: Any = None

    def listen(self, bus: Bus) -> None:
        self._bus = bus
        bus.listen(_LOGIND.interface, "PrepareForShutdown", self._heard)
        self._hold_up()

    def let_go(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _hold_up(self) -> None:
        if self._bus is not None and self._lock is None:
            why = _("Agents are told to write down where they are")
            wanted = ("shutdown", "Roundtable", why, "delay")
            self._bus.call(_LOGIND, "Inhibit", "ssss", wanted, self._held)

    def _held(self, answer: tuple[Any, ...] | None) -> None:
        """None where there is no logind, or it allows us no lock: the signal is heard all the
        same."""
        if answer:
            self.let_go()
            self._lock = answer[0]

    def _heard(self, body: tuple[Any, ...]) -> None:
        """False: it does not go down after all."""
        if body and body[0]:
            self.told.emit()
        else:
            self._hold_up()

"""The menu: the same actions for ever, changed in place, because a panel draws it and not we."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from roundtable_desktop.model.glance import Standing
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.tray.shown import NEWEST, Shown

OVERVIEW, INBOX, CONTROL = "/", "/inbox", "/control"

PAUSE_A_LITTLE, PAUSE_OVER_NIGHT, STOP, LEAVE, STOP_ALL = "30m", "night", "stop", "leave", "all"
WAYS = {
    PAUSE_A_LITTLE: N_("Pause for 30 minutes"),
    PAUSE_OVER_NIGHT: N_("Pause until tomorrow 09:00"),
    STOP: N_("Stop when all runs have ended"),
    LEAVE: N_("I am leaving in 10 minutes"),
    STOP_ALL: N_("Stop all runs…"),
}
"""Each by its code. The first pause of the menu has no end."""


class Menu(QObject):
    """open: the path of a page. turn: True to open the intake, False to pause it. act: one of the
    other ways to pause or stop."""

    open = Signal(str)
    turn = Signal(bool)
    act = Signal(str)
    quit = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.drawn_by_panel = True
        self._intake_open = True
        self.menu = QMenu()
        self._status = self.menu.addAction("")
        self._status.setEnabled(False)
        self._needs_you = self.menu.addMenu("")
        self._entries = [self._entry() for _number in range(NEWEST)]
        self._needs_you.addSeparator()
        inbox = self._needs_you.addAction(_("Open inbox"))
        inbox.triggered.connect(lambda: self.open.emit(INBOX))
        self._dashboard = self.menu.addAction(_("Open dashboard"))
        self._dashboard.triggered.connect(lambda: self.open.emit(OVERVIEW))
        self.menu.setDefaultAction(self._dashboard)
        self.menu.addSeparator()
        self._pause = self.menu.addAction("")
        self._pause.triggered.connect(lambda: self.turn.emit(not self._intake_open))
        self._ways = self.menu.addMenu(_("Pause or stop"))
        self._pauses = [self._way(PAUSE_A_LITTLE), self._way(PAUSE_OVER_NIGHT)]
        self._ways.addSeparator()
        self._drain, self._leave = self._way(STOP), self._way(LEAVE)
        self._ways.addSeparator()
        self._stop_all = self._way(STOP_ALL)
        self.menu.addSeparator()
        leave = self.menu.addAction(_("Quit…"))
        leave.triggered.connect(lambda: self.quit.emit())

    def show(self, shown: Shown, *, ready: bool) -> None:
        """ready: the owner runs, so that there is a dashboard and something to pause."""
        self._intake_open = shown.intake_open
        self._status.setText(self._text(shown.status))
        self._needs_you.setTitle(self._text(shown.needs_you))
        self._needs_you.menuAction().setVisible(bool(shown.needs_you))
        for place, action in enumerate(self._entries):
            there = place < len(shown.entries)
            action.setVisible(there)
            if there:
                action.setText(self._text(shown.entries[place].text))
                action.setData(shown.entries[place].path)
        self._pause.setText(self._text(shown.pause))
        for action in (self._dashboard, self._pause, self._ways.menuAction()):
            action.setEnabled(ready)
        for pause in self._pauses:
            pause.setVisible(shown.state in (Standing.ACTIVE, Standing.PAUSED))
        self._drain.setVisible(shown.state not in (Standing.DRAINING, Standing.STOPPED))
        self._leave.setVisible(shown.state not in (Standing.LEAVING, Standing.LEFT))

    def _text(self, text: str) -> str:
        """An ampersand would underline the letter after it; to a panel, an underscore does."""
        escaped = text.replace("&", "&&")
        return escaped.replace("_", "__") if self.drawn_by_panel else escaped

    def _way(self, code: str) -> QAction:
        action = self._ways.addAction(_(WAYS[code]))
        action.triggered.connect(lambda: self.act.emit(code))
        return action

    def _entry(self) -> QAction:
        action = self._needs_you.addAction("")
        action.triggered.connect(lambda: self.open.emit(action.data()))
        return action

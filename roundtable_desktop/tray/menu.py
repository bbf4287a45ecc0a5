"""The menu: the same actions for ever, changed in place, because a panel draws it and not we."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from roundtable_desktop.phrases import _
from roundtable_desktop.tray.shown import NEWEST, Shown

OVERVIEW, INBOX = "/", "/inbox"


class Menu(QObject):
    """open: the path of a page. turn: True to open the intake, False to pause it."""

    open = Signal(str)
    turn = Signal(bool)
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
        for action in (self._dashboard, self._pause):
            action.setEnabled(ready)

    def _text(self, text: str) -> str:
        """An ampersand would underline the letter after it; to a panel, an underscore does."""
        escaped = text.replace("&", "&&")
        return escaped.replace("_", "__") if self.drawn_by_panel else escaped

    def _entry(self) -> QAction:
        action = self._needs_you.addAction("")
        action.triggered.connect(lambda: self.open.emit(action.data()))
        return action

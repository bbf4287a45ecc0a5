"""Parts of the menu that show as many entries as there are: made once, shown and hidden."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from roundtable_desktop.phrases import _
from roundtable_desktop.tray.shown import MOST_RUNS, Entry

RUNS = "/runs"
TELL = "#say"
"""Where on a run's page its agent is told something."""


class Filling:
    """What all parts of one menu need."""

    def __init__(self, menu: QMenu) -> None:
        self.menu = menu
        self.drawn_by_panel = True

    def text(self, text: str) -> str:
        """An ampersand would underline the letter after it; to a panel, an underscore does."""
        escaped = text.replace("&", "&&")
        return escaped.replace("_", "__") if self.drawn_by_panel else escaped

    def entries(
        self, menu: QMenu, most: int, chosen: Callable[[QAction], None]
    ) -> Sequence[QAction]:
        def entry() -> QAction:
            action = menu.addAction("")
            action.triggered.connect(lambda: chosen(action))
            return action

        return [entry() for _number in range(most)]

    def show(self, actions: Sequence[QAction], entries: Sequence[Entry]) -> None:
        """An action keeps its entry as its data."""
        for place, action in enumerate(actions):
            there = place < len(entries)
            action.setVisible(there)
            if there:
                action.setText(self.text(entries[place].text))
                action.setData(entries[place])


class RunsPart(QObject):
    """A menu for each run that is at work, the newest first."""

    open = Signal(str)
    end = Signal(str)

    def __init__(self, fill: Filling) -> None:
        super().__init__()
        self._fill = fill
        self._menus = [self._run() for _number in range(MOST_RUNS)]
        self._more = fill.menu.addAction(_("All runs…"))
        self._more.triggered.connect(lambda: self.open.emit(RUNS))
        self._line = fill.menu.addSeparator()

    def show(self, runs: Sequence[Entry], running: int) -> None:
        self._fill.show([one.menuAction() for one in self._menus], runs)
        self._more.setVisible(running > len(runs) > 0)
        self._line.setVisible(bool(runs))

    def _run(self) -> QMenu:
        menu = self._fill.menu.addMenu("")
        about = menu.menuAction()

        def opens(place: str) -> Callable[[], None]:
            return lambda: self.open.emit(about.data().path + place)

        menu.addAction(_("Watch")).triggered.connect(opens(""))
        menu.addAction(_("Send message…")).triggered.connect(opens(TELL))
        menu.addAction(_("Stop…")).triggered.connect(lambda: self.end.emit(about.data().key))
        return menu

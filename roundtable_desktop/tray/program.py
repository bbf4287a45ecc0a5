"""The tray program: its parts joined, from the start of the owner to its end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QMessageBox, QSystemTrayIcon

from roundtable_desktop.engine.desk import Asked, control
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.records import PERSON
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.tray import stopping
from roundtable_desktop.tray.dialogs import cannot_start, leave_agents, stop_all, take_over
from roundtable_desktop.tray.ending import Ending
from roundtable_desktop.tray.handover import ONCE, PATIENT, Meeting, hand_over
from roundtable_desktop.tray.icon import icon, paint
from roundtable_desktop.tray.logind import GoingDown
from roundtable_desktop.tray.menu import CONTROL, INBOX, OVERVIEW, STOP_ALL, Menu
from roundtable_desktop.tray.notify import APP, DEFAULT, Balloon, Desktop, Notice, Notifier
from roundtable_desktop.tray.panel import Panel, Scheme
from roundtable_desktop.tray.shown import Face, Seen, Shape, shown
from roundtable_desktop.tray.signals import Faces, Watcher, Worker
from roundtable_desktop.tray.speaker import Speaker

if TYPE_CHECKING:  # its library is for Linux alone
    from roundtable_desktop.tray.bus import Bus

_NO_PANEL = "panel"
_PICTURE = 64  # pixels of the picture beside a notification


class OwnerOfHome(Protocol):
    """What the tray needs of the owner. `start`, `stop`, `open_page` and `take_over` may wait,
    so the worker calls them; the others answer at once."""

    @property
    def faces(self) -> Faces | None: ...

    @property
    def meeting_place(self) -> str:
        """Where a second start meets the first one."""

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def open_page(self, path: str) -> str:
        """Opens a page that signs the browser in and leads to `path`, once. The file to open by
        hand where no browser could be started."""

    def take_over(self) -> None:
        """Ends the owner without a tray that holds the home; agents go on."""


def run(owner: OwnerOfHome, *, hidden: bool) -> Exception | None:
    """Until it is told to quit; answers why it could not start, if so."""
    app = QApplication(["roundtable-desktop"])
    app.setApplicationName(APP)
    app.setDesktopFileName("roundtable-desktop")
    app.setQuitOnLastWindowClosed(False)
    tray = Tray(app, owner, hidden)
    tray.begin()
    app.exec()
    tray.finish()
    return tray.failure


class Tray(QObject):
    """Lives on the main thread; everything that could wait is asked of the worker."""

    def __init__(self, app: QApplication, owner: OwnerOfHome, hidden: bool) -> None:
        super().__init__()
        self.failure: Exception | None = None
        self._app, self._owner, self._hidden = app, owner, hidden
        self._seen: Seen | None = None
        self._ending = self._ended = False
        self._icon: QSystemTrayIcon | None = None
        self._drawn: tuple[Face, bool] | None = None
        self._watcher: Watcher | None = None
        self._meeting: Meeting | None = None
        self._dialog: QMessageBox | None = None
        self._worker, self._menu, self._speaker = Worker(), Menu(), Speaker()
        self._panel, self._scheme, self._balloon = Panel(), Scheme(), Balloon()
        self._signals, self._going_down = Ending(), GoingDown()
        self._connect()

    def _connect(self) -> None:
        self._signals.told.connect(self._end)
        self._app.commitDataRequest.connect(lambda _manager: self._end_session())
        self._going_down.told.connect(self._end_session)
        self._menu.open.connect(self._open)
        self._menu.turn.connect(self._turn)
        self._menu.act.connect(self._act)
        self._menu.quit.connect(self._quit)
        self._speaker.open.connect(self._open)
        self._panel.came.connect(self._put_icon)
        self._panel.missing.connect(self._say_no_panel)
        self._scheme.changed.connect(self._draw)

    # --- beginning -----------------------------------------------------------------------------

    def begin(self) -> None:
        self._draw()
        self._worker.start()
        place, hidden = self._owner.meeting_place, self._hidden
        self._worker.ask(lambda: hand_over(place, hidden, ONCE), self._met)

    def _met(self, handed_over: bool) -> None:
        if handed_over:
            return self._end()
        self._panel.wait()
        if sys.platform == "linux":
            from roundtable_desktop.tray import bus

            self._worker.ask(
                bus.connect, lambda found: self._attach(bus.Bus(found) if found else None)
            )
            self._worker.ask(
                lambda: bus.connect("SYSTEM"),
                lambda found: self._going_down.listen(bus.Bus(found)) if found else None,
            )
        else:
            self._attach(None)
        return self._start(self._not_started)

    def _attach(self, bus: Bus | None) -> None:
        notifier: Notifier = self._balloon
        if bus is not None:
            self._panel.listen(bus)
            self._scheme.listen(bus)
            picture = paint(Face(Shape.RUNNING), _PICTURE, on_dark=True)
            notifier = Desktop(bus, picture, self._balloon)
            self._balloon.activated.connect(notifier.activated)
        self._speaker.attach(notifier)

    def _start(self, failed: Callable[[Exception], None]) -> None:
        """Told to end while it looked who holds the home, it begins nothing: by then the stop has
        been done, and nobody would ask for one again."""
        if self._ending:
            return
        self._worker.ask(self._owner.start, lambda _nothing: self._started(), failed)

    def _started(self) -> None:
        faces = self._owner.faces
        if self._ending or faces is None:
            return
        self._watcher = Watcher(faces)
        self._watcher.seen.connect(self._show)
        self._watcher.start()
        self._meeting = Meeting(self._owner.meeting_place)
        self._meeting.asked.connect(self._greet)
        self._draw()
        self._greet(self._hidden)

    def _greet(self, hidden: bool) -> None:
        if not hidden:
            self._open(OVERVIEW)

    def _not_started(self, error: Exception) -> None:
        """Held by somebody: a tray takes over what we were asked for, or we take over (C-102).

        One that was just ending is gone by then, so that we try once more before we ask.
        """
        if not _is_held(error):
            return self._give_up(error)
        place, hidden = self._owner.meeting_place, self._hidden

        def looked(taken: bool) -> None:
            if taken:
                self._end()
            else:
                self._start(self._still_held)

        return self._worker.ask(lambda: hand_over(place, hidden, PATIENT), looked)

    def _still_held(self, error: Exception) -> None:
        if _is_held(error):
            self._offer(error)
        else:
            self._give_up(error)

    def _offer(self, error: Exception) -> None:
        self._ask(take_over(), self._agreed, lambda: self._fail(error))

    def _agreed(self) -> None:
        """What holds the home may be a tray by now, and that is not ended but handed over to."""
        place, hidden = self._owner.meeting_place, self._hidden

        def looked(handed_over: bool) -> None:
            if handed_over:
                return self._end()
            return self._worker.ask(
                self._owner.take_over,
                lambda _nothing: self._start(self._not_started),
                self._give_up,
            )

        self._worker.ask(lambda: hand_over(place, hidden, ONCE), looked)

    def _give_up(self, error: Exception) -> None:
        self._ask(cannot_start(error), lambda: self._fail(error), lambda: self._fail(error))

    def _fail(self, error: Exception) -> None:
        self.failure = error
        self._end()

    # --- showing -------------------------------------------------------------------------------

    def _show(self, seen: Seen) -> None:
        if not self._ending:
            if stopping.may_close_lid(self._seen, seen):
                self._speaker.say(Notice("lid", *stopping.close_lid(), ()), CONTROL)
            self._seen = seen
            self._draw()
            self._speaker.hear_health(seen.glance.health, seen.glance.trouble)
            self._speaker.hear(seen.waiting)

    def _draw(self) -> None:
        now = shown(self._seen)
        self._menu.show(now, ready=self._watcher is not None)
        drawn = (now.face, self._scheme.dark)
        if self._icon is None:
            return
        if drawn != self._drawn:
            self._drawn = drawn
            self._icon.setIcon(icon(*drawn))
        if self._icon.toolTip() != now.tooltip:
            self._icon.setToolTip(now.tooltip)

    def _put_icon(self) -> None:
        self._icon = QSystemTrayIcon(self)
        self._icon.setContextMenu(self._menu.menu)
        self._icon.activated.connect(self._clicked)
        self._draw()
        self._icon.show()
        self._speaker.unsay(_NO_PANEL)
        # An icon of the newer kind has no place that Qt knows, and its menu is drawn over there.
        self._menu.drawn_by_panel = sys.platform == "linux" and self._icon.geometry().isEmpty()
        if not self._menu.drawn_by_panel:
            self._balloon.attach(self._icon)
        self._draw()

    def _say_no_panel(self) -> None:
        body = _("It goes on: the dashboard is the whole of it, and “roundtable open” opens it.")
        title = _("This desktop shows no tray icons")
        if sys.stderr is not None:
            sys.stderr.write(f"{title}. {body}\n")
        actions = [(DEFAULT, _("Open dashboard"))]
        self._speaker.say(Notice(_NO_PANEL, title, body, actions), OVERVIEW)

    # --- acting --------------------------------------------------------------------------------

    def _clicked(self, how: QSystemTrayIcon.ActivationReason) -> None:
        """A double click begins with a single one, which is enough."""
        if how is QSystemTrayIcon.ActivationReason.Trigger:
            waits = self._seen is not None and self._seen.glance.needs_you
            self._open(INBOX if waits else OVERVIEW)
        elif how is QSystemTrayIcon.ActivationReason.MiddleClick:
            self._turn(not shown(self._seen).intake_open)

    def _open(self, path: str) -> None:
        if self._watcher is not None:
            owner = self._owner
            self._worker.ask(lambda: owner.open_page(path), self._say_page, self._say_refusal)

    def _say_page(self, file: str) -> None:
        if file:
            body = _("Open this file within a minute: {file}").format(file=file)
            self._speaker.say(Notice("browser", _("No browser could be started"), body, ()), "")

    def _turn(self, open_intake: bool) -> None:
        faces = self._owner.faces
        if self._watcher is not None and faces is not None:
            act = control.resume if open_intake else control.pause
            self._worker.ask(lambda: act(faces.desk, Asked(PERSON)), failed=self._say_refusal)

    def _act(self, way: str) -> None:
        """A refusal is said, and so is what a stop could not end."""
        faces = self._owner.faces
        if self._watcher is None or faces is None:
            return
        acts = stopping.acts_of(faces)
        if way != STOP_ALL:
            return self._worker.ask(acts[way], failed=self._say_refusal)
        running = shown(self._seen).running
        stop = lambda: self._worker.ask(acts[way], self._say_stopped, self._say_refusal)  # noqa: E731
        return self._ask(stop_all(running), stop, lambda: None)

    def _say_stopped(self, stopped: object) -> None:
        if told := stopping.left(stopped):
            self._speaker.say(Notice("stopped", *told, ()), CONTROL)

    def _say_refusal(self, error: Exception) -> None:
        told = sentence(error.code, error.values) if isinstance(error, Refused) else str(error)
        self._speaker.say(Notice("refusal", _("This was not done"), told, ()), "")

    # --- ending --------------------------------------------------------------------------------

    def _quit(self) -> None:
        running = shown(self._seen).running
        if running:
            self._ask(leave_agents(running), self._end, lambda: None)
        else:
            self._end()

    def _end_session(self) -> None:
        """The desktop or the machine says so before it ends its programs; a plain SIGTERM is none
        (C-101). The machine is held up no longer than until it is written down, or cannot be."""
        let_go = self._going_down.let_go
        if (faces := self._owner.faces) is None:
            return let_go()
        return self._worker.ask(
            lambda: control.end_session(faces.desk), lambda _: let_go(), lambda _: let_go()
        )

    def _ask(
        self, dialog: QMessageBox, agreed: Callable[[], None], declined: Callable[[], None]
    ) -> None:
        """Beside everything else: nothing waits for the answer. A newer question replaces it."""
        if self._dialog is not None:
            self._dialog.deleteLater()
        self._dialog = dialog
        yes = QMessageBox.ButtonRole.AcceptRole

        def answered() -> None:
            pressed = dialog.clickedButton()
            accepted = pressed is not None and dialog.buttonRole(pressed) is yes
            self._dialog = None
            dialog.deleteLater()
            (agreed if accepted else declined)()

        dialog.finished.connect(answered)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _end(self) -> None:
        """The owner is stopped beside the loop, then the loop ends. Agents go on (C-101)."""
        if self._ending:
            return
        self._ending = True
        if self._meeting is not None:
            self._meeting.close()
        for shown_still in (self._icon, self._dialog):
            if shown_still is not None:
                shown_still.hide()
        self._worker.ask(
            self._stop, lambda _nothing: self._app.quit(), lambda _error: self._app.quit()
        )

    def _stop(self) -> None:
        self._ended = True
        if self._watcher is not None:
            self._watcher.stop()
        self._owner.stop()

    def finish(self) -> None:
        """Also when the loop ended without `_end`, as at the end of a desktop session."""
        self._worker.finish()
        if not self._ended:
            self._stop()


def _is_held(error: Exception) -> bool:
    return isinstance(error, Refused) and error.code == "home_is_owned"

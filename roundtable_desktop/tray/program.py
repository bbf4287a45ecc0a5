"""The tray program: its parts joined, from the start of the owner to its end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from roundtable_desktop.engine.desk import control
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.phrases import _
from roundtable_desktop.tray import stopping
from roundtable_desktop.tray.acting import Acting
from roundtable_desktop.tray.dialogs import Asking, cannot_start, leave_agents, take_over
from roundtable_desktop.tray.ending import Ending
from roundtable_desktop.tray.handover import ONCE, PATIENT, Meeting, hand_over
from roundtable_desktop.tray.icon import icon, paint
from roundtable_desktop.tray.logind import GoingDown
from roundtable_desktop.tray.menu import CONTROL, INBOX, OVERVIEW, Menu
from roundtable_desktop.tray.notify import APP, DEFAULT, Balloon, Desktop, Notice, Notifier
from roundtable_desktop.tray.owner import OwnerOfHome
from roundtable_desktop.tray.panel import Panel, Scheme
from roundtable_desktop.tray.shown import Face, Seen, Shape, shown
from roundtable_desktop.tray.signals import Watcher, Worker
from roundtable_desktop.tray.speaker import Speaker

if TYPE_CHECKING:  # its library is for Linux alone
    from roundtable_desktop.tray.bus import Bus

_NO_PANEL = "panel"
_PICTURE = 64  # pixels of the picture beside a notification


def run(owner: OwnerOfHome, *, hidden: bool, monotonic: Callable[[], float]) -> Exception | None:
    """Until it is told to quit; answers why it could not start, if so. monotonic: a clock that only
    rises, and stands while the machine sleeps, in seconds."""
    app = QApplication(["roundtable-desktop"])
    app.setApplicationName(APP)
    app.setDesktopFileName("roundtable-desktop")
    app.setQuitOnLastWindowClosed(False)
    tray = Tray(app, owner, hidden, monotonic)
    tray.begin()
    app.exec()
    tray.finish()
    return tray.failure


class Tray(QObject):
    """Lives on the main thread; everything that could wait is asked of the worker."""

    def __init__(
        self,
        app: QApplication,
        owner: OwnerOfHome,
        hidden: bool,
        monotonic: Callable[[], float],
    ) -> None:
        super().__init__()
        self.failure: Exception | None = None
        self._app, self._owner, self._hidden = app, owner, hidden
        self._monotonic = monotonic
        self._seen: Seen | None = None
        self._ending = self._ended = False
        self._greeted = False  # the dashboard was opened
        self._no_panel = False
        self._icon: QSystemTrayIcon | None = None
        self._drawn: tuple[Face, bool] | None = None
        self._watcher: Watcher | None = None
        self._meeting: Meeting | None = None
        self._asking, self._worker, self._menu = Asking(), Worker(), Menu()
        self._speaker = Speaker(monotonic)
        self._acting = Acting(owner, self._worker, self._speaker, self._asking, monotonic)
        self._panel, self._scheme, self._balloon = Panel(), Scheme(), Balloon()
        self._signals, self._going_down = Ending(), GoingDown()
        self._connect()

    def _connect(self) -> None:
        self._signals.told.connect(self._end)
        self._app.commitDataRequest.connect(lambda _manager: self._end_session())
        self._going_down.told.connect(self._end_session)
        self._connect_person()
        self._panel.came.connect(self._put_icon)
        self._panel.missing.connect(self._say_no_panel)
        self._scheme.changed.connect(self._draw)

    def _connect_person(self) -> None:
        menu, acting, speaker = self._menu, self._acting, self._speaker
        menu.open.connect(acting.open)
        menu.act.connect(acting.act)
        menu.fire.connect(acting.fire)
        menu.end.connect(acting.end_run)
        menu.login.connect(acting.start_at_login)
        menu.asked.connect(acting.look_around)
        menu.quit.connect(self._quit)
        acting.login.connect(menu.show_login)
        acting.warned.connect(menu.show_warnings)
        acting.turned.connect(self._draw)
        speaker.open.connect(acting.open)
        speaker.pressed.connect(acting.press)

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
        self._watcher = Watcher(faces, self._monotonic)
        self._watcher.seen.connect(self._show)
        self._watcher.start()
        self._meeting = Meeting(self._owner.meeting_place)
        self._meeting.asked.connect(self._greet)
        self._draw()
        self._acting.look_at_login()
        self._greet(self._hidden and not self._no_panel)

    def _greet(self, hidden: bool) -> None:
        if not hidden:
            self._greeted = True
            self._acting.open(OVERVIEW)

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
        self._asking.ask(take_over(), self._agreed, lambda: self._fail(error))

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
        self._asking.ask(cannot_start(error), lambda: self._fail(error), lambda: self._fail(error))

    def _fail(self, error: Exception) -> None:
        self.failure = error
        self._end()

    # --- showing -------------------------------------------------------------------------------

    def _show(self, seen: Seen) -> None:
        if not self._ending:
            if stopping.may_close_lid(self._seen, seen):
                self._speaker.say(Notice("lid", *stopping.close_lid(), ()), CONTROL)
            self._seen = self._acting.seen = seen
            self._draw()
            self._speaker.hear_health(seen.glance.health, seen.glance.trouble)
            self._speaker.hear((*seen.ready, *seen.waiting), seen.hours)
            self._speaker.hear_past(seen.slept, seen.crash)
            if self._speaker.hear_test(seen.test):
                self._acting.send_test()

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
        """The dashboard is opened if it was not yet, so that nobody waits for an icon that does not
        come."""
        self._no_panel = True
        if self._watcher is not None:
            self._greet(self._greeted)
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
            self._acting.open(INBOX if waits else OVERVIEW)
        elif how is QSystemTrayIcon.ActivationReason.MiddleClick:
            self._acting.turn()

    # --- ending --------------------------------------------------------------------------------

    def _quit(self) -> None:
        running = shown(self._seen).running
        if running:
            self._asking.ask(leave_agents(running), self._end)
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

    def _end(self) -> None:
        """The owner is stopped beside the loop, then the loop ends. Agents go on (C-101)."""
        if self._ending:
            return
        self._ending = True
        if self._meeting is not None:
            self._meeting.close()
        if self._icon is not None:
            self._icon.hide()
        self._asking.hide()
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
        self._acting.finish()
        self._worker.finish()
        if not self._ended:
            self._stop()


def _is_held(error: Exception) -> bool:
    return isinstance(error, Refused) and error.code == "home_is_owned"

"""The menu: the same actions for ever, changed in place, because a panel draws it and not we."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from roundtable_desktop.model.glance import Standing
from roundtable_desktop.phrases import _, n_
from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.tray.shown import MOST_ROUTINES, NEWEST, Shown
from roundtable_desktop.tray.submenus import Filling, RunsPart

OVERVIEW, INBOX, CONTROL = "/", "/inbox", "/control"
ROUTINES, SETTINGS, DOCTOR = "/routines", "/settings", "/doctor"

PAUSE_A_LITTLE, PAUSE_OVER_NIGHT, PAUSE = "30m", "night", "pause"
RESUME, STOP, LEAVE, STOP_ALL = "resume", "stop", "leave", "all"
ALL, NEEDED, MUTE = "notify-all", "notify-needed", "mute"
REVIVE = "revive"
WAYS = {
    PAUSE_A_LITTLE: N_("For 30 minutes"),
    PAUSE_OVER_NIGHT: N_("Until tomorrow 09:00"),
    PAUSE: N_("Until I resume"),
    STOP: N_("Stop when all runs have ended"),
    LEAVE: N_("I am leaving in 10 minutes"),
    RESUME: N_("Resume"),
    STOP_ALL: N_("Stop all runs…"),
    ALL: N_("All"),
    NEEDED: N_("Only when I'm needed"),
    MUTE: N_("Mute for 1 hour"),
    REVIVE: N_("Start the scheduler again"),
}
"""What the menu does without a page, each by its code."""


class Menu(QObject):
    """open: the path of a page. act: the code of a way. fire: the id of a routine, which runs now.
    end: the id of a run. login: whether it starts at login. asked: it is about to be seen."""

    open = Signal(str)
    act = Signal(str)
    fire = Signal(str)
    end = Signal(str)
    login = Signal(bool)
    quit = Signal()
    asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.menu = QMenu()
        self.menu.aboutToShow.connect(self.asked)
        self._fill = Filling(self.menu)
        self._add_looking()
        self._add_working()
        self._add_choosing()
        self.menu.addSeparator()
        leave = self.menu.addAction(_("Quit…"))
        leave.triggered.connect(lambda: self.quit.emit())

    @property
    def drawn_by_panel(self) -> bool:
        return self._fill.drawn_by_panel

    @drawn_by_panel.setter
    def drawn_by_panel(self, drawn: bool) -> None:
        self._fill.drawn_by_panel = drawn

    # --- making it, once -----------------------------------------------------------------------

    def _add_looking(self) -> None:
        self._status = self.menu.addAction("")
        self._status.setEnabled(False)
        self._needs_you = self.menu.addMenu("")
        self._entries = self._fill.entries(self._needs_you, NEWEST, self._go)
        self._needs_you.addSeparator()
        self._page(self._needs_you, _("Open inbox"), INBOX)
        self._dashboard = self._page(self.menu, _("Open dashboard"), OVERVIEW)
        self.menu.setDefaultAction(self._dashboard)
        self.menu.addSeparator()

    def _add_working(self) -> None:
        self._runs = RunsPart(self._fill)
        self._runs.open.connect(self.open)
        self._runs.end.connect(self.end)
        self._run_now = self.menu.addMenu(_("Run now"))
        self._routines = self._fill.entries(self._run_now, MOST_ROUTINES, self._run)
        self._run_now.addSeparator()
        self._page(self._run_now, _("All routines…"), ROUTINES)
        self._revive = self._way(self.menu, REVIVE)
        self._resume = self._way(self.menu, RESUME)
        self._pause = self.menu.addMenu(_("Pause"))
        self._pauses = [
            self._way(self._pause, code) for code in (PAUSE_A_LITTLE, PAUSE_OVER_NIGHT, PAUSE)
        ]
        self._pause.addSeparator()
        self._drain, self._leave = self._way(self._pause, STOP), self._way(self._pause, LEAVE)
        self._stop_all = self._way(self.menu, STOP_ALL)
        self.menu.addSeparator()

    def _add_choosing(self) -> None:
        self._notices = self.menu.addMenu(_("Notifications"))
        together = QActionGroup(self._notices)
        self._all, self._needed = self._way(self._notices, ALL), self._way(self._notices, NEEDED)
        for one in (self._all, self._needed):
            one.setCheckable(True)
            together.addAction(one)
        self._notices.addSeparator()
        self._mute = self._way(self._notices, MUTE)
        self._mute.setCheckable(True)
        self._quiet = self._page(self._notices, _("Quiet hours…"), SETTINGS)
        self._login = self.menu.addAction(_("Start at login"))
        self._login.setCheckable(True)
        self._login.triggered.connect(lambda: self.login.emit(self._login.isChecked()))
        self._settings = self._page(self.menu, _("Preferences…"), SETTINGS)
        self._doctor = self._page(self.menu, _("Doctor"), DOCTOR)

    def _page(self, menu: QMenu, text: str, path: str) -> QAction:
        action = menu.addAction(text)
        action.triggered.connect(lambda: self.open.emit(path))
        return action

    def _way(self, menu: QMenu, code: str) -> QAction:
        action = menu.addAction(_(WAYS[code]))
        action.triggered.connect(lambda: self.act.emit(code))
        return action

    def _go(self, action: QAction) -> None:
        self.open.emit(action.data().path)

    def _run(self, action: QAction) -> None:
        entry = action.data()
        if entry.key:
            self.fire.emit(entry.key)
        else:
            self.open.emit(entry.path)

    # --- what it shows now ---------------------------------------------------------------------

    def show(self, shown: Shown, *, ready: bool) -> None:
        """ready: the owner runs, so that there is a dashboard and something to pause."""
        text = self._fill.text
        self._status.setText(text(shown.status))
        self._needs_you.setTitle(text(shown.needs_you))
        self._needs_you.menuAction().setVisible(bool(shown.needs_you))
        self._fill.show(self._entries, shown.entries)
        self._runs.show(shown.runs, shown.running)
        self._fill.show(self._routines, shown.routines)
        self._run_now.menuAction().setVisible(bool(shown.routines))
        self._show_ways(shown)
        self._show_notices(shown)
        for action in (
            self._dashboard,
            self._run_now.menuAction(),
            self._pause.menuAction(),
            self._stop_all,
            self._notices.menuAction(),
            self._settings,
            self._doctor,
        ):
            action.setEnabled(ready)

    def _show_ways(self, shown: Shown) -> None:
        self._revive.setVisible(shown.dead)
        self._resume.setVisible(not shown.intake_open)
        for pause in self._pauses:
            pause.setVisible(shown.state in (Standing.ACTIVE, Standing.PAUSED))
        self._drain.setVisible(shown.state not in (Standing.DRAINING, Standing.STOPPED))
        self._leave.setVisible(shown.state not in (Standing.LEAVING, Standing.LEFT))

    def _show_notices(self, shown: Shown) -> None:
        """What a click has turned already is put right, whatever came of it."""
        self._all.setChecked(not shown.only_needed)
        self._needed.setChecked(shown.only_needed)
        self._mute.setChecked(bool(shown.muted))
        muted = _("Muted until {time}").format(time=shown.muted) if shown.muted else _(WAYS[MUTE])
        self._mute.setText(self._fill.text(muted))
        quiet = _("Quiet until {time}…").format(time=shown.quiet)
        self._quiet.setText(self._fill.text(quiet if shown.quiet else _("Quiet hours…")))

    def show_login(self, on: bool | None) -> None:
        """As it is on the disk; None: there is no such thing here."""
        self._login.setVisible(on is not None)
        self._login.setChecked(bool(on))

    def show_warnings(self, count: int) -> None:
        """Of the doctor."""
        told = n_("Doctor ({count} warning)", "Doctor ({count} warnings)", count)
        self._doctor.setText(self._fill.text(told if count else _("Doctor")))

"""What the person does at the icon, in the menu and at a notification: asked of the worker, so that
the main thread waits for none of it (F-52)."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from roundtable_desktop.engine.desk import Asked, inbox, routines, run_control, welcome
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.findings import Standing as Found
from roundtable_desktop.model.records import PERSON
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.tray import autostart, stopping
from roundtable_desktop.tray.dialogs import Asking, stop_all, stop_run
from roundtable_desktop.tray.menu import CONTROL, PAUSE, RESUME, REVIVE, STOP_ALL
from roundtable_desktop.tray.notify import Notice
from roundtable_desktop.tray.owner import OwnerOfHome
from roundtable_desktop.tray.shown import Seen, shown
from roundtable_desktop.tray.signals import Faces, Worker
from roundtable_desktop.tray.speaker import Speaker
from roundtable_desktop.tray.telling import LOG, TEST

REFUSAL = "refusal"
FRESH = 60.0
"""Seconds that the doctor's count holds: it reads through the whole database."""


class Acting(QObject):
    """warned: how many warnings the doctor has. login: whether it starts at login now, or None.
    turned: something that the menu shows may be another way than it was clicked. clock: one that
    only rises, in seconds."""

    warned = Signal(int)
    login = Signal(object)
    turned = Signal()

    def __init__(
        self,
        owner: OwnerOfHome,
        worker: Worker,
        speaker: Speaker,
        asking: Asking,
        clock: Callable[[], float],
    ) -> None:
        super().__init__()
        self.seen: Seen | None = None
        self._owner, self._worker, self._speaker, self._asking = owner, worker, speaker, asking
        self._aside = Worker()  # for what takes its time while the person goes on
        self._clock = clock
        self._counting, self._counted_at = False, -FRESH

    # --- pages ---------------------------------------------------------------------------------

    def open(self, path: str) -> None:
        if self._faces() is not None:
            owner = self._owner
            self._worker.ask(lambda: owner.open_page(path), self._say_page, self._say_refusal)

    def _say_page(self, file: str) -> None:
        if file:
            body = _("Open this file within a minute: {file}").format(file=file)
            self._speaker.say(Notice("browser", _("No browser could be started"), body, ()), "")

    # --- everything at once --------------------------------------------------------------------

    def turn(self) -> None:
        """Pauses what is open, and opens what is not."""
        self.act(PAUSE if shown(self.seen).intake_open else RESUME)

    def act(self, way: str) -> None:
        """By the codes of the menu. A refusal is said, and so is what a stop could not end."""
        if (faces := self._faces()) is None:
            return
        now = shown(self.seen)
        act = stopping.acts_of(faces, muted=bool(now.muted))[way]
        if way != STOP_ALL:
            return self._do(act)
        return self._asking.ask(
            stop_all(now.running),
            lambda: self._worker.ask(act, self._say_stopped, self._say_refusal),
        )

    def _do(self, act: Callable[[], object]) -> None:
        """The menu has turned what was clicked; what holds is shown, whatever came of it."""
        self._worker.ask(act, lambda _done: self.turned.emit(), self._refused)

    def _refused(self, error: Exception) -> None:
        self.turned.emit()
        self._say_refusal(error)

    def _say_stopped(self, stopped: object) -> None:
        if told := stopping.left(stopped):
            self._speaker.say(Notice("stopped", *told, ()), CONTROL)

    # --- one thing -----------------------------------------------------------------------------

    def fire(self, routine_id: str) -> None:
        if (faces := self._faces()) is not None:
            asked = Asked(PERSON)
            act = lambda: routines.fire_now(faces.desk, asked, routine_id, {})  # noqa: E731
            self._worker.ask(act, failed=self._say_refusal)

    def end_run(self, run_id: str) -> None:
        if (faces := self._faces()) is None:
            return
        found = [one for one in (self.seen.at_work if self.seen else ()) if one.run_id == run_id]
        name, agent = (found[0].name, found[0].agent) if found else ("", "")
        act = lambda: run_control.cancel(faces.desk, Asked(PERSON), run_id)  # noqa: E731
        self._asking.ask(
            stop_run(name, agent), lambda: self._worker.ask(act, failed=self._say_refusal)
        )

    def press(self, key: str, action: str) -> None:
        """A button of a notification, which then says what came of it."""
        if action == LOG:
            home = self._owner.home
            self._worker.ask(lambda: home.show(home.log_file), self._say_log, self._say_refusal)
        elif action == REVIVE:
            self.act(action)
        elif key == TEST:
            self._see_test()
        elif (faces := self._faces()) is not None:
            act = lambda: inbox.act(faces.desk, Asked(PERSON), key, action)  # noqa: E731
            done = lambda _item: self._speaker.became(key, _("It is tried again"))  # noqa: E731
            self._worker.ask(act, done, lambda error: self._not_done(key, error))

    def _say_log(self, opened: bool) -> None:
        if not opened:
            body = _("Open this file: {file}").format(file=self._owner.home.log_file)
            self._speaker.say(Notice("log", _("The log could not be opened"), body, ()), "")

    def send_test(self) -> None:
        """It was handed to the desktop."""
        if (faces := self._faces()) is not None:
            self._worker.ask(lambda: welcome.sent(faces.desk), failed=self._say_refusal)

    def _see_test(self) -> None:
        if (faces := self._faces()) is None:
            return
        seen, body = _("Notifications work"), _("Roundtable knows that you see them.")
        self._worker.ask(
            lambda: welcome.pressed(faces.desk),
            lambda _nothing: self._speaker.became(TEST, seen, body),
            lambda error: self._not_done(TEST, error),
        )

    def _not_done(self, key: str, error: Exception) -> None:
        self._speaker.became(key, _("This was not done"), _why(error))

    # --- what is looked at when it is asked for -------------------------------------------------

    def look_around(self) -> None:
        """The menu is about to be seen: what no event tells of."""
        self.look_at_login()
        if (faces := self._faces()) is None:
            return
        if not self._aside.isRunning():
            self._aside.start()
        if not self._counting and self._clock() - self._counted_at >= FRESH:
            self._counting = True
            self._aside.ask(
                lambda: _warnings(faces), self._counted, lambda _error: self._counted(0)
            )

    def look_at_login(self) -> None:
        place = self._owner.home.root
        self._worker.ask(lambda: _at_login(place), self.login.emit)

    def _counted(self, warnings: int) -> None:
        self._counting, self._counted_at = False, self._clock()
        self.warned.emit(warnings)

    def start_at_login(self, on: bool) -> None:
        """The person has just asked for it; whatever comes of it, the file is shown."""
        place = self._owner.home.root
        self._worker.ask(lambda: autostart.turn(on, place), failed=self._say_refusal)
        self.look_at_login()

    def finish(self) -> None:
        if self._aside.isRunning():
            self._aside.finish()

    def _faces(self) -> Faces | None:
        return self._owner.faces

    def _say_refusal(self, error: Exception) -> None:
        notice = Notice(REFUSAL, _("This was not done"), _why(error), ())
        self._speaker.say(notice, "")


def _why(error: Exception) -> str:
    return sentence(error.code, error.values) if isinstance(error, Refused) else str(error)


def _at_login(home: Path) -> bool | None:
    """None: there is no such thing here."""
    if not autostart.is_possible():
        return None
    return autostart.found(home) is autostart.AtLogin.ON


def _warnings(faces: Faces) -> int:
    return sum(one.standing is not Found.OK for one in faces.doctor.findings())

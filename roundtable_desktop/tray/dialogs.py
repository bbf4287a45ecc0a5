"""What the tray asks in a window of its own."""

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox

from roundtable_desktop.model.errors import Refused
from roundtable_desktop.phrases import _, n_, sentence
from roundtable_desktop.tray.notify import APP

_Role, _Icon = QMessageBox.ButtonRole, QMessageBox.Icon


class Asking:
    """One question at a time, beside everything else: nothing waits for the answer."""

    def __init__(self) -> None:
        self._dialog: QMessageBox | None = None

    def ask(
        self,
        dialog: QMessageBox,
        agreed: Callable[[], None],
        declined: Callable[[], None] = lambda: None,
    ) -> None:
        """A newer question replaces it."""
        if self._dialog is not None:
            self._dialog.deleteLater()
        self._dialog = dialog

        def answered() -> None:
            pressed = dialog.clickedButton()
            accepted = pressed is not None and dialog.buttonRole(pressed) is _Role.AcceptRole
            self._dialog = None
            dialog.deleteLater()
            (agreed if accepted else declined)()

        dialog.finished.connect(answered)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def hide(self) -> None:
        if self._dialog is not None:
            self._dialog.hide()


def leave_agents(running: int) -> QMessageBox:
    text = n_(
        "{count} agent is at work. It goes on without Roundtable.",
        "{count} agents are at work. They go on without Roundtable.",
        running,
    )
    more = _(
        "What they do is found again at the next start. Nothing new is started meanwhile. To end "
        "them now, use “roundtable force-stop” before you quit."
    )
    return _question(text, more, _("Quit, agents go on"))


def stop_all(running: int) -> QMessageBox:
    text = n_(
        "{count} agent is at work. End it now, with all its processes?",
        "{count} agents are at work. End them now, with all their processes?",
        running,
    )
    more = _("Nothing new is started until you resume. What was broken off goes on then.")
    return _question(text, more, _("Stop all runs"))


def stop_run(name: str, agent: str) -> QMessageBox:
    text = _("Stop this run, with all its processes?")
    if name:
        text = _("Stop “{name}”, which {agent} works on?").format(name=name, agent=agent)
    more = _("Nothing tries it again by itself: a comment, or a run by hand, goes on with it.")
    return _question(text, more, _("Stop it"))


def take_over() -> QMessageBox:
    text = _("Roundtable is running already, without a tray icon.")
    more = _("It can be stopped in order and go on here. Agents that are at work go on.")
    return _question(text, more, _("Take over"))


def cannot_start(error: Exception) -> QMessageBox:
    told = sentence(error.code, error.values) if isinstance(error, Refused) else str(error)
    box = _box(_Icon.Critical, _("Roundtable could not start."), told)
    box.addButton(_("Close"), _Role.AcceptRole)
    return box


def _question(text: str, more: str, yes: str) -> QMessageBox:
    box = _box(_Icon.Question, text, more)
    box.setDefaultButton(box.addButton(yes, _Role.AcceptRole))
    box.setEscapeButton(box.addButton(_("Cancel"), _Role.RejectRole))
    return box


def _box(picture: QMessageBox.Icon, text: str, more: str) -> QMessageBox:
    box = QMessageBox(picture, APP, text)
    box.setInformativeText(more)
    box.setModal(False)
    return box

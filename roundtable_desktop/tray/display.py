"""Says why there can be no tray here, before Qt ends the process over it."""

import os
import sys
from collections.abc import Mapping

from roundtable_desktop.phrases import _, one_line

_SHOWN = 300


def missing(environ: Mapping[str, str]) -> str:
    """One sentence; empty when there is a display that Qt can show something on."""
    if sys.platform != "linux":
        return ""
    if not any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")):
        return _("There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set).")
    try:
        from PySide6 import QtWidgets  # noqa: F401
    except ImportError as error:
        return _("Qt cannot be loaded: {text}.").format(text=one_line(str(error), _SHOWN))
    return _trial()


def _trial() -> str:
    """Qt aborts when it finds no display: so a child of ours tries first."""
    hear, tell = os.pipe()
    child = os.fork()
    if child == 0:
        _try(tell)
    os.close(tell)
    with open(hear, errors="replace") as pipe:
        said = pipe.read(1 << 16)
    _pid, status = os.waitpid(child, 0)
    if status == 0:
        return ""
    return _("Qt finds no display: {text}").format(text=one_line(said, _SHOWN))


def _try(tell: int) -> None:
    import resource

    from PySide6.QtGui import QGuiApplication

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(tell, 2)
    QGuiApplication(["roundtable-desktop"])
    os._exit(0)

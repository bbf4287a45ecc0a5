"""Says why there can be no tray here, before Qt ends the process over it."""

import os
import signal
import sys
from collections.abc import Mapping
from typing import NoReturn

from roundtable_desktop.phrases import _, one_line

_SHOWN = 300
_PATIENCE = 10  # seconds for a display to answer


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
    """Qt aborts when it finds no display, and waits for ever for one that is silent: so a child of
    ours tries first."""
    hear, tell = os.pipe()
    child = os.fork()
    if child == 0:
        _try(tell)
    os.close(tell)
    os.set_blocking(hear, False)  # whatever the child began may hold the other end open
    _pid, status = os.waitpid(child, 0)
    with open(hear, "rb", buffering=0) as pipe:
        said = (pipe.read(1 << 16) or b"").decode(errors="replace")
    if status == 0:
        return ""
    if status == signal.SIGALRM:
        said = _("it does not answer.")
    return _("Qt finds no display: {text}").format(text=one_line(said, _SHOWN))


def _try(tell: int) -> NoReturn:
    """In the child, which must not go on as the program, whatever happens."""
    code = 1
    try:
        import resource

        from PySide6.QtGui import QGuiApplication

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
        signal.alarm(_PATIENCE)
        os.dup2(tell, 2)
        QGuiApplication(["roundtable-desktop"])
        code = 0
    except Exception as error:
        os.write(tell, str(error).encode())
    finally:
        os._exit(code)

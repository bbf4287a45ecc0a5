"""A screen and a session bus of the test's own: nothing of the machine's desktop takes part."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from PySide6.QtGui import QImage
from Xlib import XK, X, display
from Xlib.error import XError
from Xlib.ext import xtest
from Xlib.xobject.drawable import Window

R = TypeVar("R")

PATIENCE = 60.0  # seconds that anything here may take on a busy machine

# No folder of services: whoever is asked for and not there is not started.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


def until(look: Callable[[], R], seconds: float = PATIENCE, step: float = 0.05) -> R:
    """The first true answer of `look`; more and more rarely, for each look is work for the tray."""
    end = time.monotonic() + seconds
    while not (seen := look()):
        assert time.monotonic() < end, f"not within {seconds:.0f} s: {seen!r}"
        time.sleep(step)
        step = min(step * 1.2, 0.3)
    return seen


def end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def session_bus(folder: Path) -> Iterator[str]:
    """Its address. folder: with a short path, because a socket's path is short."""
    socket, config = folder / "bus", folder / "bus.conf"
    config.write_text(BUS.format(socket=socket))
    daemon = subprocess.Popen(
        ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().decode().strip()
    finally:
        end(daemon)


class Screen:
    """An X server of its own. size: width x height."""

    def __init__(self, size: str = "1000x640") -> None:
        hear, tell = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(tell), "-screen", "0", f"{size}x24", "-nolisten", "tcp"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(tell,),
        )
        os.close(tell)
        with open(hear) as pipe:
            number = pipe.readline().strip()
        assert number, "Xvfb did not start"
        self.name = f":{number}"
        self.width, self.height = map(int, size.split("x"))
        self._display = display.Display(self.name)

    def close(self) -> None:
        self._display.close()
        end(self._server)

    def windows(self) -> dict[str, Window]:
        """What is shown, by title; of several with one title, the last that was found."""
        return dict(self._shown())

    def count(self, title: str) -> int:
        """Of the windows that are shown."""
        return [found for found, _window in self._shown()].count(title)

    def _shown(self) -> list[tuple[str, Window]]:
        found = []
        ahead = list(self._display.screen().root.query_tree().children)
        for window in ahead:
            with suppress(XError):
                if window.get_attributes().map_state == X.IsViewable:
                    if title := window.get_wm_name():
                        found.append((title, window))
                    ahead.extend(window.query_tree().children)
        return found

    def press(self, key: str, title: str) -> None:
        """A key, to the window of that title once it is shown."""
        window = until(lambda: self.windows().get(title))
        window.set_input_focus(X.RevertToParent, X.CurrentTime)
        self._display.sync()
        self.press_key(key)

    def press_key(self, key: str) -> None:
        """To whatever listens now."""
        code = self._display.keysym_to_keycode(XK.string_to_keysym(key))
        for event in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self._display, event, code)
        self._display.sync()

    def click(self, x: int, y: int, button: int = 1) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        for event in (X.ButtonPress, X.ButtonRelease):
            xtest.fake_input(self._display, event, button)
        self._display.sync()

    def picture(self) -> QImage:
        seen = self._display.screen().root.get_image(
            0, 0, self.width, self.height, X.ZPixmap, 0xFFFFFFFF
        )
        kind = QImage.Format.Format_RGB32
        return QImage(seen.data, self.width, self.height, self.width * 4, kind).copy()

"""Takes pictures of the tray in a real panel: `python -m tests.pictures.tray FOLDER`."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from desktops.recorder import Recorder
from desktops.screen import Screen, end, session_bus, until
from desktops.tray_home import TrayHome
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

SIZE = "720x460"
HEIGHT = 28  # pixels of the panel, as Xfce has it
PLACE = QRect(0, 0, HEIGHT, HEIGHT)  # of the icon, which is all that the panel shows
ICON = (HEIGHT // 2, HEIGHT // 2)
STILL = 0.5  # seconds

PANEL = f"""<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="dark-mode" type="bool" value="DARK"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="{HEIGHT}"/>
      <property name="plugin-ids" type="array">
        <value type="int" value="1"/>
      </property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray">
      <property name="square-icons" type="bool" value="true"/>
    </property>
  </property>
</channel>
"""


@contextmanager
def panel(folder: Path, screen: Screen, bus: str, *, dark: bool) -> Iterator[None]:
    """Xfce's panel with nothing in it but the icons."""
    config = folder / "config" / "xfce4" / "xfconf" / "xfce-perchannel-xml"
    config.mkdir(parents=True)
    (config / "xfce4-panel.xml").write_text(PANEL.replace("DARK", str(dark).lower()))
    names = ("PATH", "LANG")
    env = {name: os.environ[name] for name in names if name in os.environ}
    env |= {
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "DISPLAY": screen.name,
        "DBUS_SESSION_BUS_ADDRESS": bus,
    }
    # Started here and not by the bus, so that it reads this configuration and ends with us.
    programs = [
        subprocess.Popen([name], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in (xfconfd(), "xfce4-panel")
    ]
    try:
        yield
    finally:
        for program in reversed(programs):
            end(program)


def xfconfd() -> str:
    """It is no command: Debian and others keep it in folders of libraries."""
    found = sorted(Path("/usr").glob("lib*/**/xfce4/xfconf/xfconfd"))
    assert found, "xfconfd is missing; it comes with xfce4-panel"
    return str(found[0])


def take(folder: Path) -> list[Path]:
    """The states and the open menu, on a dark panel and on a light one."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[Path] = []
    for theme in ("dark", "light"):
        place = Path(tempfile.mkdtemp(prefix="rtpic"))
        screen = Screen(SIZE)
        try:
            with session_bus(place) as bus, panel(place, screen, bus, dark=theme == "dark"):
                taken += Roll(folder, theme, screen).states(place, bus)
        finally:
            screen.close()
            shutil.rmtree(place)
    return taken


class Roll:
    """The pictures of one panel."""

    def __init__(self, folder: Path, theme: str, screen: Screen) -> None:
        self.folder, self.theme, self.screen = folder, theme, screen
        self.taken: list[Path] = []
        self.last = screen.picture()

    def states(self, place: Path, bus: str) -> list[Path]:
        desktop = Recorder(bus)
        desktop.show_notifications()
        desktop.prefer(self.theme)
        root = place / "home"
        root.mkdir()
        home = TrayHome(root, self.screen, bus)
        try:
            home.begin()
            self.picture("idle")
            home.work(home.agent("tea"), "Pour the tea", "@demo sleep 600")
            self.picture("running")
            home.ask(home.agent("cake"), "Bake a cake", "May I write CAKE.md?")
            self.picture("needs-you")
            self.screen.click(*ICON, button=3)
            self.picture("menu", same_icon=True)
            self.screen.press_key("Down")  # to “Needs you”
            self.screen.press_key("Right")
            self.picture("menu-needs-you", same_icon=True)
            for _menu in range(2):
                self.screen.press_key("Escape")
            home.routine("tea", "PR triage", "Look.", "--cron", "5 14 * * *", "--tz", "UTC")
            self.screen.click(*ICON, button=3)
            for _line in range(3):
                self.screen.press_key("Down")  # to the newest run
            self.screen.press_key("Right")
            self.picture("menu-run", same_icon=True)
            for _menu in range(2):
                self.screen.press_key("Escape")
            home.post("/control", {"action": "pause"})
            self.picture("paused")
        finally:
            home.close()
            desktop.close()
        return self.taken

    def picture(self, state: str, *, same_icon: bool = False) -> None:
        """Once it is another one than the last, and stands still."""
        image = until(lambda: self._settled(same_icon))
        self.last = image
        path = self.folder / f"tray-{state}-{self.theme}.png"
        image.save(str(path))
        self.taken.append(path)

    def _settled(self, same_icon: bool) -> QImage | None:
        first = self.screen.picture()
        icon, beside = first.copy(PLACE), first.copy(PLACE.translated(3 * HEIGHT, 0))
        moved = first != self.last and (same_icon or icon != self.last.copy(PLACE))
        if not moved or icon == beside:
            return None
        threading.Event().wait(STILL)
        return first if first == self.screen.picture() else None


def main(folder: Path) -> None:
    for path in take(folder):
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""A desktop for each test: one screen for all tests of a worker, a bus and a home of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from desktops.recorder import Recorder
from desktops.screen import Screen, session_bus
from desktops.tray_home import TrayHome
from PySide6.QtWidgets import QApplication


@pytest.fixture(scope="session")
def application() -> Iterator[QApplication]:
    """Qt in the process of the tests, on no screen: there can be one only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QT_QPA_PLATFORM", "offscreen")
        application = QApplication(["tests"])
    yield application


@pytest.fixture(scope="session")
def screen() -> Iterator[Screen]:
    screen = Screen()
    yield screen
    screen.close()


@pytest.fixture
def bus() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="rtbus"))
    with session_bus(folder) as address:
        yield address
    shutil.rmtree(folder)


@pytest.fixture
def desktop(bus: str) -> Iterator[Recorder]:
    """Nothing is shown yet."""
    recorder = Recorder(bus)
    yield recorder
    recorder.close()


@pytest.fixture
def home(tmp_path: Path, screen: Screen, bus: str) -> Iterator[TrayHome]:
    home = TrayHome(tmp_path, screen, bus)
    yield home
    home.close()


@pytest.fixture
def shown(home: TrayHome, desktop: Recorder) -> TrayHome:
    """With a panel, notifications and a repository; the tray runs."""
    desktop.show_notifications()
    desktop.show_panel()
    home.begin()
    return home

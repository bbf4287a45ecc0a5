"""What the tray needs of the owner of a home."""

from pathlib import Path
from typing import Protocol

from roundtable_desktop.tray.signals import Faces


class Place(Protocol):
    """Of the home, as far as the tray names it."""

    @property
    def root(self) -> Path: ...
    @property
    def log_file(self) -> Path: ...

    def show(self, page: Path) -> bool:
        """Opens a file with the program that the user has for it; may wait."""


class OwnerOfHome(Protocol):
    """`start`, `stop`, `open_page` and `take_over` may wait, so the worker calls them; the
    others answer at once."""

    @property
    def home(self) -> Place: ...

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

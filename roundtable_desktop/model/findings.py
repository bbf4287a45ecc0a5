"""What the doctor looks at and what it says: facts of this machine in, findings out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from roundtable_desktop.model.programs import Programs
from roundtable_desktop.model.whereabouts import Whereabouts


class Standing(StrEnum):
    OK = "ok"
    NOTICE = "notice"
    CRITICAL = "critical"


class Door(StrEnum):
    """Whose the dashboard is while the doctor looks: this very owner's, nobody's, or that of an
    owner that holds the home and does not answer."""

    SERVED = "served"
    CLOSED = "closed"
    SILENT = "silent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """check: what was looked at. code: of its sentence and of its cure. fixable: `--fix` mends it,
    and can take nothing of the user's away."""

    check: str
    standing: Standing
    code: str
    values: Mapping[str, object] = field(default_factory=dict)
    fixable: bool = False
    fixed: bool = False


class Premises(Protocol):
    """The home's surroundings, seen without writing; `mend_…` are the safe repairs."""

    def loose(self) -> Sequence[Path]:
        """What of the home others may read or write."""

    def mend_loose(self) -> None: ...

    def free_bytes(self) -> int: ...

    def stale_sockets(self) -> Sequence[Path]:
        """Nobody listens there any more."""

    def mend_sockets(self) -> None: ...

    def runs(self) -> Sequence[str]:
        """Those that have a folder in this home."""

    def marked(self) -> Mapping[str, Sequence[int]]:
        """Living processes by the run whose mark they bear, of any home."""

    def end(self, run: str) -> Sequence[int]:
        """Ends what bears its mark; the pids that are left."""

    def copies(self) -> Sequence[tuple[int, str]]:
        """(number of the workspace, name of the folder) of every working copy."""

    def aside(self) -> Sequence[tuple[Path, int]]:
        """Databases that a restore replaced, with their bytes."""

    def owner(self) -> Mapping[str, object]:
        """What the owner says of itself; empty when there is none."""

    def whereabouts(self) -> Whereabouts:
        """Where the home lies now."""

    def port_is_free(self, port: int) -> bool:
        """Whether a start could have it."""

    def git(self) -> str | None:
        """Where it is found, as Roundtable starts it."""

    @property
    def programs(self) -> Programs:
        """What agents can be started with."""

"""What the machine has to give just now, and what of it may be used for agents (A-33)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """What was measured; None is what could not be, and limits nothing ("unmeasured is not zero").

    cpu, memory: the share that is used by all, 0…1. memory_free, disk_free: bytes.
    on_battery: None where there is no battery. battery: the share that is left, 0…1.
    """

    cores: int | None = None
    cpu: float | None = None
    memory: float | None = None
    memory_free: int | None = None
    disk_free: int | None = None
    on_battery: bool | None = None
    battery: float | None = None


class Gauges(Protocol):
    def read(self) -> Gauge:
        """Costs below a millisecond and never raises. `cpu` is of the time since the last read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """active_commands: checks and the like that run beside the tasks. other_runs: runs at work that
    are of no task of the mission. most: the user's own maximum of tasks at once, with these.
    holds: accounts that are held, and until when (None: until a person acts). locks: names of tools
    that something outside of the graph uses alone."""

    gauge: Gauge = field(default_factory=Gauge)
    active_commands: int = 0
    other_runs: int = 0
    most: int | None = None
    holds: Mapping[str, datetime | None] = field(default_factory=dict)
    locks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """most: of tasks at once; code and values: what set it (`cores`, `user`, `memory`, `cpu`,
    `disk`, `battery`)."""

    most: int
    code: str
    values: Mapping[str, object] = field(default_factory=dict)

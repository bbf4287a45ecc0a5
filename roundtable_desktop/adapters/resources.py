"""What the machine has to give: processors, memory, disk and battery, by psutil (A-33)."""

import contextlib
import os
from pathlib import Path

import psutil

from roundtable_desktop.model.resources import Gauge


class MachineGauges:
    """Fulfils `resources.Gauges`. disk: a path on the disk that the copies lie on.

    What cannot be read is left out: a container without batteries, a folder that is gone.
    """

    def __init__(self, disk: Path) -> None:
        self._disk = disk
        self._last = _times()

    def read(self) -> Gauge:
        memory = used = free = None
        with contextlib.suppress(psutil.Error, OSError):
            memory = psutil.virtual_memory()
        if memory is not None and memory.total:
            used, free = 1 - memory.available / memory.total, int(memory.available)
        disk_free = None
        with contextlib.suppress(OSError):
            disk_free = int(psutil.disk_usage(str(self._disk)).free)
        on_battery, battery = _battery()
        return Gauge(
            cores=_cores(),
            cpu=self._cpu(),
            memory=used,
            memory_free=free,
            disk_free=disk_free,
            on_battery=on_battery,
            battery=battery,
        )

    def _cpu(self) -> float | None:
        """Of all processors since the last read; None when no time has passed that was counted."""
        last, now = self._last, _times()
        self._last = now
        if last is None or now is None or now[1] <= last[1]:
            return None
        return min(1.0, max(0.0, (now[0] - last[0]) / (now[1] - last[1])))


def _times() -> tuple[float, float] | None:
    """Seconds that the processors worked, and all seconds; guests are counted in `user`."""
    with contextlib.suppress(psutil.Error, OSError):
        times = psutil.cpu_times()._asdict()
        every = sum(spent for name, spent in times.items() if not name.startswith("guest"))
        return every - times["idle"] - times.get("iowait", 0.0), every
    return None


def _cores() -> int | None:
    """Those that this process may use, where the system tells; a container often has fewer."""
    with contextlib.suppress(AttributeError, OSError):
        return len(os.sched_getaffinity(0))
    return psutil.cpu_count()


def _battery() -> tuple[bool | None, float | None]:
    """psutil has the call only where it knows how, and knows of none on most desktops."""
    look = getattr(psutil, "sensors_battery", None)
    if look is None:
        return None, None
    with contextlib.suppress(psutil.Error, OSError, ValueError):
        found = look()
        if found is not None:
            plugged = found.power_plugged
            return None if plugged is None else not plugged, found.percent / 100
    return None, None

"""What the machine has to give: psutil's figures, and what is left out when it has none."""

import os
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from roundtable_desktop.adapters.resources import MachineGauges
from roundtable_desktop.model.resources import Gauge

Times = namedtuple("Times", ["user", "system", "idle", "iowait", "guest"])
BATTERY = SimpleNamespace(percent=55, power_plugged=False)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A machine whose figures can be set."""
    has = SimpleNamespace(
        times=[Times(10, 10, 80, 0, 5)],
        memory=SimpleNamespace(total=1000, available=250),
        disk=SimpleNamespace(free=4096),
        battery=BATTERY,
    )
    monkeypatch.setattr(psutil, "cpu_times", lambda: told(has.times.pop(0)))
    monkeypatch.setattr(psutil, "virtual_memory", lambda: told(has.memory))
    monkeypatch.setattr(psutil, "disk_usage", lambda path: told(has.disk))
    monkeypatch.setattr(psutil, "sensors_battery", lambda: told(has.battery), raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2}, raising=False)
    return has


def told(value: Any) -> Any:
    if isinstance(value, Exception):
        raise value
    return value


@pytest.mark.proves("A-33")
def test_every_figure_is_read(machine: SimpleNamespace, tmp_path: Path) -> None:
    machine.times.append(Times(13, 12, 85, 10, 7))  # 5 of 20 seconds; a guest's are the user's too
    assert MachineGauges(tmp_path).read() == Gauge(
        cores=3,
        cpu=0.25,
        memory=0.75,
        memory_free=250,
        disk_free=4096,
        on_battery=True,
        battery=0.55,
    )


@pytest.mark.proves("A-33")
def test_the_processors_are_measured_from_read_to_read(
    machine: SimpleNamespace, tmp_path: Path
) -> None:
    machine.times += [
        Times(20, 10, 80, 0, 0),
        Times(20, 10, 80, 0, 0),
        Times(20, 10, 90, 0, 0),
        OSError("gone"),
    ]
    gauges = MachineGauges(tmp_path)
    assert [gauges.read().cpu for _ in range(4)] == [1.0, None, 0.0, None]


@pytest.mark.proves("A-33")
def test_what_cannot_be_read_is_left_out(machine: SimpleNamespace, tmp_path: Path) -> None:
    machine.times = [Times(1, 1, 1, 1, 0)] * 2
    machine.memory = psutil.AccessDenied()
    machine.disk = FileNotFoundError()
    machine.battery = None
    assert MachineGauges(tmp_path).read() == Gauge(cores=3)


@pytest.mark.parametrize(("plugged", "on_battery"), [(True, False), (False, True), (None, None)])
def test_a_battery_says_whether_it_is_used(
    machine: SimpleNamespace, tmp_path: Path, plugged: bool | None, on_battery: bool | None
) -> None:
    machine.times *= 2
    machine.battery = SimpleNamespace(percent=100, power_plugged=plugged)
    found = MachineGauges(tmp_path).read()
    assert (found.on_battery, found.battery) == (on_battery, 1.0)


def test_a_system_without_these_calls_has_no_battery_and_counts_its_processors(
    machine: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(psutil, "sensors_battery")
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(psutil, "cpu_count", lambda: 6)
    machine.times *= 2
    found = MachineGauges(tmp_path).read()
    assert (found.cores, found.on_battery, found.battery) == (6, None, None)


def test_this_machine_is_measured(tmp_path: Path) -> None:
    found = MachineGauges(tmp_path).read()
    assert found.cores and found.cores > 0
    assert found.memory is not None and 0 < found.memory < 1
    assert found.memory_free and found.disk_free

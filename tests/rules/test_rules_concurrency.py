"""How many tasks at once: each limit of the machine, and which one is named."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wave_world import CALM

from roundtable_desktop.model.resources import Gauge, Resources
from roundtable_desktop.rules.concurrency import room

GB = 1 << 30


@pytest.mark.proves("A-33")
@pytest.mark.parametrize(
    ("gauge", "more", "live", "most", "code"),
    [
        ({}, {}, 0, 8, "cores"),
        ({"cores": None}, {}, 0, 4, "cores"),
        ({}, {"most": 3}, 0, 3, "user"),
        ({}, {"most": 20}, 0, 20, "user"),  # who asks for more than there are cores gets it
        ({}, {"most": 0}, 0, 0, "user"),
        ({"cores": 2}, {}, 0, 4, "cores"),
        ({"cpu": 0.99}, {}, 0, 4, "cpu"),
        ({"cpu": 0.99}, {}, 6, 6, "cpu"),
        ({"cpu": 0.99, "cores": 2}, {}, 0, 3, "cpu"),
        ({"memory": 0.9}, {}, 0, 1, "memory"),
        ({"memory": 0.9}, {}, 5, 5, "memory"),
        ({"memory": 0.96}, {}, 0, 0, "memory"),  # full: none
        ({"memory": 0.96}, {}, 5, 5, "memory"),
        ({"memory_free": 2 * GB}, {}, 1, 5, "memory"),
        ({"memory_free": 100 << 20}, {}, 0, 1, "memory"),
        ({"disk_free": GB}, {}, 0, 1, "disk"),
        ({"disk_free": 100 << 20}, {}, 0, 0, "disk"),
        ({"on_battery": False, "battery": 0.1}, {}, 0, 8, "cores"),
        ({"on_battery": True, "battery": 0.9}, {}, 0, 4, "battery"),
        ({"on_battery": True, "battery": 0.1}, {}, 0, 1, "battery"),
        ({"on_battery": True, "battery": None}, {}, 0, 4, "battery"),
        ({"on_battery": True, "battery": 0.9, "cores": 2}, {}, 0, 3, "battery"),
        ({}, {"active_commands": 3}, 0, 5, "commands"),
        ({}, {"active_commands": 30}, 0, 1, "commands"),
        ({}, {"active_commands": 3, "most": 20}, 0, 17, "commands"),
        ({"cpu": 0.99}, {"most": 1}, 0, 1, "user"),
    ],
)
def test_the_tightest_limit_counts(
    gauge: dict[str, Any], more: dict[str, Any], live: int, most: int, code: str
) -> None:
    found = room(Resources(gauge=replace(CALM, **gauge), **more), live)
    assert (found.most, found.code) == (most, code)


@pytest.mark.proves("A-33")
def test_what_could_not_be_measured_limits_nothing() -> None:
    assert room(Resources(gauge=Gauge(cores=6)), 2).most == 6


SHARE = st.one_of(st.none(), st.floats(0, 1))
BYTES = st.one_of(st.none(), st.integers(0, 64 * GB))
GAUGES = st.builds(
    Gauge,
    cores=st.one_of(st.none(), st.integers(1, 128)),
    cpu=SHARE,
    memory=SHARE,
    memory_free=BYTES,
    disk_free=BYTES,
    on_battery=st.one_of(st.none(), st.booleans()),
    battery=SHARE,
)


@pytest.mark.proves("A-33")
@given(GAUGES, st.integers(0, 40), st.integers(0, 20))
def test_a_full_or_busy_machine_never_asks_for_less_than_is_at_work(
    gauge: Gauge, live: int, commands: int
) -> None:
    """Memory, disk and processors hold new work back; only what somebody set (their own most, or
    half of the processors on battery) can be below what runs, and then nothing new begins."""
    found = room(Resources(gauge=gauge, active_commands=commands), live)
    if found.code in ("memory", "disk", "cpu"):
        assert found.most >= live
    assert found.most >= 0

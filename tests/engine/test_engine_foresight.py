"""What is foreseen: by the same engine on a copy, in time, and with what keeps it from running."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from ground import JOAN, NOW
from simulated import World

from roundtable_desktop.adapters.foreseeing import ForeseeingChild
from roundtable_desktop.cli.simulate import what_is_left_out
from roundtable_desktop.engine.desk import Asked, agents
from roundtable_desktop.model.errors import Busy
from roundtable_desktop.model.records import Agent, Workspace
from roundtable_desktop.model.states import Adapter, Role
from roundtable_desktop.model.times import instant, micros, rfc3339
from roundtable_desktop.simulation import simulate

ASKED = Asked(JOAN)
HOUR = timedelta(hours=1)


class Glass:
    """A world to look into: a workspace with a coordinator and its heartbeat."""

    def __init__(self, root: Path) -> None:
        self.world = World(root)
        self.folder = root / "look"
        self.workspace: Workspace = self.world.ground.workspace()
        self.chair = self.agent("chair", role=Role.COORDINATOR)

    def agent(self, name: str, **words: Any) -> Agent:
        words = {"adapter": Adapter.DEMO, "command": [], **words}
        return agents.add(self.world.desk, ASKED, self.workspace.id, name=name, **words)

    def look(self, span: timedelta = HOUR, seconds: float = 600) -> dict[str, Any]:
        self.folder.mkdir(exist_ok=True)
        asked = {
            "database": str(self.world.ground.path),
            "folder": str(self.folder),
            "now": micros(NOW),
            "until": micros(NOW + span),
            "seed": 1,
            "seconds": seconds,
            "workspace_id": None,
        }
        return simulate(asked, self.folder)


@pytest.fixture
def glass(tmp_path: Path) -> Glass:
    return Glass(tmp_path)


def codes(seen: dict[str, Any]) -> list[str]:
    return [one["code"] for one in seen["items"]]


@pytest.mark.proves("N-04 waiting")
def test_an_hour_of_heartbeats_is_foreseen_to_its_end(glass: Glass) -> None:
    seen = glass.look()
    assert (seen["complete"], seen["whole"], seen["until"]) == (True, True, micros(NOW + HOUR))
    assert codes(seen).count("foreseen_ends_taskless") >= 10


@pytest.mark.proves("N-04 waiting")
def test_whose_time_is_over_tells_what_it_has_and_says_so(glass: Glass) -> None:
    seen = glass.look(7 * 24 * HOUR, seconds=0)
    assert (seen["complete"], seen["until"], seen["items"]) == (False, micros(NOW), [])
    shown = {**seen, "until": rfc3339(instant(seen["until"]))}
    (line,) = what_is_left_out(shown, ZoneInfo("UTC"))
    assert line.startswith("Cut here") and "2026-03-01 12:00" in line


@pytest.mark.proves("N-04 waiting")
def test_a_look_ahead_that_never_answers_is_no_fault_of_ours(glass: Glass) -> None:
    hangs = [sys.executable, "-c", "import threading; threading.Event().wait()"]
    with pytest.raises(Busy, match="foresight_too_long"):
        ForeseeingChild(hangs, glass.world.ground.path, seconds=0.1)(now=0)

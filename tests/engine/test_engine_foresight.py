"""What is foreseen: by the same engine on a copy, in time, and with what keeps it from running."""

import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from ground import JOAN, NOW
from simulated import World

from roundtable_desktop.adapters.foreseeing import ForeseeingChild
from roundtable_desktop.adapters.pretend import Ending
from roundtable_desktop.cli.simulate import what_is_left_out
from roundtable_desktop.dashboard.api.shapes import said
from roundtable_desktop.engine.desk import Asked, agents, control, pausing
from roundtable_desktop.model.errors import Busy
from roundtable_desktop.model.records import Agent, Workspace
from roundtable_desktop.model.states import Adapter, Role
from roundtable_desktop.model.times import instant, micros, rfc3339
from roundtable_desktop.phrases.instants import stamp
from roundtable_desktop.simulation import simulate
from roundtable_desktop.store import holds

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

    def look(
        self, span: timedelta = HOUR, seconds: float = 600, draft: object = None
    ) -> dict[str, Any]:
        self.folder.mkdir(exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        asked = {
            "database": str(self.world.ground.path),
            "folder": str(folder),
            "now": micros(now := self.world.clock.now()),
            "until": micros(now + span),
            "seed": 1,
            "seconds": seconds,
            "workspace_id": None,
            "draft": draft,
        }
        return simulate(asked, folder)


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


def told(seen: dict[str, Any], code: str) -> list[str]:
    return [said(one["code"], one["values"]) for one in seen["items"] if one["code"] == code]


@pytest.mark.proves("N-04 waiting")
def test_what_is_paused_is_told_before_all_else(glass: Glass) -> None:
    other = glass.agent("ann")
    pausing.pause(glass.world.desk, ASKED, other.id)
    control.pause(glass.world.desk, ASKED)
    seen = glass.look()
    assert codes(seen)[:2] == ["foreseen_intake_paused", "foreseen_agent_off"]
    assert told(seen, "foreseen_agent_off")[0].startswith("ann is paused")
    assert not told(seen, "foreseen_starts_taskless")


@pytest.mark.proves("N-04 waiting", "C-37")
def test_a_limit_that_stands_is_told_and_its_end_when_one_gets_through(glass: Glass) -> None:
    glass.world.ending = lambda order: Ending(exit_code=1, stderr="429. Retry-After: 1800")
    glass.world.run(HOUR / 5)
    with glass.world.ground.reader.snapshot() as view:
        (hold,) = holds.every(view)
    until = hold.until_at
    assert until > glass.world.clock.now()
    seen = glass.look()
    assert codes(seen)[0] == "foreseen_held"
    assert stamp(rfc3339(until)) in told(seen, "foreseen_held")[0]
    starts = [one["at"] for one in seen["items"] if one["code"] == "foreseen_starts_taskless"]
    assert starts and min(starts) >= micros(until)
    assert told(seen, "foreseen_freed") == [f"The limit of {glass.chair.account} is over."]


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

"""A mission of five hundred tasks: how long a wave of it takes to plan, and its page to paint."""

import random
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import chromium
import psutil
import pytest
from _system import BROWSER, left_out
from engine_missions import Crew
from engine_stage import Stage
from outside_house import House, started
from playwright.sync_api import Page, sync_playwright

from benchmarks.table import MEMORY, Goal, measure
from roundtable_desktop.model.graph import Edge

TASKS = 500
PLANNED, PAINTED = 0.2, 1.0
"""Seconds that it may take."""
_PAINT = """() => new Promise(done => new PerformanceObserver(list => {
  const seen = list.getEntriesByName("first-contentful-paint");
  if (seen.length) done();
}).observe({ type: "paint", buffered: true }))"""


def before(dice: random.Random, made: list[str]) -> list[str]:
    """What a task comes after: none, or a few of the thirty before it."""
    near = made[-30:]
    return dice.sample(near, min(len(near), dice.choice((0, 0, 1, 2, 3))))


def planned(stage: Stage) -> float:
    """Seconds of processor time of the owner's loop for a look at a mission, with what follows of
    it: the longer one of its first wave and the next."""
    crew, dice = Crew(stage), random.Random(TASKS)
    crew.open()
    made: list[str] = []
    for number in range(TASKS):
        edges = [Edge(depends_on_task_id=one) for one in before(dice, made)]
        area = [f"src/m{dice.randrange(100)}/**/*.py", f"tests/t{number}_*.py"]
        made.append(crew.task(f"Row {number}", depends_on=edges, write_area=area).id)
    first = _look(crew)
    crew.turn()
    for run in crew.live():
        crew.end(run)
    spent = max(first, _look(crew))
    waves = crew.waves()
    assert len(waves) == 2 and all(one.plan["runnable_task_ids"] for one in waves)
    return spent


def _look(crew: Crew) -> float:
    began = time.thread_time()
    assert crew.look() == 1
    return time.thread_time() - began


@pytest.mark.proves("A-18 quick")
def planning() -> bool:
    """From what the database has to the stored wave, its reasons and its wakeups."""
    what = f"a wave of {TASKS} tasks, processor time / {PLANNED} s"
    goal = Goal("A-18", what, "{:.3f} s", "{:.1f} s", most=1.0)

    def once() -> tuple[float, float]:
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            stage = Stage(Path(folder))
            stage.build()
            with closing(stage.ground):
                return planned(stage), PLANNED

    return measure(goal, once)


def laid_out(house: House) -> str:
    """The path of a mission's page. It is paused: the page is measured, and no agents beside it."""
    room, dice = house.room(), random.Random(TASKS)
    agent = room.shell("true")
    mission: Any = house.post("/missions", {"workspace_id": room.id, "goal": "Bake bread"})
    house.post(f"/missions/{mission['id']}/pause")
    made: list[str] = []
    for number in range(TASKS):
        more = {"mission_id": mission["id"], "blocked_by": before(dice, made)}
        made.append(room.task(f"Row {number}", agent, write_area=[f"m{number}/"], **more)["id"])
    return f"/missions/{mission['id']}"


def painted(page: Page, path: str) -> float:
    """Seconds of processor time of the owner and the browser, from the request for the page until
    its text is on the screen: on a machine with nothing else to do it is there no later."""
    began = _used()
    page.goto(path, wait_until="commit")
    page.evaluate(_PAINT)
    spent = _used() - began
    assert page.locator("[id^=n-]").count() >= TASKS
    return spent


def _used() -> float:
    """Of all that was started from here."""
    times = [one.cpu_times() for one in psutil.Process().children(recursive=True)]
    return sum(one.user + one.system for one in times)


@pytest.mark.proves("A-18 quick")
def page() -> bool:
    if left_out([BROWSER]):
        return False
    what = f"its page painted, processor time / {PAINTED:.0f} s"
    goal = Goal("A-18", what, "{:.3f} s", "{:.1f} s", most=1.0)
    with (
        tempfile.TemporaryDirectory(dir=MEMORY) as folder,
        started(Path(folder)) as house,
        sync_playwright() as playwright,
    ):
        path = laid_out(house)
        browser = playwright.chromium.launch(**chromium.launch_arguments())
        with closing(
            browser.new_context(**chromium.CONTEXT, base_url=house.facts["browser_url"])
        ) as one:
            seen = one.new_page()
            chromium.enter(house, seen)
            painted(seen, path)  # the first one compiles templates, and has styles and scripts sent
            return measure(goal, lambda: (painted(seen, path), PAINTED))

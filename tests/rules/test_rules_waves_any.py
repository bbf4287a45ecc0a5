"""Any graph, carried out wave by wave: the laws that no order of events may break."""

import os
import time

import pytest
from wave_world import agents, carry_out, seen, task

from roundtable_desktop.model.resources import Resources
from roundtable_desktop.model.waves import PlanEdge
from roundtable_desktop.rules.waves import plan

GRAPHS = int(os.environ.get("ROUNDTABLE_GRAPHS", "120"))
SEED = int(os.environ.get("ROUNDTABLE_SEED", "1"))


@pytest.mark.proves("A-13", "A-14", "A-12")
@pytest.mark.parametrize("batches", [True, False], ids=["in waves", "one by one"])
def test_any_graph_is_carried_out_by_the_law(batches: bool) -> None:
    """The checks stand in `wave_world`: nothing before its hard dependencies, nothing
    beside what may write the same, no agent with more than it can take, no wave too late, and an
    end in every case."""
    carry_out(range(SEED, SEED + GRAPHS), batches=batches)


@pytest.mark.proves("A-18", "A-18 quick")
@pytest.mark.parametrize("shape", ["apart", "globs", "one file", "unknown", "a chain", "a lattice"])
def test_five_hundred_tasks_are_planned_at_once(shape: str) -> None:
    """In 200 ms of processor time on a slow machine; a tenth of it is usual."""
    areas = {
        "globs": lambda n: (f"src/m{n}/**/*.py", f"tests/t{n}_*.py"),
        "one file": lambda n: ("src/app.py",),
        "unknown": lambda n: (),
    }
    area = areas.get(shape, lambda n: (f"src/m{n}/",))
    tasks = [task(f"t{n:03}", number=n, write_area=area(n)) for n in range(500)]
    width = {"a chain": 1, "a lattice": 6}.get(shape, 0)
    edges = tuple(
        PlanEdge(task_id=f"t{n:03}", depends_on_task_id=f"t{before:03}")
        for n in range(500)
        for before in range(max(0, n - width), n)
    )
    all_at_once = Resources(most=500)
    crew = agents(10, capacity=50)
    picture = seen(*tasks, edges=edges, agents=crew, resources=all_at_once)
    took = []
    for _ in range(3):
        began = time.process_time()
        wave = plan(picture, "w")
        took.append(time.process_time() - began)
    assert len(wave.tasks) == 500
    assert len(wave.runnable_task_ids) == (500 if shape in ("apart", "globs") else 1)
    assert min(took) < 0.2, took

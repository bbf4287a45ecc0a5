"""What else is at work takes room from a mission, or keeps a thing for itself for a while."""

import pytest
from engine_missions import Crew
from engine_stage import Stage
from ground import set_columns
from test_engine_checks import Checked

from roundtable_desktop.engine import waves
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.resources import Gauge, Resources
from roundtable_desktop.store import missions, resources


def seen_by(stage: Stage, mission: Mission) -> Resources:
    with stage.ground.reader.snapshot() as view:
        return waves.picture(view, mission, stage.clock.now(), Gauge()).seen.resources


@pytest.mark.proves("A-33")
def test_checks_that_run_are_counted_as_long_as_they_do(stage: Stage) -> None:
    offered = Checked(stage)
    with stage.ground.reader.snapshot() as view:
        (mission,) = missions.of_workspace(view, offered.on.home.id)
    assert seen_by(stage, mission).active_commands == 0
    run = offered.begun()
    assert seen_by(stage, mission).active_commands == 1
    stage.finish(run)
    assert seen_by(stage, mission).active_commands == 0


@pytest.mark.proves("A-33", "A-17")
@pytest.mark.parametrize(
    ("kept", "area"),
    [("b", ["b/"]), ("b/one.txt", ["b/"]), ("tools/port-8080", ["b/", "tools/port-8080"])],
)
def test_what_a_run_keeps_for_itself_is_waited_for_until_it_ends(
    stage: Stage, kept: str, area: list[str]
) -> None:
    crew = Crew(stage, agents=2)
    crew.open()
    alone = stage.task(crew.home, stage.agent(crew.home, name="Alone"), title="Loose")
    run = stage.launch()
    assert run.task_id == alone.id
    with stage.store.transaction() as tx:
        resources.claim(tx, run, [kept])
    other, held = crew.task("Other", write_area=["a/"]), crew.task("Held", write_area=area)
    crew.turn()
    assert [one.task_id for one in crew.live()] == [alone.id, other.id]
    (wave,) = crew.waves()
    why = wave.plan["tasks"]
    assert isinstance(why, dict)
    told = why[held.id]
    assert (told["code"], told["values"]) == ("locked", {"lock": kept, "task": None})
    stage.finish(run, result={"status": "completed"})
    crew.turn()
    assert crew.run_of(held)


@pytest.mark.proves("A-32")
def test_what_bears_little_risk_is_done_with_the_last_of_its_agents_models(stage: Stage) -> None:
    crew = Crew(stage, agents=3)
    for one in crew.agents:
        with stage.store.transaction() as tx:
            set_columns(tx, "agents", one.id, model="big", fallback_models=["small"])
    crew.open()
    light = crew.task("Light", write_area=["notes.md"], optional=True)
    plain = crew.task("Plain", write_area=["b.txt"])
    grave = crew.task("Grave", write_area=["auth.py"], optional=True)
    crew.turn()
    models = [crew.run_of(one).model for one in (light, plain, grave)]
    assert models == ["small", "big", "big"]

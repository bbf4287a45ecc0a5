"""A repair of a mission's own branch whose agent may not work is done by somebody else."""

import pytest
from engine_stage import ASKED, Stage
from user_commits import Moved

from roundtable_desktop.engine.desk import pausing
from roundtable_desktop.engine.missions import Missions
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.resources import Gauge
from roundtable_desktop.model.states import DeliveryMode, Role, TaskStatus


def look(stage: Stage) -> None:
    """The planner's."""
    given = (stage.store, stage.ground.reader, stage.clock, stage.ids)
    Missions(*given, lambda: 0.5, Gauge, lambda _mission: None).look()


@pytest.mark.proves("A-27", "C-66")
def test_a_repair_of_the_branch_itself_goes_to_somebody_else_too(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    stage.agent(here.home, name="Bea", role=Role.WORKER)
    here.clashed()
    stage.deliver()
    [repair] = here.repairs()
    given = repair.assignee_agent_id
    assert given is not None
    pausing.pause(stage.desk, ASKED, given)
    look(stage)
    assert here.mission.state is MissionState.ACTIVE, "nothing stands for want of that one"
    assert here.now(repair).assignee_agent_id not in (given, here.root.assignee_agent_id)
    run = stage.launch()
    while run.task_id != repair.id:
        run = stage.launch()  # the coordinator, who is told that all of its tasks were over
    here.worked(repair, run, a="both\n")
    stage.deliver()
    assert here.now(repair).status is TaskStatus.DONE and here.shown("a.txt") == "both"

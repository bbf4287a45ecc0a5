"""What a mission offers as a whole has no run: it is shown all the same, wherever proposals are."""

import pytest
from engine_stage import Stage
from mission_stage import OnMission
from test_engine_renewed import client

from roundtable_desktop.dashboard.api.proposals import row
from roundtable_desktop.engine.desk.look_activity import named
from roundtable_desktop.engine.desk.look_proposals import offered as looked_at
from roundtable_desktop.engine.desk.look_tray import LookTray
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.tray.wording import of_proposal


@pytest.fixture
def offered(stage: Stage) -> Proposal:
    here = OnMission(stage, goal="Make it better")
    here.merged(here.task("One"), b="b\n")
    made = here.complete()
    assert made is not None
    return made


@pytest.mark.proves("A-26")
def test_its_page_and_the_list_say_whose_it_is_and_for_which_branch(
    stage: Stage, offered: Proposal
) -> None:
    pages = client(stage)
    said = pages.get(f"/proposals/{offered.id}").get_data(as_text=True)
    assert "All that its tasks merged, as a whole." in said and "<code>main</code>" in said
    assert "It stays on the mission's branch" in said.replace("&#39;", "'")
    listed = pages.get("/proposals").get_data(as_text=True)
    assert offered.id in listed and "A mission" in listed and "Make it better" in listed
    assert pages.get(f"/tasks/{offered.task_id}").status_code == 200
    assert pages.get("/").status_code == 200


@pytest.mark.proves("A-26")
def test_the_tray_the_api_and_the_feed_know_it(stage: Stage, offered: Proposal) -> None:
    [waits] = LookTray(stage.ground.reader, stage.clock).to_look_at(5)
    assert waits.agent == "" and of_proposal(waits).title.startswith("A mission has finished")
    last = stage.ground.events()[-5:]
    with stage.ground.reader.snapshot() as view:
        shown, told = row(looked_at(view, offered)), named(view, last)
    assert shown.run_id is None and shown.sentence.startswith("It waits for you")
    assert any(one.mission is not None for one in told)

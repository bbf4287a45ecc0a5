"""An agent of a mission has the workspace's checks run, and hears how they went."""

from dataclasses import replace
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from mission_stage import OnMission

from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.config import Consent
from roundtable_desktop.model.errors import Absent, Conflict
from roundtable_desktop.store import config

LINT = [{"name": "lint", "command": ["make", "lint"]}]


def of_root(on: OnMission, run_id: str, agent_id: str) -> Holder:
    """As if that run worked on the mission's root task."""
    return Holder(run_id=run_id, agent_id=agent_id, task_id=on.root.id, workspace_id=on.home.id)


def test_it_is_begun_at_once_and_asked_for_by_its_handle(stage: Stage) -> None:
    on = OnMission(stage)
    with stage.store.transaction() as tx:
        config.put(tx, ASKED.actor, on.home.id, Consent(checks=LINT))
    on.merged(on.task(), b="b\n")
    while stage.step():
        pass
    stage.play()
    other = stage.agent(on.home, name="Loose")
    loose = stage.task(on.home, other, title="Loose")
    stage.step()
    stage.play()
    run = next(one for one in stage.ground.runs() if one.task_id == loose.id)
    stage.consume(run)
    holder = of_root(on, run.id, other.id)
    agency: Any = Agency(stage.desk, stage.ground.reader)
    assert agency.checks.names(holder) == {"checks": ["lint"]}
    begun = agency.checks.run(holder, "lint", None)
    assert (begun["name"], begun["status"], begun["exit_code"]) == ("lint", "asked", None)
    assert agency.checks.run(holder, "lint", None) == begun, "it is under way"
    check = stage.launch()
    stage.finish(check, code=1, tail="b.txt: a line is too long\n")
    told = agency.checks.result(holder, begun["check_id"])
    assert (told["status"], told["exit_code"]) == ("failed", 1)
    assert told["printed"] == "b.txt: a line is too long"
    for alien in ("0" * 26, "../../etc"):
        with pytest.raises(Absent, match="unknown_check_run"):
            agency.checks.result(holder, alien)
    with pytest.raises(Absent, match="unknown_check"):
        agency.checks.run(holder, "rm -rf", None)
    with pytest.raises(Conflict, match="checks_of_missions"):
        agency.checks.run(replace(holder, task_id=loose.id), "lint", None)

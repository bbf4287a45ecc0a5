"""What a person is offered to do is what the commands take."""

from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns

from roundtable_desktop.engine.desk import tasks
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.states import TaskStatus


def look_at(stage: Stage) -> Look:
    unasked: Any = None
    return Look(
        stage.ground.reader,
        stage.ground.clock,
        stage.git,
        unasked,
        unasked,
        unasked,
        stage.folders.copies,
        unasked,
        unasked,
    )


@pytest.mark.proves("C-104")
def test_a_proposal_waits_until_it_is_decided_and_again_when_it_is_held(stage: Stage) -> None:
    look = look_at(stage)
    proposal = stage.offered(stage.assigned(), a="theirs\n")

    def seen() -> tuple[str, bool, int]:
        one = look.proposal(proposal.id)
        return one.stands, one.can_deliver, look.counts().proposals

    assert seen() == ("pending", True, 1)
    stage.folders.plain("checkout", "-q", "main")
    (stage.folders.repo / "a.txt").write_text("mine\n")
    stage.folders.commit()
    stage.folders.plain("checkout", "-q", "elsewhere")
    stage.ask_deliver(proposal)
    assert seen() == ("approved", False, 0), "it is under way"
    stage.deliver()
    assert seen() == ("held", True, 1)
    stage.folders.plain("branch", "-f", "main", "main~1")
    stage.ask_deliver(proposal)
    stage.deliver()
    assert seen() == ("delivered", False, 0)


@pytest.mark.proves("K-55")
@pytest.mark.parametrize("status", TaskStatus)
def test_a_task_can_be_run_where_the_command_runs_it(stage: Stage, status: TaskStatus) -> None:
    task = stage.assigned()
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", task.id, status=status)
    can = look_at(stage).doable(stage.ground.get_task(task.id))
    asked: set[str] = set()
    for name, command in {
        "run": lambda: stage.ask_run(task),
        "assign": lambda: tasks.assign(stage.desk, ASKED, task.id, task.assignee_agent_id or ""),
    }.items():
        try:
            command()
            asked.add(name)
        except Refused:
            pass
    assert (can.run, can.assign) == ("run" in asked, "assign" in asked)
    assert can.wakes == (status not in (TaskStatus.DONE, TaskStatus.CANCELLED))


@pytest.mark.proves("K-55")
def test_what_runs_or_is_nobodys_cannot_be_run(stage: Stage) -> None:
    look = look_at(stage)
    task = stage.assigned()
    stage.launch()
    assert not look.doable(stage.ground.get_task(task.id)).run
    (workspace,) = look.workspaces(None, 2)
    nobodys = stage.task(workspace)
    can = look.doable(nobodys)
    assert (can.run, can.assign, can.wakes) == (False, True, False)

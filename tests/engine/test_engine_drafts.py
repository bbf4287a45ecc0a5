"""What an edit of a routine changes is told before it is saved, and nothing is saved by that."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from routine_stage import HEAVY, NOW, Routines
from simulated import World
from test_engine_foresight import Glass, told

from roundtable_desktop.engine.desk import drafts
from roundtable_desktop.engine.desk.drafts import Draft
from roundtable_desktop.engine.desk.look_agenda import LookAgenda
from roundtable_desktop.engine.desk.routines import NewRoutine, Wanted
from roundtable_desktop.model.agenda import Difference
from roundtable_desktop.model.errors import Conflict, Invalid
from roundtable_desktop.model.states import AgentStatus, RoutineStatus, TriggerKind
from roundtable_desktop.store import agents

DAY = timedelta(days=1)


def at(cron: str, zone: str = "UTC") -> list[Wanted]:
    return [Wanted(TriggerKind.SCHEDULE, cron_expression=cron, timezone=zone)]


def seen(here: Routines, draft: Draft, span: timedelta = DAY) -> Difference:
    return LookAgenda(here.stage.ground.reader, here.stage.clock).difference(draft, span)


def numbers(found: Difference) -> tuple[tuple[int, int] | None, tuple[int, int]]:
    before = found.before and (found.before.fires, found.before.runs)
    return before, (found.after.fires, found.after.runs)


@pytest.mark.proves("N-04 edit")
def test_an_edit_of_its_schedule_is_compared_and_changes_nothing(stage: Stage) -> None:
    here = Routines(stage, max_concurrent_sessions=1)
    here.add("0 * * * *", name="Other", template=HEAVY)
    routine = here.add("0 9 * * *")
    stored = stage.everything()
    draft = drafts.of_change(stage.desk, ASKED, routine.id, triggers=at("*/30 * * * *"))
    assert stage.everything() == stored
    found = seen(here, draft)
    assert numbers(found) == ((1, 1), (48, 48))
    assert found.after.next[0].at == NOW + timedelta(minutes=30)
    before, after = found.before and found.before.loads[0], found.after.loads[0]
    assert before is not None and (before.runs, before.late) == (25, 1)
    assert (after.agent, after.fires, after.runs) == (here.agent.name, 72, 72)
    assert (after.late, after.seconds) == (24, 72 * 300), "each full hour both are due"
    assert stage.everything() == stored


@pytest.mark.proves("N-04 edit")
def test_a_new_one_a_pause_and_another_agent(stage: Stage) -> None:
    here = Routines(stage)
    wanted = NewRoutine(
        workspace_id=here.workspace.id,
        name="New",
        assignee_agent_id=here.agent.id,
        triggers=at("0 9 * * *"),
    )
    assert numbers(seen(here, drafts.of_new(stage.desk, ASKED, wanted))) == (None, (1, 1))
    routine = here.add("0 9 * * *")
    paused = drafts.of_change(stage.desk, ASKED, routine.id, status=RoutineStatus.PAUSED)
    assert numbers(seen(here, paused)) == ((1, 1), (0, 0))
    here.edit(routine, status=RoutineStatus.PAUSED)
    again = drafts.of_change(stage.desk, ASKED, routine.id, status=RoutineStatus.ACTIVE)
    assert numbers(seen(here, again)) == ((0, 0), (1, 1))
    bob = stage.agent(here.workspace, name="Bob")
    with stage.store.transaction() as tx:
        agents.move(tx, bob, AgentStatus.PAUSED, ASKED.actor, paused_reason="person")
    moved = drafts.of_change(
        stage.desk, ASKED, routine.id, status=RoutineStatus.ACTIVE, assignee_agent_id=bob.id
    )
    found = seen(here, moved)
    assert numbers(found) == ((0, 0), (1, 0)) and found.after.next[0].reason == "agent_paused"


@pytest.mark.proves("N-04 edit")
def test_what_would_be_refused_is_refused(stage: Stage) -> None:
    here = Routines(stage)
    here.add(name="Taken")
    routine = here.add(name="Mine")
    stored = stage.everything()
    with pytest.raises(Conflict, match="name_taken"):
        drafts.of_change(stage.desk, ASKED, routine.id, name="Taken")
    with pytest.raises(Invalid, match="cron_bad_minute"):
        drafts.of_change(stage.desk, ASKED, routine.id, triggers=at("61 * * * *"))
    assert stage.everything() == stored


@pytest.mark.slow
@pytest.mark.proves("N-04 edit")
def test_the_play_takes_the_draft_for_the_routine(tmp_path: Path) -> None:
    glass = Glass(tmp_path)
    world: World = glass.world
    with world.ground.reader.snapshot() as view:
        (row,) = view.sql("SELECT id FROM office_routines")
    beat = str(row["id"])
    assert len(told(glass.look(), "foreseen_starts_taskless")) >= 10

    def played(**draft: Any) -> int:
        change = drafts.of_change(world.desk, ASKED, beat, **draft)
        found = glass.look(draft=drafts.rows_of(change))
        return len(told(found, "foreseen_starts_taskless"))

    assert played(triggers=at("0 * * * *")) == 1
    assert played(status=RoutineStatus.PAUSED) == 0
    assert len(told(glass.look(), "foreseen_starts_taskless")) >= 10

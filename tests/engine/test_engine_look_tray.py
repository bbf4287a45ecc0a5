"""What the tray sees: who works on what and since when, what comes, what can be run."""

from datetime import timedelta

import pytest
from engine_stage import ASKED, Stage
from ground import NOW
from routine_stage import HEAVY, Routines

from roundtable_desktop.engine.desk import settings
from roundtable_desktop.engine.desk.look_tray import Hours, Late, LookTray
from roundtable_desktop.model.routines import Variable
from roundtable_desktop.model.states import CatchUpPolicy, RoutineStatus


@pytest.fixture
def look(routines: Routines) -> LookTray:
    return LookTray(routines.stage.ground.reader, routines.stage.clock)


@pytest.mark.proves("D-04")
def test_a_run_is_named_after_its_routine_or_its_task(routines: Routines, look: LookTray) -> None:
    routines.fire(routines.add(None, name="Triage"))
    routines.work()
    routines.fire(routines.add(None, name="Deps", template=HEAVY))
    routines.work()
    routines.stage.clock.forward(minutes=4, seconds=59)
    light, heavy = look.at_work(5)
    assert (light.name, light.minutes) == ("Triage", 4)
    assert heavy.name.startswith("T-1 Daily Dep Update") and heavy.agent == routines.agent.name
    assert look.at_work(1) == [heavy], "the newest"


@pytest.mark.proves("D-04")
def test_the_next_fire_is_the_soonest_of_all(routines: Routines, look: LookTray) -> None:
    assert look.coming() is None
    routines.add("0 13 * * *", name="Later")
    soon = routines.add("5 12 * * *", name="Soon")
    coming = look.coming()
    assert coming is not None
    assert (coming.name, coming.at) == ("Soon", NOW + timedelta(minutes=5))
    routines.edit(soon, status=RoutineStatus.PAUSED)
    later = look.coming()
    assert later is not None and later.name == "Later"


@pytest.mark.proves("D-04")
def test_what_can_be_run_by_hand_begins_with_what_ran_last(
    routines: Routines, look: LookTray
) -> None:
    first, second = routines.add(None, name="First"), routines.add(None, name="Second")
    what = Variable("what", required=True)
    routines.add(None, name="Asks", template=HEAVY, variables=[what])
    paused = routines.add(None, name="Paused")
    routines.edit(paused, status=RoutineStatus.PAUSED)
    routines.remove(routines.add(None, name="Gone"))
    routines.fire(second)
    routines.stage.clock.forward(seconds=1)
    routines.fire(first)
    found = look.by_hand(6)
    assert [one.name for one in found] == ["First", "Second", "Asks"]
    assert [one.asks for one in found] == [False, False, True]
    assert len(look.by_hand(2)) == 2


@pytest.mark.proves("N-01 told")
def test_what_was_late_after_a_sleep_is_counted(routines: Routines, look: LookTray) -> None:
    routines.add("0 * * * *", name="Hourly", catch_up_max=1)
    routines.add("30 * * * *", name="Not any more", catch_up_policy=CatchUpPolicy.SKIP_MISSED)
    last, begin = routines.stage.ground.events()[-1].id, routines.stage.clock.now()
    routines.pass_time(hours=3, minutes=10)
    end = routines.stage.clock.now()
    happened = [one for one in routines.stage.ground.events() if one.id > last]
    assert look.late(happened, begin, end) == Late(due=6, run=1)
    assert look.late(happened, end, end) == Late()


@pytest.mark.proves("N-11 notices")
def test_what_lasts_at_this_hour_is_told_with_its_end(routines: Routines, look: LookTray) -> None:
    desk, clock = routines.stage.desk, routines.stage.clock
    assert look.at_this_hour(look.hours()) == Hours()
    settings.mute(desk, ASKED, clock.now() + timedelta(hours=1))
    settings.change(
        desk, ASKED, {"quiet_hours": "daily 00:00-24:00", "quiet_critical_passes": False}
    )
    settings.change(desk, ASKED, {"notifications": "needed"})
    hours = look.at_this_hour(look.hours())
    assert hours.muted_until == clock.now() + timedelta(hours=1)
    assert hours.quiet_until is not None and hours.quiet_until > clock.now()
    assert hours.hushed and hours.only_needed and not hours.critical_passes
    settings.change(desk, ASKED, {"quiet_hours": None})
    clock.forward(hours=1)
    assert not look.at_this_hour(look.hours()).hushed, "a mute ends by itself"
    settings.mute(desk, ASKED, None)
    assert look.hours().muted_until is None


@pytest.mark.proves("D-05 proposals")
def test_a_proposal_waits_until_it_is_decided(stage: Stage) -> None:
    look = LookTray(stage.ground.reader, stage.clock)
    task = stage.assigned()
    proposal = stage.offered(task, b="b\n")
    [found] = look.to_look_at(5)
    assert (found.proposal.id, found.task.id) == (proposal.id, task.id) and found.agent
    stage.ask_deliver(proposal)
    assert look.to_look_at(5) == [], "its delivery is under way"
    stage.deliver()
    assert look.to_look_at(5) == []

"""A routine that cannot fire asks for a person, once until it fires well."""

import pytest
from engine_stage import ASKED
from routine_stage import Routines

from roundtable_desktop.engine.desk import inbox as desk_inbox
from roundtable_desktop.model.records import InboxItem, Subject
from roundtable_desktop.model.routines import Routine, Variable
from roundtable_desktop.model.states import VariableType
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import inbox


def asked(routines: Routines, routine: Routine) -> list[InboxItem]:
    with routines.stage.ground.reader.snapshot() as view:
        return inbox.open_about(view, Subject("routine", routine.id))


def needing(default: str | None = None) -> list[Variable]:
    return [Variable("where", default=default, required=True)]


@pytest.mark.proves("K-22", "K-23", "K-35")
def test_a_value_that_is_wanting_is_asked_for_once_until_it_is_there(routines: Routines) -> None:
    routine = routines.add(variables=needing())
    for _ in range(3):
        routines.pass_time(minutes=5)
    assert routines.states(routine) == ["failed"] * 3
    (item,) = asked(routines, routine)
    said = sentence(item.code, dict(item.data))
    assert "“Look around” was set off and did not fire: it needs a value for where." in said
    routines.fire(routine, where="here")
    assert asked(routines, routine) == [item], "that is no word about its times"
    routines.work_all()
    routines.edit(routine, variables=needing("there"))
    routines.pass_time(minutes=5)
    assert routines.states(routine)[-1] == "received"
    assert asked(routines, routine) == []


@pytest.mark.proves("K-22", "K-23")
def test_a_value_that_cannot_be_taken_is_named(routines: Routines) -> None:
    routine = routines.add(variables=[Variable("n", VariableType.NUMBER, 3)])
    with routines.stage.store.transaction() as tx:
        bad = '[{"name": "n", "type": "number", "default": "many"}]'
        tx.write_sql("UPDATE office_routines SET variables = ?", (bad,))
    routines.pass_time(minutes=5)
    (item,) = asked(routines, routine)
    assert (item.code, item.data["names"]) == ("inbox_variables_not_taken", "n")


@pytest.mark.proves("K-23", "K-35")
def test_a_person_that_says_it_is_mended_is_asked_again_only_if_it_is_not(
    routines: Routines,
) -> None:
    routine = routines.add(variables=needing())
    routines.pass_time(minutes=5)
    (item,) = asked(routines, routine)
    desk_inbox.act(routines.stage.desk, ASKED, item.id, "mark_fixed")
    assert asked(routines, routine) == []
    routines.pass_time(minutes=5)
    assert len(asked(routines, routine)) == 1


@pytest.mark.proves("W-36", "K-35")
def test_a_trigger_that_raises_is_told_and_the_third_time_a_person_is_asked(
    routines: Routines,
) -> None:
    routine = routines.add()
    zone(routines, "Nowhere/Land")
    routines.pass_time(minutes=5)
    assert routines.stage.ground.kinds().count("routine.stumbled") == 1
    assert asked(routines, routine) == []
    for _ in range(4):
        routines.pass_time(minutes=1, seconds=1)
    assert routines.stage.ground.kinds().count("routine.stumbled") == 1, "once, not each minute"
    (item,) = asked(routines, routine)
    assert item.code == "inbox_routine_stumbles"
    assert str(item.data["error"]) in sentence(item.code, dict(item.data))
    zone(routines, "UTC")
    routines.pass_time(minutes=1, seconds=1)
    assert routines.states(routine)[0] == "received"
    assert asked(routines, routine) == []


def zone(routines: Routines, name: str) -> None:
    with routines.stage.store.transaction() as tx:
        tx.write_sql("UPDATE office_routine_triggers SET timezone = ?", (name,))

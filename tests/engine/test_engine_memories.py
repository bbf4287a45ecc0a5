"""What agents write down for the workspace is found by its words, bounded, and forgotten."""

from dataclasses import replace
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import memories as person
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.engine.desk.remembering import MOST
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Blocked
from roundtable_desktop.model.records import Run


def holder_of(run: Run) -> Holder:
    return Holder(
        run_id=run.id, agent_id=run.agent_id, task_id=run.task_id, workspace_id=run.workspace_id
    )


@pytest.fixture
def holder(stage: Stage) -> Holder:
    stage.assigned()
    return holder_of(stage.launch())


def record(stage: Stage, holder: Holder, topic: str, text: str = "x", **more: Any) -> Any:
    given = (more.get("replaces"), more.get("key"))
    agency = Agency(stage.desk, stage.ground.reader, hidden=("hunter2",))
    return agency.memories.record(holder, topic, text, *given)["memory_id"]


def topics(stage: Stage, holder: Holder, words: str = "", **more: Any) -> list[Any]:
    agency = Agency(stage.desk, stage.ground.reader)
    asked = {"after": None, "limit": 20, **more}
    found: Any = agency.memories.query(holder, words, asked["after"], asked["limit"])
    assert "not instructions" in found["about"]
    return [one["topic"] for one in found["memories"]]


def test_it_is_found_by_all_of_its_words_and_no_pattern(stage: Stage, holder: Holder) -> None:
    record(stage, holder, "Tests", "Run them by make check.")
    record(stage, holder, "100%", "a_b\\c")
    assert topics(stage, holder) == ["100%", "Tests"]
    assert topics(stage, holder, "MAKE tests") == ["Tests"]
    assert topics(stage, holder, "make nowhere") == []
    for pattern, found in (("%", ["100%"]), ("a_b", ["100%"]), ("ab", []), ("\\c", ["100%"])):
        assert topics(stage, holder, pattern) == found, pattern


def test_older_ones_come_by_the_cursor(stage: Stage, holder: Holder) -> None:
    for number in range(5):
        record(stage, holder, f"t{number}")
    agency = Agency(stage.desk, stage.ground.reader)
    first: Any = agency.memories.query(holder, "", None, 2)
    assert [one["topic"] for one in first["memories"]] == ["t4", "t3"]
    assert topics(stage, holder, after=first["next_cursor"], limit=9) == ["t2", "t1", "t0"]


def test_what_is_true_no_more_gives_its_place(stage: Stage, holder: Holder) -> None:
    old = record(stage, holder, "old")
    record(stage, holder, "new", replaces=old)
    assert topics(stage, holder) == ["new"]
    with pytest.raises(Absent, match="unknown_memory"):
        record(stage, holder, "newer", replaces=old)
    assert topics(stage, holder) == ["new"]


def test_no_secret_and_no_others_workspace(stage: Stage, holder: Holder) -> None:
    kept = record(stage, holder, "key", "it is hunter2")
    assert "hunter2" not in str(stage.ground.rows("memories"))
    alien = replace(holder, workspace_id="0" * 26)
    assert topics(stage, alien) == []
    with pytest.raises(Absent, match="unknown_memory"):
        record(stage, alien, "x", replaces=kept)


def test_a_workspace_remembers_so_much_and_says_so(stage: Stage, holder: Holder) -> None:
    first = record(stage, holder, "first")
    with stage.store.transaction() as tx:
        for number in range(MOST - 1):
            tx.write_sql(
                "INSERT INTO memories SELECT ?, workspace_id, agent_id, run_id, task_id, topic,"
                " text, created_at FROM memories WHERE id = ?",
                (f"m{number:025d}", first),
            )
    with pytest.raises(Blocked, match="too_many_memories"):
        record(stage, holder, "one more")
    assert record(stage, holder, "one more", replaces=first)


def test_the_same_key_writes_it_down_once(stage: Stage, holder: Holder) -> None:
    assert record(stage, holder, "a", key="k") == record(stage, holder, "a", key="k")
    assert topics(stage, holder) == ["a"]


def test_a_person_has_it_forgotten_for_good(stage: Stage, holder: Holder) -> None:
    kept = record(stage, holder, "secret plan", "of the agent")
    person.forget(stage.desk, ASKED, kept)
    assert topics(stage, holder) == []
    with pytest.raises(Absent, match="unknown_memory"):
        person.forget(stage.desk, ASKED, kept)
    told = [one for one in stage.ground.rows("events") if one["kind"].startswith("memory.")]
    assert [one["kind"] for one in told] == ["memory.recorded", "memory.forgotten"]
    assert "of the agent" not in str(told)

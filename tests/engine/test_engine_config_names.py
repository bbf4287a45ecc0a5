"""What a repository's file may name: names that are free again, branches that are there, agents
that come back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from config_room import POOL, Room, watch
from engine_stage import ASKED, ScriptedLauncher, Stage
from ground import Ground

from roundtable_desktop.engine.desk import Desk, agents, pausing
from roundtable_desktop.model.config import State
from roundtable_desktop.model.errors import Conflict, Invalid
from roundtable_desktop.model.states import AgentStatus
from roundtable_desktop.store import config


@pytest.fixture
def room(ground: Ground, tmp_path: Path) -> Room:
    nothing: Any = None  # no git and no secrets are asked here
    runs = ScriptedLauncher(tmp_path / "runs")
    desk = Desk(
        ground.store, nothing, nothing, ground.ids, runs, nothing, nothing, "UTC", watch(ground)
    )
    return Room(ground, tmp_path, desk, ground.workspace(path=str(tmp_path)).id)


@pytest.fixture
def staged(tmp_path: Path) -> Iterator[tuple[Stage, Room]]:
    stage = Stage(tmp_path)
    stage.config = watch(stage.ground, stage.git)
    stage.build()
    yield stage, Room(stage.ground, stage.folders.repo, stage.desk, stage.workspace().id)
    stage.ground.close()


@pytest.mark.proves("C-105")
def test_a_branch_that_is_not_there_is_said_when_it_is_shown_and_when_it_is_accepted(
    staged: tuple[Stage, Room],
) -> None:
    stage, room = staged
    text = "version: 1\nworkspace:\n  base_branch: nowhere\n"
    seen = room.look(text)
    assert seen.state is State.BROKEN and not seen.changes
    assert "line 3: There is no branch “nowhere”." in room.said()
    assert [one["kind"] for one in room.item.data["options"]] == ["keep"]  # type: ignore[attr-defined]
    with pytest.raises(Invalid) as refused:
        room.accept(text)
    assert refused.value.code == "unknown_branch" and room.workspace.base_branch == "main"
    stage.folders.plain("branch", "nowhere")
    assert room.look().state is State.WAITING and "asks to set things up" in room.said()
    room.accept()
    assert room.workspace.base_branch == "nowhere"
    stage.folders.plain("branch", "-D", "nowhere")
    seen = room.look()
    assert seen.state is State.ACCEPTED and [one.code for one in seen.faults] == ["unknown_branch"]
    assert not room.items()


@pytest.mark.proves("C-105", "W-14")
def test_a_name_that_is_free_again_can_be_used_again(room: Room) -> None:
    room.accept(POOL % 2)
    first = room.agents()["writer-2"]
    renamed = (POOL % 1).replace(
        "routines:", "  - {id: other, name: writer-2, adapter: demo}\nroutines:"
    )
    assert [one.did for one in room.look(renamed).changes] == ["retired", "added"]
    room.accept()
    now = room.agents()
    assert now["writer-2"].id != first.id and now["writer-2"].status is AgentStatus.ACTIVE
    assert now["writer-2 (retired)"].id == first.id, "it keeps its history"
    assert room.look(POOL % 2).faults == [], "the other one is left out, and gives the name back"
    room.accept()
    now = room.agents()
    assert now["writer-2"].id == first.id and now["writer-2"].status is AgentStatus.ACTIVE
    assert now["writer-2 (retired2)"].status is AgentStatus.RETIRED
    room.accept(POOL % 1)
    mine = agents.add(
        room.desk, ASKED, room.id, name="writer-2", adapter=agents.Adapter.DEMO, command=[]
    )
    assert room.agents()["writer-2 (retired)"].id == first.id
    with pytest.raises(Conflict) as taken:
        agents.add(
            room.desk, ASKED, room.id, name="writer-2", adapter=agents.Adapter.DEMO, command=[]
        )
    assert taken.value.code == "name_taken"
    seen = room.look(POOL % 2)
    assert seen.faults[0].code == "config_agent_there" and room.agents()["writer-2"].id == mine.id


@pytest.mark.proves("C-105")
def test_a_file_can_name_the_memory_that_a_run_may_use(room: Room) -> None:
    text = "version: 1\nagents:\n- {id: a, adapter: demo, memory_limit_mb: %s}\n"
    room.accept(text % 512)
    assert room.agents()["a"].memory_limit_mb == 512
    agents.edit(room.desk, ASKED, room.agents()["a"].id, memory_limit_mb=99)
    assert [one.values for one in room.look(text % 256).changes] == [{"memory_limit_mb": 256}]
    room.accept()
    assert room.agents()["a"].memory_limit_mb == 256
    assert room.look(text % -1).faults[0].pointer == "/agents/0/memory_limit_mb"


@pytest.mark.proves("C-10", "W-14")
@pytest.mark.parametrize("stood", ["active", "paused"])
def test_what_an_agent_was_to_be_woken_for_while_the_file_did_not_name_it_comes_once(
    staged: tuple[Stage, Room], stood: str
) -> None:
    stage, room = staged
    room.accept(POOL % 2)
    writer = room.agents()["writer-2"]
    task = stage.task(room.workspace, writer)
    if stood == "paused":
        pausing.pause(room.desk, ASKED, writer.id)
    room.accept(POOL % 1)
    assert stage.step() and stage.wakeup(task).outcome == "agent_stopped"
    room.accept(POOL % 2)
    if stood == "paused":
        assert stage.wakeup(task).outcome == "agent_stopped", "a person's pause stays"
        pausing.resume(room.desk, ASKED, writer.id)
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.reason) == ("queued", "agent_resumed")
    rows = stage.ground.rows("agent_wakeup_requests")
    assert len([one for one in rows if one["task_id"] == task.id]) == 2


@pytest.mark.proves("C-105")
def test_the_file_names_them_and_a_person_accepts_them(room: Room) -> None:
    both = "version: 1\nchecks:\n- {name: test, command: [make, test]}\n"
    seen = room.look(both)
    assert [(one.what, one.name, one.did) for one in seen.changes] == [("check", "test", "added")]
    room.accept()
    with room.ground.reader.snapshot() as view:
        known = config.consent(view, room.id).checks
    assert list(known) == [{"name": "test", "command": ["make", "test"]}]
    seen = room.look("version: 1\nchecks:\n- {name: test, command: [make, all]}\n")
    assert [one.did for one in seen.changes] == ["changed"]
    assert [one.did for one in room.look("version: 1\n").changes] == ["retired"]

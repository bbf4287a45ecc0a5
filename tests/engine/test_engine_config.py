"""Nothing of a repository's file holds until a person accepts it, and then just what it names."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from config_room import POOL, SECRET, Room, watch
from engine_folders import secrets_in
from engine_stage import ASKED, ScriptedLauncher, Stage
from ground import Ground

from roundtable_desktop.engine.desk import Asked, Desk, agents, config, inbox, pausing, routines
from roundtable_desktop.model.config import State
from roundtable_desktop.model.errors import Conflict, Invalid
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.states import AgentStatus, DeliveryMode, InboxStatus, RoutineStatus


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """One database for all of them; each has a workspace of its own."""
    ground = Ground(tmp_path_factory.mktemp("home"))
    yield ground
    ground.close()


@pytest.fixture
def room(home: Ground, tmp_path: Path) -> Room:
    nothing: Any = None  # no git is asked here
    ids, runs, kept = (
        home.ids,
        ScriptedLauncher(tmp_path / "runs"),
        secrets_in(tmp_path / "secrets"),
    )
    desk = Desk(home.store, nothing, kept, ids, runs, nothing, nothing, "UTC", watch(home))
    return Room(home, tmp_path, desk, home.workspace(path=str(tmp_path)).id)


@pytest.fixture
def staged(tmp_path: Path) -> Iterator[tuple[Stage, Room]]:
    """With real git, and agents that work."""
    stage = Stage(tmp_path)
    stage.config = watch(stage.ground, stage.git)
    stage.build()
    yield stage, Room(stage.ground, stage.folders.repo, stage.desk, stage.workspace().id)
    stage.ground.close()


@pytest.mark.proves("C-105", "R-18 config", "R-34 pools")
@pytest.mark.parametrize(
    ("count", "names"), [(0, []), (1, ["writer-1"]), (3, ["writer-1", "writer-2", "writer-3"])]
)
def test_a_file_has_no_effect_until_it_is_accepted(
    room: Room, count: int, names: list[str]
) -> None:
    before = room.everything()
    seen = room.look(POOL % count)
    assert seen.state is State.WAITING and room.everything() == before
    assert room.item.data["sha"] == seen.sha
    assert "+  - {id: chair" in str(room.item.data["difference"])
    done = room.accept()
    assert done.state is State.ACCEPTED and not done.changes and not room.items()
    here = room.agents()
    assert sorted(here) == ["Chair", *names]
    assert (room.workspace.delivery, room.workspace.timezone) == (
        DeliveryMode.AUTO,
        "Europe/Berlin",
    )
    assert here["Chair"].cooldown_sec == 3 and here["Chair"].status is AgentStatus.ACTIVE
    for name in names:
        assert here[name].command == ("sh", "-c", "exit 0")
    routine = room.routine()
    assert routine.assignee_agent_id == here["Chair"].id
    events = [one for one in room.ground.events() if one.workspace_id == room.id]
    told = [one for one in events if one.kind == "config.accepted"]
    assert [(one.actor_id, one.data["sha"]) for one in told] == [("joan", seen.sha)]


@pytest.mark.proves("C-105")
def test_the_accepted_settings_hold_while_the_file_changes_and_comes_back(room: Room) -> None:
    accepted = POOL % 2
    room.accept(accepted)
    before = room.everything()
    room.look(accepted.replace("exit 0", "touch PWNED"))
    first = room.item
    assert first.code == "inbox_config_changed"
    lines = str(first.data["difference"]).splitlines()
    assert lines[:2] == ["--- accepted", "+++ now"] and any("touch PWNED" in one for one in lines)
    assert [(one["name"], one["fields"]) for one in first.data["changes"]] == [  # type: ignore[attr-defined]
        ("writer-1", ["command"]),
        ("writer-2", ["command"]),
    ]
    room.look()
    assert room.item.id == first.id, "asked once"
    room.look(accepted.replace("exit 0", "exit 1"))
    assert room.item.id != first.id, "another content, another question"
    room.look(accepted)
    assert not room.items() and room.everything() == before
    room.look(accepted.replace("exit 0", "touch PWNED"))
    assert room.item.id != first.id, "and asked again when it comes again"
    room.file.unlink()
    assert room.look().state is State.ABSENT
    assert not room.items() and room.everything() == before


@pytest.mark.proves("C-105")
def test_an_item_follows_what_a_person_does_meanwhile(room: Room) -> None:
    mine = _taken(room)
    room.look(POOL % 1)
    first = room.item
    assert first.code == "inbox_config_broken"
    agents.edit(room.desk, ASKED, mine.id, name="another")
    room.desk.config.look(room.id)
    assert room.item.id == first.id, "a look before a run reckons nothing anew"
    room.look()
    assert room.item.code == "inbox_config_new"
    inbox.act(room.desk, ASKED, room.item.id, "accept")
    assert sorted(room.agents()) == ["Chair", "another", "writer-1"]


@pytest.mark.proves("C-105", "N-12 snooze")
def test_an_item_that_was_put_off_stays_so_until_the_file_is_another(room: Room) -> None:
    room.look(POOL % 1)
    later = room.ground.clock.now() + timedelta(hours=2)
    put_off = inbox.snooze(room.desk, ASKED, room.item.id, later)
    room.look()
    assert (room.item.id, room.item.status) == (put_off.id, InboxStatus.SNOOZED)
    room.look(POOL % 2)
    assert room.item.id != put_off.id


@pytest.mark.proves("C-105")
def test_what_was_not_shown_cannot_be_accepted(room: Room) -> None:
    seen = room.look(POOL % 1)
    item = room.item
    room.put((POOL % 1).replace("exit 0", "touch PWNED"))
    for act in (
        lambda: config.accept(room.desk, ASKED, room.workspace, str(seen.sha)),
        lambda: config.keep(room.desk, ASKED, room.workspace, str(seen.sha)),
        lambda: inbox.act(room.desk, ASKED, item.id, "accept"),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.code in ("config_is_another", "already_resolved")
    assert not room.agents()
    assert "touch PWNED" in str(room.item.data["difference"])
    room.file.unlink()
    with pytest.raises(Conflict) as gone:
        config.accept(room.desk, ASKED, room.workspace, str(room.item.data["sha"]))
    assert gone.value.code == "config_gone"


@pytest.mark.proves("C-105")
def test_a_person_answers_in_the_inbox(room: Room) -> None:
    room.look(POOL % 1)
    answered = inbox.act(room.desk, ASKED, room.item.id, "keep")
    assert answered.resolution == {"by": "person", "option": "keep"}
    assert not room.agents() and room.look().state is State.KEPT and not room.items()
    room.look(POOL % 2)
    answered = inbox.act(room.desk, ASKED, room.item.id, "accept")
    assert answered.resolution == {"by": "person", "option": "accept"}
    assert sorted(room.agents()) == ["Chair", "writer-1", "writer-2"]
    room.look(POOL % 1)
    assert room.look().state is State.WAITING, "it would change something else now"


@pytest.mark.proves("W-14", "R-34 pools")
def test_config_owns_its_own_columns_and_nobodys_pause(room: Room) -> None:
    room.accept(POOL % 3)
    mine = agents.add(
        room.desk, ASKED, room.id, name="mine", adapter=agents.Adapter.DEMO, command=[]
    )
    here = room.agents()
    pausing.pause(room.desk, ASKED, here["writer-1"].id)
    pausing.stop(room.desk, ASKED, here["writer-3"].id)
    agents.edit(room.desk, ASKED, here["writer-1"].id, cooldown_sec=99)
    room.accept((POOL % 3).replace("exit 0", "exit 7"))
    now = room.agents()
    assert now["writer-1"].command[-1] == "exit 7" and now["writer-1"].cooldown_sec == 99
    assert now["writer-1"].status is AgentStatus.PAUSED
    assert now["writer-1"].paused_reason == "person"
    room.accept(POOL % 1)
    now = room.agents()
    assert {name: str(one.status) for name, one in now.items()} == {
        "writer-1": "paused",
        "writer-2": "retired",
        "writer-3": "retired",
        "Chair": "active",
        "mine": "active",
    }
    assert now["writer-2"].id == here["writer-2"].id, "it keeps its history"
    room.accept(POOL % 3)
    now = room.agents()
    stands = {name: str(now[name].status) for name in ("writer-1", "writer-2", "writer-3")}
    assert stands == {"writer-1": "paused", "writer-2": "active", "writer-3": "stopped"}
    assert now["writer-3"].id == here["writer-3"].id and now["mine"].revision == mine.revision


@pytest.mark.proves("W-14")
def test_routines_of_a_file_keep_what_a_person_said(room: Room) -> None:
    room.accept(POOL % 1)
    first = room.routine()
    routines.edit(room.desk, ASKED, first.id, status=RoutineStatus.PAUSED)
    room.accept((POOL % 1).replace("Look at", "Look well at").replace("0 6", "30 6"))
    now = room.routine()
    assert now.id == first.id and now.status is RoutineStatus.PAUSED
    assert now.description == "Look well at {{date}}."
    without = (POOL % 1).partition("routines:")[0]
    room.accept(without)
    assert room.routine() is None
    room.accept(POOL % 1)
    assert room.routine().id != first.id
    assert not room.look().changes
    routines.remove(room.desk, ASKED, room.routine().id)
    assert not room.look().changes, "what a person took away does not come back by itself"


def _taken(room: Room) -> Agent:
    return agents.add(
        room.desk, ASKED, room.id, name="writer-1", adapter=agents.Adapter.DEMO, command=[]
    )


def _nothing(room: Room) -> None:
    pass


def _accepted(room: Room) -> None:
    room.accept(POOL % 1)


BAD: list[tuple[Callable[[Room], object], str, str, str]] = [
    (_taken, POOL % 1, "config_agent_there", "line 4: There is an agent writer-1"),
    (_nothing, "version: 1\nagents: [", "config_unclear", "line 2"),
    (_nothing, "version: 1\nagent: []\n", "config_field", "line 2: /agent: There is no such"),
    (
        _nothing,
        "version: 1\nchecks:\n- {name: a, command: [a]}\n- {name: a, command: [b]}\n",
        "config_twice",
        "line 4: Two of them are called a.",
    ),
    (
        _nothing,
        "version: 1\nagents:\n- {id: a-1, adapter: demo}\n- {id: a, count: 1, adapter: demo}\n",
        "config_twice",
        "line 4: Two of them are called a-1.",
    ),
    (_nothing, "version: 1\nagents:\n- {id: a, adapter: acp}\n", "command_empty", "line 3"),
    (
        _nothing,
        "version: 1\nagents:\n"
        "- {id: a, count: 60, adapter: demo}\n- {id: b, count: 60, adapter: demo}\n",
        "config_too_many_agents",
        "more than 100",
    ),
    (
        _nothing,
        "version: 1\nroutines:\n- name: a\n  agent: nobody\n",
        "config_no_agent",
        "line 4: There is no agent nobody",
    ),
    (_nothing, (POOL % 1).replace("0 6", "0 66"), "cron", "line 10"),
    (_nothing, "version: 1\nworkspace:\n  timezone: Berlin\n", "unknown_timezone", "line 3"),
    (
        _accepted,
        (POOL % 1).replace("adapter: command", "adapter: acp"),
        "config_adapter",
        "line 4: writer-1 has another adapter",
    ),
]


@pytest.mark.proves("C-105")
@pytest.mark.parametrize(("before", "text", "code", "said"), BAD, ids=range(len(BAD)))
def test_a_file_that_is_wrong_is_an_item_that_says_where(
    room: Room, before: Callable[[Room], object], text: str, code: str, said: str
) -> None:
    before(room)
    standing = room.everything()
    seen = room.look(text)
    assert seen.state is State.BROKEN and seen.faults[0].code.startswith(code), seen.faults
    assert said in room.said(), room.said()
    assert [one["kind"] for one in room.item.data["options"]] == ["keep"]  # type: ignore[attr-defined]
    with pytest.raises(Conflict) as refused:
        config.accept(room.desk, ASKED, room.workspace, str(seen.sha))
    assert refused.value.code in ("config_broken", "config_unusable")
    assert room.everything() == standing
    inbox.act(room.desk, ASKED, room.item.id, "keep")
    assert room.look().state is State.KEPT and not room.items()


@pytest.mark.proves("C-105")
def test_it_is_all_or_nothing(room: Room) -> None:
    """What only the last part finds out takes back the first."""
    template = "{title: '{{9}}', description: x}"
    wrong = "variables: [{name: '9 bad'}]"
    text = (POOL % 2).replace(
        "    agent: chair", f"    agent: chair\n    task_template: {template}\n    {wrong}"
    )
    before = room.everything()
    with pytest.raises(Invalid):
        room.accept(text)
    assert room.everything() == before and room.look().state is State.WAITING


@pytest.mark.proves("C-105")
def test_the_same_request_accepts_once(room: Room) -> None:
    asked = Asked(ASKED.actor, "key-1", "print")
    room.accept(POOL % 1, asked)
    first = room.everything()
    room.put(POOL % 2)
    seen = config.accept(room.desk, asked, room.workspace, "0" * 64)
    assert seen.state is State.WAITING and room.everything() == first


@pytest.mark.proves("C-105")
def test_what_is_shown_holds_no_secret_and_drives_no_terminal(room: Room) -> None:
    key = "# sk-ant-0123456789abcdef0123\n"
    for more in (key, key + "# \u202e\u009b31m\n", ""):
        seen = room.look(f"version: 1\n# {SECRET}\n{more}")
        stored = json.dumps(room.ground.rows("inbox_items"))
        for shown in (seen.text, seen.difference, stored):
            assert SECRET not in shown and "sk-ant-0123" not in shown and "\x9b" not in shown
        assert "[redacted]" in seen.difference
    config.accept(room.desk, ASKED, room.workspace, str(seen.sha))
    assert SECRET not in json.dumps(room.ground.rows("settings"))
    assert room.look().state is State.ACCEPTED


@pytest.mark.proves("C-105")
def test_what_is_hidden_from_the_person_cannot_be_accepted(room: Room) -> None:
    """Else what looks like a key, or like a whole private one, would be taken over unseen."""
    hidden = "agents:\n- {id: a, adapter: command, command: [touch, PWNED]}\n"
    block = f"# -----BEGIN PRIVATE KEY-----\n{hidden}# -----END PRIVATE KEY-----\n"
    key = "agents: [{id: a, adapter: command, command: [sk-PWNED-0123456789abcdef0123]}]\n"
    for text in (block, key):
        seen = room.look(f"version: 1\n{text}")
        assert "PWNED" not in seen.difference
        assert "line 2: It holds what looks like a key" in room.said()
        with pytest.raises(Conflict):
            config.accept(room.desk, ASKED, room.workspace, str(seen.sha))
    assert not room.agents()


@pytest.mark.proves("C-105")
def test_it_is_looked_at_before_each_run_and_after_each_delivery(
    staged: tuple[Stage, Room],
) -> None:
    stage, room = staged
    task = stage.task(room.workspace, stage.agent(room.workspace))
    room.put("version: 1\nagents: [\n")
    proposal = stage.offered(task, a="new\n")
    assert "line 2" in room.said() or "line 3" in room.said(), "a broken file stops no work"
    room.put(POOL % 1)
    stage.ask_deliver(proposal)
    stage.deliver()
    assert room.item.code == "inbox_config_new"
    assert stage.tries(proposal)[-1].status == "delivered"


@pytest.mark.proves("C-105")
def test_a_look_that_fails_is_nobody_elses_business(
    staged: tuple[Stage, Room], monkeypatch: Any
) -> None:
    stage, room = staged

    def fails(root: str, known: object) -> None:
        raise RuntimeError("no look today")

    monkeypatch.setattr(stage.config.files, "read", fails)
    task = stage.task(room.workspace, stage.agent(room.workspace))
    assert stage.offered(task, a="new\n").status == "pending"
    stage.config.look_at_all()


@pytest.mark.proves("C-105")
def test_what_init_writes_is_accepted_and_changes_nothing(room: Room) -> None:
    before = room.everything()
    seen, wrote = config.write(room.desk, ASKED, room.workspace)
    assert wrote and seen.state is State.ACCEPTED and not room.items()
    assert room.everything() == before
    again, wrote = config.write(room.desk, ASKED, room.workspace)
    assert not wrote and again.sha == seen.sha
    room.accept(POOL % 1)
    accepted = room.file.read_text()
    room.file.unlink()
    back, wrote = config.write(room.desk, ASKED, room.workspace)
    assert wrote and back.state is State.ACCEPTED and room.file.read_text() == accepted
    room.put("version: 1\n# somebody else's\n")
    there, wrote = config.write(room.desk, ASKED, room.workspace)
    assert not wrote and there.state is State.WAITING and len(room.items()) == 1

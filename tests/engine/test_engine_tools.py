"""What agents that work side by side ask of the engine by their tools."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.calling_off import CALLED_OFF
from roundtable_desktop.engine.desk import tasks
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.engine.desk.claiming import MOST
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Blocked, Conflict, Invalid, Refused
from roundtable_desktop.model.records import Agent, Run, Task, Workspace
from roundtable_desktop.model.states import Role, TaskStatus
from roundtable_desktop.rules.resources import overlap, tidy

DONE = {"status": "completed"}


def holder_of(run: Run) -> Holder:
    return Holder(
        run_id=run.id, agent_id=run.agent_id, task_id=run.task_id, workspace_id=run.workspace_id
    )


@dataclass
class Pair:
    """Two agents at work at the same time, each on a task of its own."""

    stage: Stage
    workspace: Workspace
    ada: Agent
    bob: Agent
    first: Run
    second: Run

    @property
    def agency(self) -> Agency:
        return Agency(self.stage.desk, self.stage.ground.reader)

    @property
    def hers(self) -> Holder:
        return holder_of(self.first)

    @property
    def his(self) -> Holder:
        return holder_of(self.second)

    def below(self, holder: Holder, title: str = "Part", *before: str) -> Task:
        made: Any = self.agency.create_task(holder, title, "", None, before, None)
        return self.stage.ground.get_task(made["id"])

    def claim(self, holder: Holder, *names: str) -> Any:
        return self.agency.claims.acquire(holder, names, None)["claims"]

    def leases(self) -> list[str]:
        rows = self.stage.ground.rows("leases")
        return sorted(one["key"].partition("/")[2] for one in rows if one["kind"] == "claim")


@pytest.fixture
def pair(stage: Stage) -> Pair:
    workspace = stage.workspace()
    ada, bob = stage.agent(workspace), stage.agent(workspace, name="Bob")
    stage.task(workspace, ada, title="Hers")
    first = stage.launch()
    stage.task(workspace, bob, title="His")
    return Pair(stage, workspace, ada, bob, first, stage.launch())


def refused(kind: type[Refused], code: str, act: Callable[[], object]) -> Refused:
    with pytest.raises(kind, match=code) as found:
        act()
    return found.value


# --- claims -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("src/app/", "src/app"),
        ("port/8080", "port/8080"),
        ("ä b/c", "ä b/c"),
        *((bad, None) for bad in ("", "/", "/a", "a//b", "../a", "a/..", ".", "a\nb", "x" * 513)),
    ],
)
def test_a_resource_is_written_in_one_way(given: str, kept: str | None) -> None:
    assert tidy(given) == kept


def test_a_folder_holds_what_is_in_it_and_nothing_beside_it() -> None:
    assert overlap("src", "src/a.py") and overlap("src/a.py", "src") and overlap("a", "a")
    assert not overlap("src", "src2/a.py") and not overlap("src/a", "src/ab")


def test_what_one_run_keeps_no_other_gets_and_it_is_told_who_has_it(pair: Pair) -> None:
    assert pair.claim(pair.hers, "src/app/", "port/8080") == ["port/8080", "src/app"]
    assert pair.claim(pair.hers, "src/app") == ["port/8080", "src/app"]
    for taken in ("src", "src/app", "src/app/main.py"):
        found = refused(
            Conflict, "claimed_by_another", lambda one=taken: pair.claim(pair.his, "docs", one)
        )
        assert found.values == {"resource": "src/app", "agent": "Ada"}
    assert pair.claim(pair.his, "src2", "docs") == ["docs", "src2"]
    shown: Any = pair.agency.claims.every(pair.his)["claims"]
    assert [(one["resource"], one["agent"], one["task"], one["yours"]) for one in shown] == [
        ("docs", "Bob", "T-2", True),
        ("port/8080", "Ada", "T-1", False),
        ("src/app", "Ada", "T-1", False),
        ("src2", "Bob", "T-2", True),
    ]


def test_who_lets_go_lets_go_of_its_own_only(pair: Pair) -> None:
    pair.claim(pair.hers, "a", "b")
    pair.claim(pair.his, "c")
    release = pair.agency.claims.release
    assert release(pair.his, ["a"], None) == {"claims": ["c"]}
    assert release(pair.hers, ["a"], None) == {"claims": ["b"]}
    assert release(pair.hers, [], None) == {"claims": []}
    assert pair.leases() == ["c"]
    told = [one["kind"] for one in pair.stage.ground.rows("events") if ".re" in one["kind"]]
    assert told.count("run.released") == 2


@pytest.mark.proves("C-23")
@pytest.mark.parametrize("how", ["finish", "lost"])
def test_a_claim_ends_with_its_run_however_that_ends(pair: Pair, how: str) -> None:
    pair.claim(pair.hers, "src")
    if how == "finish":
        pair.stage.finish(pair.first, result=DONE)
    else:
        pair.stage.spool(pair.first).locked = False
        pair.stage.consume(pair.first)
        pair.stage.play()
    assert pair.leases() == []
    assert pair.claim(pair.his, "src/a.py") == ["src/a.py"]
    refused(Absent, "run_access_over", lambda: pair.claim(pair.hers, "docs"))


def test_claims_are_bounded_and_all_or_nothing(pair: Pair) -> None:
    pair.claim(pair.hers, *(f"one/{number}" for number in range(MOST - 1)))
    refused(Blocked, "too_many_claims", lambda: pair.claim(pair.hers, "x", "y"))
    bad = refused(Invalid, "no_resource", lambda: pair.claim(pair.hers, "x", "a/../b"))
    assert bad.pointer == "/resources/1"
    assert len(pair.claim(pair.hers, "x")) == MOST


# --- how things stand ---------------------------------------------------------------------------


def test_an_agent_sees_who_is_there_and_how_far_its_subtasks_are(pair: Pair) -> None:
    pair.below(pair.hers)
    pair.claim(pair.hers, "src")
    state: Any = pair.agency.state.get(pair.hers)
    assert (state["you"]["name"], state["run"]["id"]) == ("Ada", pair.first.id)
    assert state["run"]["purpose"] == "work" and state["task"]["title"] == "Hers"
    assert state["subtasks"] == {"todo": 1} and state["claims"] == ["src"]
    assert [(one["name"], one["working"]) for one in state["agents"]] == [
        ("Ada", True),
        ("Bob", True),
    ]


def test_an_agent_hears_of_what_it_may_see_and_of_nothing_else(pair: Pair) -> None:
    watch = pair.agency.state.watch
    begin: Any = pair.agency.state.get(pair.hers)["cursor"]
    part = pair.below(pair.hers)
    pair.below(pair.his, "Secret part")
    tasks.comment(pair.stage.desk, ASKED, pair.second.task_id or "", "for Bob alone")
    heard: Any = watch(pair.hers, int(begin), 50, 0)
    assert {one["about"]["id"] for one in heard["events"]} == {part.id}
    assert heard["events"][0]["data"]["title"] == "Part"
    assert "Secret" not in str(heard) and "alone" not in str(heard)
    later: Any = watch(pair.hers, int(heard["next_cursor"]), 50, 0)
    assert later["events"] == []
    pair.agency.progress(pair.hers, "half of it", 50, None)
    (said,) = watch(pair.hers, int(later["next_cursor"]), 50, 0)["events"]  # type: ignore[misc]
    assert (said["kind"], said["data"]["text"]) == ("task.progress", "half of it")


def test_the_feed_of_an_agent_is_cut_into_pages_without_a_gap(pair: Pair) -> None:
    begin: Any = pair.agency.state.get(pair.hers)["cursor"]
    for number in range(5):
        pair.below(pair.hers, f"Part {number}")
    cursor, titles = int(begin), []
    for _ in range(9):
        page: Any = pair.agency.state.watch(pair.hers, cursor, 2, 0)
        titles += [one["data"]["title"] for one in page["events"] if one["kind"] == "task.created"]
        assert len(page["events"]) <= 2
        cursor = int(page["next_cursor"])
    assert titles == [f"Part {number}" for number in range(5)]


def test_whoever_watches_is_answered_soon_whether_something_happens_or_not(pair: Pair) -> None:
    state: Any = pair.agency.state.get(pair.hers)
    silent: Any = pair.agency.state.watch(pair.hers, None, 50, 0.05)
    assert silent == {"events": [], "next_cursor": state["cursor"]}
    ahead: Any = pair.agency.state.watch(pair.hers, 10**9, 50, 0)
    assert ahead == silent


# --- tasks below its own ------------------------------------------------------------------------


def change(pair: Pair, holder: Holder, task: str, /, **more: Any) -> Any:
    named = {name: more.pop(name, None) for name in ("assignee", "blocked_by")}
    return pair.agency.changes.task(
        holder, task, more, named["assignee"], named["blocked_by"], None
    )


def test_an_agent_changes_a_task_below_its_own(pair: Pair) -> None:
    part, other = pair.below(pair.hers), pair.below(pair.hers, "Other")
    change(pair, pair.hers, part.id, title="Better", expected_files=["a.py"], blocked_by=[other.id])
    now = pair.stage.ground.get_task(part.id)
    assert (now.title, list(now.expected_files)) == ("Better", ["a.py"])
    assert now.description == part.description and now.revision > part.revision
    edges = pair.stage.ground.rows("task_dependencies")
    assert [(one["task_id"], one["depends_on_task_id"]) for one in edges] == [(part.id, other.id)]
    change(pair, pair.hers, part.id, blocked_by=[], assignee="Bob")
    assert pair.stage.ground.rows("task_dependencies") == []
    assert pair.stage.ground.get_task(part.id).assignee_agent_id == pair.bob.id
    assert pair.stage.wakeup(part).reason == "assigned"


def test_an_agent_changes_nothing_that_is_not_below_its_own(pair: Pair) -> None:
    part, own, his = pair.below(pair.hers), pair.first.task_id or "", pair.second.task_id or ""
    refused(Conflict, "not_below_yours", lambda: change(pair, pair.hers, own, title="x"))
    for alien in (his, pair.below(pair.his).id, "0" * 26):
        refused(Absent, "unknown_task", lambda one=alien: change(pair, pair.hers, one, title="x"))
        with pytest.raises(Absent, match="unknown_task"):
            pair.agency.changes.block(pair.hers, alien, "r", "user", "a", None)
    refused(Invalid, "nothing_to_change", lambda: change(pair, pair.hers, part.id))
    refused(
        Absent, "unknown_agent", lambda: change(pair, pair.hers, part.id, assignee="nobody at all")
    )
    refused(
        Invalid, "dependency_circle", lambda: change(pair, pair.hers, part.id, blocked_by=[part.id])
    )


def test_a_coordinator_whose_turn_is_about_none_changes_any(stage: Stage) -> None:
    workspace = stage.workspace()
    chair = stage.agent(workspace, name="Chair", role=Role.COORDINATOR)
    task = stage.task(workspace, title="Somebody's")
    stage.wake(chair)
    holder = holder_of(stage.launch())
    agency = Agency(stage.desk, stage.ground.reader)
    agency.changes.task(holder, task.id, {"title": "Clearer"}, None, None, None)
    assert stage.ground.get_task(task.id).title == "Clearer"
    worker = replace(holder, agent_id=stage.agent(workspace, name="Ada").id)
    with pytest.raises(Absent, match="unknown_task"):
        agency.changes.task(worker, task.id, {"title": "Mine"}, None, None, None)


def test_an_agent_blocks_a_task_below_its_own_and_whoever_works_there_is_told(pair: Pair) -> None:
    part = pair.below(pair.hers)
    cyd = pair.stage.agent(pair.workspace, name="Cyd")
    change(pair, pair.hers, part.id, assignee="Cyd")
    run = pair.stage.launch()
    assert (run.task_id, run.agent_id) == (part.id, cyd.id)
    pair.agency.changes.block(pair.hers, part.id, "No key", "user", "Bring the key.", None)
    now = pair.stage.ground.get_task(part.id)
    assert now.status is TaskStatus.BLOCKED
    assert now.blocked == {"owner": "user", "action": "Bring the key.", "reason": "No key"}
    assert (pair.stage.ground.get_run(run.id).ended or {})[CALLED_OFF] is True
    assert run.id in [one for one, _ in pair.stage.launcher.heard]


def test_the_same_key_changes_a_task_once(pair: Pair) -> None:
    part = pair.below(pair.hers)
    for _ in range(2):
        pair.agency.changes.task(pair.hers, part.id, {"title": "Once"}, None, None, "key-1")
    changed = [one for one in pair.stage.ground.rows("events") if one["kind"] == "task.changed"]
    assert len(changed) == 1

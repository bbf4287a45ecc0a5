"""A mission is opened, its waves wake who is to work, and nobody else does (C-34, C-96)."""

import subprocess
from datetime import timedelta
from typing import Any

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import missions_control
from roundtable_desktop.engine.desk import tasks as desk_tasks
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.missions import MissionOutcome, MissionState, Phase
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.states import DependencySource, TaskStatus
from roundtable_desktop.store import dependencies, events, inbox, journal, standing


@pytest.fixture
def crew(stage: Stage) -> Crew:
    made = Crew(stage)
    made.open()
    return made


def branch(crew: Crew) -> str | None:
    return crew.stage.git.commit_of(repository(crew), crew.mission.integration_branch)


def repository(crew: Crew) -> object:
    from roundtable_desktop.engine.launching import repository_of

    return repository_of(crew.home)


@pytest.mark.proves("A-09", "C-96")
def test_a_mission_gets_its_branch_and_then_its_coordinator_is_woken(stage: Stage) -> None:
    crew = Crew(stage, coordinated=True)
    assert branch(crew) is None and crew.queued() == 0
    crew.look()
    assert crew.mission.opened_at is None, "the act is the pool's"
    stage.play()
    assert branch(crew) == crew.mission.base_commit
    assert crew.mission.opened_at is not None
    assert crew.wakes() == [(crew.root.id, "mission_goal")]
    assert "mission.opened" in crew.kinds("mission.")
    again = len(stage.ground.rows("events"))
    crew.openings.open(crew.id)
    assert len(stage.ground.rows("events")) == again, "an act may be repeated"


@pytest.mark.proves("A-09")
def test_after_a_crash_between_branch_and_row_it_is_opened_as_it_is(stage: Stage) -> None:
    crew = Crew(stage)
    stage.git.begin_branch(
        repository(crew), crew.mission.integration_branch, crew.mission.base_commit
    )
    crew.restart()
    crew.open()
    assert crew.mission.opened_at is not None and branch(crew) == crew.mission.base_commit


@pytest.mark.proves("A-37")
def test_a_branch_of_that_name_that_is_not_its_own_blocks_it_with_the_reason(stage: Stage) -> None:
    crew = Crew(stage)
    repo = str(stage.folders.repo)
    words = ["git", "-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q"]
    subprocess.run([*words, "--allow-empty", "-m", "more"], check=True)
    name = crew.mission.integration_branch
    subprocess.run(["git", "-C", repo, "branch", name, "HEAD"], check=True)
    taken = branch(crew)
    crew.open()
    mission = crew.mission
    assert (mission.state, mission.reason) == (MissionState.BLOCKED, "branch_taken")
    assert branch(crew) == taken and mission.opened_at is None
    with stage.store.transaction() as tx:
        (item,) = inbox.open_about(tx, missions_subject(crew))
    assert item.code == "inbox_mission_blocked"


@pytest.mark.proves("A-37")
def test_a_branch_in_the_way_of_its_own_blocks_it_with_what_git_says(stage: Stage) -> None:
    """One called `roundtable` leaves no room for `roundtable/m/…`: it was tried for ever, and the
    mission said that it is worked on."""
    crew = Crew(stage)
    subprocess.run(["git", "-C", str(stage.folders.repo), "branch", "roundtable"], check=True)
    crew.open()
    mission = crew.mission
    assert (mission.state, mission.reason) == (MissionState.BLOCKED, "branch_not_made")
    why: Any = mission.report["why"]
    assert "'refs/heads/roundtable' exists" in why["text"]
    subprocess.run(["git", "-C", str(stage.folders.repo), "branch", "-D", "roundtable"], check=True)
    missions_control.reopen(stage.desk, ASKED, crew.id)
    crew.open()
    assert crew.mission.opened_at is not None
    assert crew.root.status is TaskStatus.TODO, "it does not say that its mission stands still"


def missions_subject(crew: Crew) -> object:
    from roundtable_desktop.model.records import Subject

    return Subject("mission", crew.id)


@pytest.mark.proves("C-96", "C-34", "R-31", "W-01")
def test_a_task_of_a_mission_is_woken_by_a_wave_alone(crew: Crew) -> None:
    first, second = crew.agents
    task = crew.task(agent=first)
    assert crew.wakes() == []
    desk_tasks.assign(crew.stage.desk, ASKED, task.id, second.id)
    desk_tasks.comment(crew.stage.desk, ASKED, task.id, "Mind the gap")

    assert crew.wakes() == []
    crew.look()
    assert crew.wakes() == [(task.id, "wave")]
    (wave,) = crew.waves()
    assert wave.plan["runnable_task_ids"] == [task.id]
    assert crew.stage.ground.rows("wave_tasks") == [
        {"wave_id": wave.id, "task_id": task.id, "wakeup_id": crew.waiting(task)[0].id}
    ]
    crew.turn()
    run = crew.run_of(task)
    assert "Mind the gap" in crew.stage.launcher.orders[run.id].prompt


@pytest.mark.proves("R-06", "R-03")
def test_a_look_at_nothing_new_writes_nothing(crew: Crew) -> None:
    crew.task(write_area=["a/"])
    crew.task(write_area=["a/"])
    crew.turn()
    crew.look()
    before = crew.stage.everything()
    mission = crew.mission
    for _ in range(3):
        assert crew.look() == 0
    crew.build()  # nothing of what was in memory is left
    crew.look()
    assert crew.stage.everything() == before and crew.mission == mission


@pytest.mark.proves("W-13", "R-02")
def test_a_wakeup_that_cannot_be_read_keeps_no_mission_from_its_look(crew: Crew) -> None:
    task = crew.task("Do it")
    damaged = crew.stage.ground.wakeup(crew.agents[1])
    with crew.stage.store.transaction() as tx:
        sql = "UPDATE agent_wakeup_requests SET payload = '[1' WHERE id = ?"
        assert tx.write_sql(sql, (damaged.id,)) == 1
    crew.look()
    assert crew.mission.consecutive_errors == 0 and crew.waiting(task) != []


@pytest.mark.proves("W-15", "R-14")
def test_who_is_to_be_woken_another_day_can_be_given_a_task_today(stage: Stage) -> None:
    crew = Crew(stage, agents=1)
    crew.open()
    later = stage.clock.now() + timedelta(days=3)
    other = stage.ground.wakeup(crew.agents[0], scheduled_retry_at=later)
    assert other.scheduled_retry_at == later
    task = crew.task("Do it")
    crew.turn()
    assert crew.run_of(task)


@pytest.mark.proves("R-06")
def test_what_is_no_news_is_gone_through_once(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    crew.turn()
    asked: list[int] = []
    whole = standing.news

    def news(view: Any, workspace_id: str, seen: int) -> int | None:
        asked.append(seen)
        found: int | None = whole(view, workspace_id, seen)
        return found

    monkeypatch.setattr(standing, "news", news)
    with crew.stage.store.transaction() as tx:
        for _ in range(3):
            journal.tell(tx, Kind.OWNER_LATE, Subject("owner", "x"), workspace_id=None)
        last = events.last_id(tx)
    assert [crew.look(), crew.look()] == [0, 0]
    assert asked[0] < last and asked[1:] == [last], "an idle mission is asked about each second"


@pytest.mark.proves("R-19", "W-02")
def test_work_is_given_out_evenly_with_its_event(crew: Crew) -> None:
    made = [crew.task(f"T{n}", write_area=[f"d{n}/"]) for n in range(2)]
    crew.look()
    given = [crew.now(one).assignee_agent_id for one in made]
    assert set(given) == {one.id for one in crew.agents}
    assert crew.kinds("task.assigned") == ["task.assigned"] * 2


@pytest.mark.proves("R-19")
def test_without_workers_nobody_is_given_anything(stage: Stage) -> None:
    crew = Crew(stage, agents=0)
    crew.open()
    crew.task()
    crew.look()
    assert crew.kinds("task.assigned") == [] and crew.waves() == []
    assert crew.mission.state is MissionState.BLOCKED


@pytest.mark.proves("A-14", "A-04", "A-41")
def test_what_may_write_the_same_waits_and_the_edge_that_says_so_is_kept(crew: Crew) -> None:
    one = crew.task("One", write_area=["src/"])
    other = crew.task("Other", write_area=["src/app.py"])
    crew.turn()
    assert [run.task_id for run in crew.live()] == [one.id]
    with crew.stage.store.transaction() as tx:
        (edge,) = dependencies.of_task(tx, other.id)
    assert (edge.source, edge.depends_on_task_id) == (DependencySource.SCHEDULER, one.id)
    assert "task.depends" in crew.kinds("task.")
    crew.end(crew.run_of(one), one="a")
    crew.stage.clock.forward(seconds=11)
    crew.turn()
    assert crew.now(one).status is TaskStatus.DONE
    assert [run.task_id for run in crew.live()] == [other.id]


@pytest.mark.proves("A-13", "C-97 missions", "R-14", "R-32", "W-06", "A-36")
def test_a_mission_goes_on_wave_by_wave_until_all_is_done(crew: Crew) -> None:
    one = crew.task("One", write_area=["a/"])
    two = crew.task("Two", write_area=["b/"])
    last = crew.task(
        "Last", depends_on=[Edge(depends_on_task_id=one.id), Edge(depends_on_task_id=two.id)]
    )
    crew.turn()
    assert {run.task_id for run in crew.live()} == {one.id, two.id}
    assert crew.mission.phase is Phase.MONITORING
    crew.end(crew.run_of(one), one="1")
    crew.turn()
    assert {run.task_id for run in crew.live()} == {two.id}
    crew.end(crew.run_of(two), two="2")
    crew.turn()
    assert {run.task_id for run in crew.live()} == {last.id}
    copy = crew.stage.copy(crew.run_of(last))
    assert (copy / "one.txt").read_text() == "1" and (copy / "two.txt").read_text() == "2"
    crew.end(crew.run_of(last), last="3")
    crew.turn()
    mission = crew.mission
    assert (mission.state, mission.phase) == (MissionState.COMPLETED, Phase.COMPLETED)
    assert (mission.outcome, mission.reason) == (
        MissionOutcome.COMPLETED,
        "all_tasks_and_proposals_terminal",
    )
    assert mission.ended_at is not None and mission.report is not None
    assert mission.report["done"] == [one.number, two.number, last.number]
    assert crew.root.status is TaskStatus.DONE
    assert crew.kinds("orchestrator.") == ["orchestrator.completed"]
    assert all(wave.ended_at is not None for wave in crew.waves())
    assert [wave.number for wave in crew.waves()] == [1, 2]

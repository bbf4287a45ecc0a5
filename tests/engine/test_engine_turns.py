"""Turns: first come, first served, one at a time, and nobody holds one for ever."""

import contextlib
import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.engine import turns as flow
from roundtable_desktop.engine.desk import missions as mission_desk
from roundtable_desktop.engine.desk import pausing
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.engine.turns import HARD, MISSES, MOST, SOFT, START
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Blocked, Conflict
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.records import Agent, Run, Workspace
from roundtable_desktop.model.states import Role
from roundtable_desktop.model.turns import TURN, Turn, TurnStatus
from roundtable_desktop.store import missions, turns

DONE = {"status": "completed"}
SECOND = timedelta(seconds=1)


def holder_of(run: Run) -> Holder:
    return Holder(
        run_id=run.id, agent_id=run.agent_id, task_id=run.task_id, workspace_id=run.workspace_id
    )


@dataclass
class Table:
    """Agents that sit at one table, each at work on a task of its own."""

    stage: Stage
    workspace: Workspace
    agents: list[Agent]
    runs: list[Run]

    def agency(self) -> Agency:
        return Agency(self.stage.desk, self.stage.ground.reader)

    def ask(self, number: int, reason: str = "integrate") -> Any:
        return self.agency().turns.request(holder_of(self.runs[number]), reason, None)

    def start(self, number: int) -> Any:
        return self.agency().turns.start(holder_of(self.runs[number]), None)

    def complete(self, number: int) -> Any:
        return self.agency().turns.complete(holder_of(self.runs[number]), "done", None)

    def end(self, number: int, **words: Any) -> None:
        self.stage.finish(self.runs[number], **(words or {"result": DONE}))

    def lose(self, number: int) -> None:
        self.stage.spool(self.runs[number]).locked = False
        self.stage.consume(self.runs[number])
        self.stage.play()

    def pass_time(self, span: timedelta) -> None:
        self.stage.clock.forward(seconds=span.total_seconds())
        with self.stage.store.transaction() as tx:
            flow.pass_time(tx, self.stage.ids)

    def turn(self, answer: Any) -> Turn:
        with self.stage.ground.reader.snapshot() as view:
            found = turns.get(view, answer["turn_id"])
        assert found is not None
        return found

    def stand(self, *answers: Any) -> list[str]:
        return [str(self.turn(one).status) for one in answers]

    def told(self, kind: str = "agent.turn_") -> list[str]:
        rows = self.stage.ground.rows("events")
        return [one["kind"].partition("_")[2] for one in rows if one["kind"].startswith(kind)]

    def wakes(self) -> list[Any]:
        rows = self.stage.ground.rows("agent_wakeup_requests")
        return [one for one in rows if one["reason"] == "turn_requested"]

    def leases(self) -> list[Any]:
        return [one for one in self.stage.ground.rows("leases") if one["kind"] == "turn"]


@pytest.fixture
def table(stage: Stage) -> Table:
    workspace = stage.workspace()
    made = Table(stage, workspace, [], [])
    for name in ("Ada", "Bob", "Cyd"):
        agent = stage.agent(workspace, name=name)
        stage.task(workspace, agent, title=f"Task of {name}")
        made.agents.append(agent)
        made.runs.append(stage.launch())
    return made


@pytest.mark.proves("R-16", "R-17")
def test_who_asks_first_is_given_it_first_and_one_at_a_time(table: Table) -> None:
    first, second, third = table.ask(1), table.ask(0), table.ask(2)
    assert [one["status"] for one in (first, second, third)] == [
        *("scheduled", "requested", "requested")
    ]
    assert (second["place"], third["place"]) == (1, 2)
    assert table.start(1)["status"] == "started"
    with pytest.raises(Conflict, match="turn_waits"):
        table.start(0)
    assert table.stand(first, second, third) == ["started", "requested", "requested"]
    table.complete(1)
    assert table.stand(first, second, third) == ["completed", "scheduled", "requested"]
    table.start(0)
    table.complete(0)
    table.start(2)
    table.complete(2)
    steps = ["requested", "scheduled", "started", "completed"]
    assert sorted(table.told(), key=steps.index) == [one for one in steps for _ in range(3)]
    requests = [table.turn(one).request_event for one in (first, second, third)]
    assert requests == sorted(requests) and table.leases() == []


@pytest.mark.proves("R-16")
def test_the_database_itself_gives_no_second_turn(table: Table) -> None:
    table.ask(0)
    second = table.turn(table.ask(1))
    with pytest.raises(Exception, match="UNIQUE"), table.stage.store.transaction() as tx:
        turns.schedule(tx, second)


@pytest.mark.proves("R-16")
def test_asking_again_keeps_the_place_and_makes_no_second_turn(table: Table) -> None:
    table.ask(0)
    assert table.ask(1) == table.ask(1)
    assert len(table.stage.ground.rows("turns")) == 2


@pytest.mark.proves("R-16", "W-12")
def test_who_ends_before_its_turn_comes_is_woken_for_it_by_the_queue(table: Table) -> None:
    table.ask(0)
    table.start(0)
    waiting = table.ask(1, "merge the parser")
    table.end(1, result={"status": "blocked", "blocked": {"owner": "user", "action": "wait"}})
    assert table.wakes() == []
    table.complete(0)
    (wake,) = table.wakes()
    assert (wake["source"], wake["agent_id"]) == ("self", table.agents[1].id)
    assert (wake["status"], table.stand(waiting)) == ("queued", ["scheduled"])
    table.runs[1] = table.stage.launch()
    prompt = table.runs[1].resume_prompt or table.runs[1].assembled_prompt
    assert "The turn that you asked for has come." in prompt and "merge the parser" in prompt
    assert table.start(1)["status"] == "started"
    assert table.leases()[0]["run_id"] == table.runs[1].id


def test_the_run_that_asked_and_goes_on_is_not_woken_besides(table: Table) -> None:
    table.ask(0)
    assert table.wakes() == []
    table.end(0)
    assert len(table.wakes()) == 1, "it ended without taking it"


@pytest.mark.proves("W-12")
def test_a_turn_that_nobody_takes_goes_to_the_next_after_a_minute(table: Table) -> None:
    idle, second = table.ask(0), table.ask(1)
    table.pass_time(START - SECOND)
    assert table.stand(idle, second) == ["scheduled", "requested"]
    table.pass_time(2 * SECOND)
    assert table.stand(idle, second) == ["requested", "scheduled"]
    table.start(1)
    table.complete(1)
    assert table.stand(idle) == ["scheduled"], "it is not lost: it comes behind the others"


def test_a_turn_that_nobody_else_waits_for_stays_given(table: Table) -> None:
    alone = table.ask(0)
    table.pass_time(START * 10)
    assert table.stand(alone) == ["scheduled"] and table.told().count("requested") == 1


@pytest.mark.proves("W-12", "R-17")
def test_a_turn_that_takes_long_is_told_and_one_that_takes_too_long_is_over(table: Table) -> None:
    long, waits = table.ask(0), table.ask(1)
    table.start(0)
    table.pass_time(SOFT - SECOND)
    assert "overdue" not in table.told()
    table.pass_time(2 * SECOND)
    table.pass_time(SECOND)
    assert table.told().count("overdue") == 1
    agency = table.agency()
    notice = agency.notice(holder_of(table.runs[0]))
    assert notice is not None and "turn_complete" in notice
    assert agency.notice(holder_of(table.runs[0])) is None
    table.pass_time(HARD - SOFT)
    assert table.stand(long, waits) == ["lapsed", "scheduled"]
    assert table.turn(long).outcome == "timed_out"
    with pytest.raises(Conflict, match="no_turn"):
        table.complete(0)
    assert table.start(1)["status"] == "started"


@pytest.mark.proves("W-12")
def test_a_turn_whose_run_is_lost_is_given_back_and_asked_for_anew(table: Table) -> None:
    held, waits = table.ask(0), table.ask(1)
    table.start(0)
    table.lose(0)
    assert table.stand(held, waits) == ["requested", "scheduled"] and table.leases() == []
    table.start(1)
    table.complete(1)
    assert table.stand(held, waits) == ["scheduled", "completed"]


def test_a_run_that_ends_well_ends_its_turn(table: Table) -> None:
    held, waits = table.ask(0), table.ask(1)
    table.start(0)
    table.end(0)
    assert table.stand(held, waits) == ["completed", "scheduled"]
    assert table.turn(held).outcome == "run_ended" and table.leases() == []


@pytest.mark.proves("W-12")
def test_a_turn_that_its_runs_never_take_lapses(table: Table) -> None:
    turn = table.ask(0)
    table.end(0)
    for number in range(MISSES):
        assert table.turn(turn).misses == number
        table.runs[0] = table.stage.launch()
        table.end(0)
    assert table.stand(turn) == ["lapsed"] and table.turn(turn).outcome == "never_started"


@pytest.mark.proves("W-12")
@pytest.mark.parametrize("how", ["pause", "stop"])
def test_an_agent_that_cannot_come_holds_nobody_up(table: Table, how: str) -> None:
    first, second = table.ask(0), table.ask(1)
    act = pausing.pause if how == "pause" else pausing.stop
    act(table.stage.desk, ASKED, table.agents[0].id)
    table.pass_time(START + SECOND)
    assert table.stand(second) == ["scheduled"]
    assert table.stand(first) == ["requested" if how == "pause" else "lapsed"]


@pytest.mark.proves("W-12")
def test_turns_are_the_same_after_a_restart(table: Table) -> None:
    first, second = table.ask(0), table.ask(1)
    table.start(0)
    table.stage.restart()
    assert table.stand(first, second) == ["started", "requested"]
    table.complete(0)
    assert table.stand(first, second) == ["completed", "scheduled"]


@pytest.mark.proves("C-54")
def test_tasks_run_beside_a_turn(table: Table) -> None:
    table.ask(0)
    table.start(0)
    dora = table.stage.agent(table.workspace, name="Dora")
    table.stage.task(table.workspace, dora, title="Beside")
    assert table.stage.launch().agent_id == dora.id


@pytest.mark.proves("C-54", "R-16")
def test_each_mission_has_turns_of_its_own_and_ends_them_with_itself(table: Table) -> None:
    stage = table.stage
    chair = stage.agent(table.workspace, name="Chair", role=Role.COORDINATOR)
    mission = mission_desk.create(stage.desk, ASKED, table.workspace.id, goal="Do all of it")
    root = stage.ground.get_task(mission.root_task_id)
    stage.task(table.workspace, chair, title="Stand-in for the chair")
    run = stage.launch()
    with stage.store.transaction() as tx:
        tx.write_sql(
            "UPDATE runs SET task_id = ?, attempt_index = 1 WHERE id = ?", (root.id, run.id)
        )
    loose = table.ask(0)
    of_mission: Any = table.agency().turns.request(
        holder_of(stage.ground.get_run(run.id)), "merge", None
    )
    assert table.stand(loose, of_mission) == ["scheduled", "scheduled"]
    with stage.store.transaction() as tx:
        found = missions.get(tx, mission.id)
        assert found is not None
        missions.move(tx, found, MissionState.STOPPED)
    table.pass_time(timedelta(seconds=1))
    assert table.stand(loose, of_mission) == ["scheduled", "lapsed"]


@pytest.mark.proves("W-13")
def test_an_event_of_a_turn_that_cannot_be_read_stops_nothing(table: Table) -> None:
    """The table is what is decided by, and no event is read back."""
    first, second = table.ask(0), table.ask(1)
    with table.stage.store.transaction() as tx:
        tx.write_sql("UPDATE events SET data = '{broken' WHERE kind LIKE 'agent.turn_%'", ())
    table.pass_time(START + SECOND)
    assert table.stand(first, second) == ["requested", "scheduled"]


def test_an_agent_that_asks_for_ever_is_stopped_by_name(table: Table) -> None:
    for _ in range(MOST):
        table.ask(0)
        table.start(0)
        table.complete(0)
    with pytest.raises(Blocked, match="too_many_turns"):
        table.ask(0)


def test_when_something_is_due_is_known(table: Table) -> None:
    def due() -> Any:
        with table.stage.store.transaction() as tx:
            found = flow.next_due(tx, tx.now)
            return None if found is None else round((found - tx.now).total_seconds())

    assert due() is None
    table.ask(0)
    assert due() == 60
    table.start(0)
    assert due() == 15 * 60
    table.pass_time(SOFT + 5 * SECOND)
    assert due() == 45 * 60 - 5
    table.complete(0)
    assert due() is None


def test_the_machine_has_these_moves_and_no_others() -> None:
    allowed = {(one, to) for one in TurnStatus for to in TurnStatus if TURN.allows(one, to)}
    assert allowed == {
        ("requested", "scheduled"),
        ("requested", "lapsed"),
        ("scheduled", "requested"),
        ("scheduled", "started"),
        ("scheduled", "lapsed"),
        ("started", "requested"),
        ("started", "completed"),
        ("started", "lapsed"),
    }


@pytest.mark.proves("R-16", "W-12")
@pytest.mark.parametrize("seed", range(6))
def test_whatever_agents_do_one_has_the_turn_and_nobody_is_forgotten(
    table: Table, seed: int
) -> None:
    """Any order of asking, taking, ending and passing time; W-12, by its laws."""
    dice = random.Random(seed)
    waits: list[str] = []  # by the order in which they asked, as far as nobody gave way
    for _ in range(60):
        number = dice.randrange(3)
        act = dice.choice(["ask", "ask", "start", "complete", "pass", "wait"])
        with contextlib.suppress(Conflict, Blocked):
            if act == "ask":
                table.ask(number)
            elif act == "start":
                table.start(number)
            elif act == "complete":
                table.complete(number)
            else:
                table.pass_time(SECOND if act == "pass" else dice.choice([START, SOFT, HARD]))
        with table.stage.ground.reader.snapshot() as view:
            here = turns.open_in(view, table.workspace.id)
        given = [one for one in here if one.status is not TurnStatus.REQUESTED]
        assert len(given) == (1 if here else 0), "one is given as long as one waits, and no second"
        taken = [one for one in here if one.status is TurnStatus.STARTED]
        assert [one["run_id"] for one in table.leases()] == [one.run_id for one in taken]
        assert len({one.agent_id for one in here}) == len(here), "one for each agent"
        asked = [one.request_event for one in here]
        assert asked == sorted(asked)
        now = [one.id for one in here if one.status is TurnStatus.REQUESTED]
        kept = [one for one in waits if one in now]
        assert [one for one in now if one in kept] == kept or act == "wait", "first come, first"
        waits = now
    rows = table.stage.ground.rows("turns")
    assert all((one["ended_at"] is not None) == (one["status"] in OVER) for one in rows)


OVER = ("completed", "lapsed")

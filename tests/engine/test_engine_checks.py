"""What a mission offers is checked by the workspace's commands before it is delivered."""

from collections.abc import Callable

import pytest
from engine_stage import ASKED, Stage
from mission_stage import OnMission
from test_engine_renewed import client

from roundtable_desktop.engine import checks as running
from roundtable_desktop.engine.desk import agents as desk_agents
from roundtable_desktop.engine.desk import pausing, testing, waking
from roundtable_desktop.engine.sweeps import Sweep
from roundtable_desktop.model.checks import Check
from roundtable_desktop.model.config import Consent
from roundtable_desktop.model.errors import Absent, Blocked
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import DeliveryMode, ProposalStatus
from roundtable_desktop.store import checks, config

TWO = [
    {"name": "test", "command": ["make", "test"]},
    {"name": "lint", "command": ["make", "lint"]},
]


class Checked:
    """A mission that is completed, in a workspace with two checks."""

    def __init__(self, stage: Stage, delivery: DeliveryMode = DeliveryMode.AUTO) -> None:
        self.stage = stage
        self.on = OnMission(stage, delivery=delivery)
        with stage.store.transaction() as tx:
            config.put(tx, ASKED.actor, self.on.home.id, Consent(checks=TWO))
        self.on.merged(self.on.task(), b="b\n")
        while stage.step():
            pass
        made = self.on.complete()
        assert made is not None
        self.offered = made

    @property
    def now(self) -> Proposal:
        return self.stage.proposals_of(self.offered)

    @property
    def known(self) -> list[Check]:
        with self.stage.ground.reader.snapshot() as view:
            return checks.of_proposal(view, self.offered.id)

    def begun(self) -> Run:
        """The next of them; the coordinator's own turn is none of this."""
        for _ in range(5):
            run = self.stage.launch()
            if self.stage.launcher.orders[run.id].command[0] == "make":
                return run
            self.stage.finish(run, result={"status": "completed"})
        raise AssertionError("none was begun")

    def end(self, code: int = 0) -> Run:
        run = self.begun()
        return self.stage.finish(run, code=code)


@pytest.mark.proves("A-26")
def test_each_runs_in_a_copy_of_what_is_offered_and_delivers_when_all_passed(stage: Stage) -> None:
    here = Checked(stage)
    assert [(one.name, one.status) for one in here.known] == [("test", "asked"), ("lint", "asked")]
    stage.deliver()
    assert here.on.files("main") == ["a.txt"], "they come first"
    run = here.begun()
    assert (stage.copy(run) / "b.txt").read_text() == "b\n"
    assert list(stage.launcher.orders[run.id].command) == ["make", "test"]
    (stage.copy(run) / "built.o").write_text("x")
    stage.finish(run)
    assert [one.status for one in here.known] == ["passed", "asked"]
    assert here.known[0].run_id == run.id and here.known[0].exit_code == 0
    assert stage.ground.get_run(run.id).outcome == "done"
    other = here.begun()
    assert not (stage.copy(other) / "built.o").exists(), "it is thrown away"
    stage.finish(other)
    stage.deliver()
    assert here.now.status is ProposalStatus.DELIVERED and here.on.files("main") == [
        "a.txt",
        "b.txt",
    ]
    refs = stage.folders.plain("for-each-ref", "refs/roundtable/left")
    assert refs == "", "and kept nowhere"
    assert [one for one in stage.ground.kinds() if one.startswith("check.")] == [
        "check.asked",
        "check.asked",
        "check.ended",
        "check.ended",
    ]


@pytest.mark.proves("A-26")
def test_one_that_fails_holds_it_until_a_person_says_otherwise(stage: Stage) -> None:
    here = Checked(stage)
    failed = here.end(code=2)
    here.end()
    stage.deliver()
    assert [(one.status, one.exit_code) for one in here.known] == [("failed", 2), ("passed", 0)]
    assert here.now.status is ProposalStatus.PENDING and here.on.files("main") == ["a.txt"]
    why = {"code": "check_failed", "names": "test", "run_id": failed.id}
    assert here.now.held == why
    said = client(stage).get(f"/proposals/{here.offered.id}").get_data(as_text=True)
    assert "exit code 2" in said and f"/runs/{failed.id}" in said
    assert "What is checked before a delivery failed: test." in said
    with pytest.raises(Blocked, match="proposal_held"):
        stage.ask_deliver(here.now)
    stage.ask_deliver(here.now, override=True, note="It fails elsewhere, too")
    stage.deliver()
    assert here.now.status is ProposalStatus.DELIVERED
    assert [one for one in stage.ground.rows("inbox_items") if one["status"] == "open"] == []


@pytest.mark.proves("A-26")
def test_nobody_delivers_before_they_ended_without_saying_why(stage: Stage) -> None:
    here = Checked(stage, DeliveryMode.APPROVAL)
    with pytest.raises(Blocked, match="checks_open"):
        stage.ask_deliver(here.now)
    said = client(stage).get(f"/proposals/{here.offered.id}").get_data(as_text=True)
    assert "Its checks have not ended yet." in said and 'name="override"' in said
    here.end()
    here.end()
    stage.deliver()
    assert here.now.status is ProposalStatus.PENDING, "it is a person's to deliver"
    stage.ask_deliver(here.now)
    stage.deliver()
    assert here.now.status is ProposalStatus.DELIVERED


def _missing_program(stage: Stage, run: Run) -> None:
    error = {"kind": "cli_missing", "text": "no make here"}
    stage.finish(run, "spawn_failed", None, error=error)


def _vanished(stage: Stage, run: Run) -> None:
    """Tried again, as any run that broke off."""
    stage.spool(run).locked = False
    stage.consume(run)
    stage.play()


@pytest.mark.proves("A-26")
@pytest.mark.parametrize(("ends", "status"), [(_missing_program, "missing"), (_vanished, "asked")])
def test_one_that_comes_to_no_end_has_not_passed(
    stage: Stage, ends: Callable[[Stage, Run], None], status: str
) -> None:
    here = Checked(stage)
    ends(stage, here.begun())
    assert here.known[0].status == status
    stage.clock.forward(seconds=1)
    here.end()
    stage.deliver()
    assert here.on.files("main") == ["a.txt"]
    assert here.now.status is ProposalStatus.PENDING


@pytest.mark.proves("A-26")
def test_they_are_of_an_agent_that_can_be_stopped_and_then_delivered_around(stage: Stage) -> None:
    here = Checked(stage)
    run = here.begun()
    pausing.stop(stage.desk, ASKED, run.agent_id)
    stage.finish(run)
    while stage.step():
        pass
    assert [one.status for one in here.known] == ["passed", "asked"]
    [name] = [one["name"] for one in stage.ground.rows("agents") if one["id"] == run.agent_id]
    assert name == running.WHO
    stage.ask_deliver(here.now, override=True, note="The other one is known to pass")
    stage.deliver()
    assert here.now.status is ProposalStatus.DELIVERED


@pytest.mark.proves("A-26")
def test_an_agent_of_somebodys_that_is_called_so_runs_no_check(stage: Stage) -> None:
    on = OnMission(stage)
    theirs = stage.agent(on.home, name=running.WHO, command=["their", "program"])
    with stage.store.transaction() as tx:
        config.put(tx, ASKED.actor, on.home.id, Consent(checks=TWO))
    on.merged(on.task(), b="b\n")
    while stage.step():
        pass
    stage.play()
    testing.run(stage.desk, ASKED, on.id, "lint")
    run = stage.launch()
    [own] = [one for one in stage.ground.rows("agents") if one["id"] == run.agent_id]
    assert run.agent_id != theirs.id and own["name"] == f"{running.WHO} 2"
    stage.finish(run)
    desk_agents.edit(stage.desk, ASKED, run.agent_id, name="Ours")
    testing.run(stage.desk, ASKED, on.id, "test")
    assert stage.launch().agent_id == run.agent_id, "whatever it is called by now"


@pytest.mark.proves("A-26")
def test_somebody_at_work_runs_one_on_what_is_merged_so_far(stage: Stage) -> None:
    on = OnMission(stage)
    with pytest.raises(Absent, match="no_checks"):
        testing.run(stage.desk, ASKED, on.id, "test")
    with stage.store.transaction() as tx:
        config.put(tx, ASKED.actor, on.home.id, Consent(checks=TWO))
    on.merged(on.task(), b="b\n")
    while stage.step():
        pass
    stage.play()
    assert testing.names(stage.desk, on.home.id) == ["test", "lint"]
    begun = testing.run(stage.desk, ASKED, on.id, "lint")
    assert testing.run(stage.desk, ASKED, on.id, "lint") == begun, "it is under way"
    run = stage.launch()
    assert (stage.copy(run) / "b.txt").read_text() == "b\n"
    assert testing.result(stage.desk, begun.id).check.status == "asked"
    stage.finish(run, code=1, tail="b.txt: a line is too long\n")
    tested = testing.result(stage.desk, begun.id)
    assert (tested.check.status, tested.check.exit_code) == ("failed", 1)
    assert tested.printed == "b.txt: a line is too long"
    assert on.mission.state == "active" and stage.proposals(on.root) == []
    assert testing.run(stage.desk, ASKED, on.id, "lint").id != begun.id, "and again"


@pytest.mark.proves("A-26", "C-32")
def test_one_that_a_person_took_off_the_queue_has_come_to_no_end(stage: Stage) -> None:
    here = Checked(stage)
    waking.cancel(stage.desk, ASKED, here.known[0].wakeup_id)
    here.end()
    sweeps = Sweep(stage.store, stage.ground.reader, stage.clock, stage.ids)
    sweeps.look()
    assert [one.status for one in here.known] == ["missing", "passed"]
    stage.deliver()
    assert here.now.status is ProposalStatus.PENDING
    said = client(stage).get(f"/proposals/{here.offered.id}").get_data(as_text=True)
    assert "came to no end, so that nobody knows whether it would have passed: test." in said
    stage.clock.forward(seconds=60)
    sweeps.look()
    assert stage.ground.kinds().count("check.ended") == 2, "each once"


@pytest.mark.proves("A-26", "C-10")
def test_those_that_a_pause_kept_back_come_back_each_by_itself(stage: Stage) -> None:
    here = Checked(stage)
    [who] = [one["id"] for one in stage.ground.rows("agents") if one["name"] == running.WHO]
    pausing.pause(stage.desk, ASKED, who)
    while stage.step():
        pass
    Sweep(stage.store, stage.ground.reader, stage.clock, stage.ids).look()
    assert [one.status for one in here.known] == ["asked", "asked"]
    pausing.resume(stage.desk, ASKED, who)
    here.end()
    here.end()
    stage.deliver()
    assert [one.status for one in here.known] == ["passed", "passed"]
    assert here.now.status is ProposalStatus.DELIVERED

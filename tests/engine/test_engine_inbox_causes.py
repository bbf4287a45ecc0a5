"""Each kind of item is computed from a cause, offers what the contract says, and goes with it."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from config_room import Room, watch
from engine_graph_work import Work
from engine_stage import ASKED, Stage
from routine_stage import Routines
from test_engine_budgets import limit, spent_run
from test_engine_circuit import give_up

from roundtable_desktop.engine import stuck, troubles, worries
from roundtable_desktop.engine.desk import approvals, board, budgets, inbox, losses, pausing
from roundtable_desktop.engine.desk import routines as desk_routines
from roundtable_desktop.model.records import Agent, InboxItem
from roundtable_desktop.model.routines import Variable
from roundtable_desktop.model.states import InboxKind, InboxStatus, RoutineStatus, TaskStatus
from roundtable_desktop.store import inbox as stored

S = TaskStatus
NEEDS = {"owner": "user", "action": "Choose a port."}
OPTIONS = [{"id": "a", "name": "Yes", "kind": "allow_once"}]


@dataclass
class Bench:
    """A stage, with what the cause of an item is about."""

    work: Work

    @property
    def stage(self) -> Stage:
        return self.work.stage

    def item(self) -> InboxItem:
        (found,) = self.work.items(status="open")
        return found


Act = Callable[[], object]
"""What takes the cause away."""


def permission(bench: Bench) -> Act:
    run = bench.work.run(bench.work.task())
    bench.stage.spool(run).say("ask", ask="1", text="May I?", options=OPTIONS)
    bench.stage.consume(run)
    return lambda: bench.stage.finish(run, result={"status": "completed"})


def approval(bench: Bench) -> Act:
    task = bench.work.task(requires_approval=True)
    bench.stage.finish(bench.work.run(task), result={"status": "completed"})
    return lambda: bench.work.move(task, S.CANCELLED)


def failed(bench: Bench) -> Act:
    task = bench.work.task(retry_budget=0)
    said = {"status": "failed", "summary": "no", "evidence": []}
    bench.stage.finish(bench.work.run(task), result=said)
    return lambda: bench.work.move(task, S.TODO)


def _agent(bench: Bench) -> Agent:
    return bench.work.agent


def given_up(bench: Bench) -> Act:
    """An agent's own; and the wakeups that failed ask for themselves."""
    for _ in range(3):
        give_up(bench.stage, _agent(bench))
    for one in bench.work.items(status="open"):
        if one.code != "inbox_gave_up":
            inbox.resolve(bench.stage.desk, ASKED, one.id)
    return lambda: pausing.resume(bench.stage.desk, ASKED, _agent(bench).id)


def retired(bench: Bench) -> Act:
    give_up(bench.stage, _agent(bench))

    def act() -> None:
        with bench.stage.store.transaction() as tx:
            troubles.gone(tx, _agent(bench).id)

    return act


def _unfit(bench: Bench) -> tuple[Routines, str]:
    here = Routines.__new__(Routines)
    here.stage, here.workspace, here.agent = bench.stage, bench.work.workspace, _agent(bench)
    here.build()
    routine = here.add(variables=[Variable("where", required=True)])
    here.pass_time(minutes=5)
    return here, routine.id


def routine_mended(bench: Bench) -> Act:
    here, routine_id = _unfit(bench)

    def act() -> None:
        there = [Variable("where", default="here")]
        desk_routines.edit(bench.stage.desk, ASKED, routine_id, variables=there)
        here.pass_time(minutes=5)

    return act


def routine_archived(bench: Bench) -> Act:
    _, routine_id = _unfit(bench)
    gone = RoutineStatus.ARCHIVED
    return lambda: desk_routines.edit(bench.stage.desk, ASKED, routine_id, status=gone)


def routine_removed(bench: Bench) -> Act:
    _, routine_id = _unfit(bench)
    return lambda: desk_routines.remove(bench.stage.desk, ASKED, routine_id)


def blocked(bench: Bench) -> Act:
    task = bench.work.task()
    said = {"status": "blocked", "summary": "", "blocked": NEEDS}
    bench.stage.finish(bench.work.run(task), result=said)
    return lambda: bench.stage.ask_run(bench.work.now(task))


def blocker_lost(bench: Bench) -> Act:
    first = bench.work.task("First")
    bench.work.task("Then", first)
    bench.work.move(first, S.CANCELLED)
    return lambda: losses.restore(bench.stage.desk, ASKED, first.id)


def delivery_blocked(bench: Bench) -> Act:
    task = bench.work.task()
    proposal = bench.stage.offered(task, a="theirs\n")
    bench.stage.folders.plain("checkout", "-q", "main")
    (bench.stage.folders.repo / "a.txt").write_text("mine\n")
    bench.stage.folders.commit()
    bench.stage.ask_deliver(proposal)
    bench.stage.deliver()
    return lambda: board.move(bench.stage.desk, ASKED, task.id, S.CANCELLED)


def config_changed(bench: Bench) -> Act:
    stage = bench.stage
    stage.config = watch(stage.ground, stage.git)
    stage.build()
    room = Room(stage.ground, stage.folders.repo, stage.desk, bench.work.workspace.id)
    text = "version: 1\nworkspace: {delivery: auto}\n"
    room.accept(text)
    room.look(text.replace("auto", "approval"))
    return lambda: room.look(text)


def over_budget(bench: Bench) -> Act:
    budget = limit(bench.stage, bench.work.workspace)
    spent_run(bench.stage, _agent(bench), 1020)
    return lambda: budgets.edit(bench.stage.desk, ASKED, budget.id, most=5000)


def doctor(bench: Bench) -> Act:
    def tell(act: Callable[..., None], *words: object) -> None:
        with bench.stage.store.transaction() as tx:
            act(tx, *words)

    tell(worries.ask, bench.stage.ids, worries.NO_BACKUP, {"text": "no room"})
    return lambda: tell(worries.over, worries.NO_BACKUP)


CASES: dict[InboxKind, dict[Callable[[Bench], Act], set[str]]] = {
    InboxKind.PERMISSION: {permission: {"allow_once"}},
    InboxKind.APPROVAL: {approval: {"approve", "reject"}},
    InboxKind.AGENT_ERROR: {
        failed: {"retry", "mark_fixed", "pause_agent"},
        given_up: {"mark_fixed"},
        retired: {"retry", "mark_fixed", "pause_agent"},
        routine_mended: {"mark_fixed"},
        routine_archived: {"mark_fixed"},
        routine_removed: {"mark_fixed"},
    },
    InboxKind.BLOCKED: {blocked: {stuck.RETRY}},
    InboxKind.BLOCKER_LOST: {blocker_lost: {"drop_edge", "cancel", "redo"}},
    InboxKind.DELIVERY_BLOCKED: {delivery_blocked: {"retry", "discard", "request_changes"}},
    InboxKind.CONFIG_CHANGED: {config_changed: {"accept", "keep"}},
    InboxKind.BUDGET: {over_budget: {"raise", "resume"}},
    InboxKind.DOCTOR: {doctor: set()},
}
EACH = [(kind, cause, acts) for kind, causes in CASES.items() for cause, acts in causes.items()]


def test_every_kind_has_its_cause_here() -> None:
    assert set(CASES) == set(InboxKind)


@pytest.mark.proves("N-12 snooze", "K-35")
@pytest.mark.parametrize(
    ("kind", "cause", "acts"), EACH, ids=[cause.__name__ for _, cause, _ in EACH]
)
def test_it_offers_its_acts_and_goes_with_its_cause_also_when_put_off(
    stage: Stage, kind: InboxKind, cause: Callable[[Bench], Act], acts: set[str]
) -> None:
    bench = Bench(Work(stage))
    ends = cause(bench)
    item = bench.item()
    options = item.data["options"]
    assert isinstance(options, list)
    assert (item.kind, {one["kind"] for one in options}) == (kind, acts)
    inbox.ack(stage.desk, ASKED, item.id)
    inbox.snooze(stage.desk, ASKED, item.id, stage.clock.now().replace(year=2027))
    ends()
    with stage.ground.reader.snapshot() as view:
        now = stored.get(view, item.id)
    assert now is not None and now.status is InboxStatus.RESOLVED
    assert now.resolution is not None and now.resolution["by"] in ("cause", "end")


@pytest.mark.proves("K-35")
def test_an_approval_that_is_decided_elsewhere_is_asked_no_more(stage: Stage) -> None:
    bench = Bench(Work(stage))
    approval(bench)
    item = bench.item()
    wanted = str(item.data["approval_id"])
    approvals.decide(stage.desk, ASKED, wanted, approved=True, note="")
    assert bench.work.items(status="open") == []

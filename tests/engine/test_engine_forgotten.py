"""What a restored database does not know of: copies are kept out of the way, nothing is undone."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.git.copies import base_ref
from roundtable_desktop.engine import intake, restored
from roundtable_desktop.engine.desk import Desk, control, inbox
from roundtable_desktop.engine.forgotten import Runners
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.records import SYSTEM
from roundtable_desktop.model.states import DeliveryMode, TaskStatus
from roundtable_desktop.model.whereabouts import Whereabouts
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import backups, restoring, settings


@pytest.mark.slow
@pytest.mark.proves("F-25")
@pytest.mark.parametrize("told", [True, False], ids=["its ref tells", "nobody can tell"])
def test_a_copy_that_no_run_knows_of_takes_nothing_back(stage: Stage, told: bool) -> None:
    """It began at an older commit; the user has gone on since."""
    began = stage.folders.plain("rev-parse", "main")
    workspace = stage.workspace()
    task = stage.task(workspace, stage.agent(workspace))
    stage.folders.plain("checkout", "-q", "main")
    (stage.folders.repo / "new.txt").write_text("the user's\n")
    stage.folders.commit()
    stage.folders.plain("checkout", "-q", "elsewhere")
    folder = stage.folders.copies / "1" / f"t{task.number}"
    stage.git.make_copy(repository_of(workspace), str(folder), began, {})
    assert stage.folders.plain("rev-parse", base_ref(str(folder))) == began
    if not told:
        stage.folders.plain("update-ref", "-d", base_ref(str(folder)))
    run = stage.launch()
    assert stage.copy(run) == folder
    (folder / "work.txt").write_text("the agent's\n")
    stage.finish(run)
    [proposal] = stage.proposals(task)
    names = stage.folders.plain("diff", "--name-only", proposal.base_commit, proposal.head_commit)
    assert names == "work.txt"
    away = [*folder.parent.glob("*.before-*")]
    assert [one.joinpath("a.txt").read_text() for one in away] == ([] if told else ["a\n"])


def runners(stage: Stage) -> Runners:
    """As the owner has them; a folder for each run that was launched."""
    folder = stage.folders.root / "runs"
    for run in stage.launcher.orders:
        (folder / run).mkdir(parents=True, exist_ok=True)
    return Runners(stage.launcher, lambda run: stage.launcher.orders[run].cwd, dict, folder)


def go_back(stage: Stage, to: Path) -> str:
    """Puts that backup in the database's place and starts; what the person is told."""
    stage.clock.forward(hours=1)
    ground = stage.ground
    ground.close()
    restoring.put_in_place(ground.path, to, stage.clock.now(), stage.clock.now(), why="asked")
    ground.open()
    stage.build()
    stage.desk = Desk(
        stage.store,
        stage.git,
        stage.secrets,
        stage.ids,
        stage.launcher,
        processes.facts,
        processes.end,
        "UTC",
        stage.config,
    )
    here = Whereabouts(root="/homes/joan")
    assert restored.settle(
        stage.store, stage.git, stage.ids, stage.folders.copies, runners(stage), here
    )
    [item] = [row for row in ground.rows("inbox_items") if row["kind"] == "doctor"]
    return sentence("inbox_restored", json.loads(item["data"]))


def backup(stage: Stage) -> Path:
    made = stage.folders.root / "backup.db"
    backups.back_up(stage.ground.path, made)
    return made


@pytest.mark.proves("F-25")
def test_copies_of_the_forgotten_time_are_put_away_and_those_that_are_known_stay(
    stage: Stage,
) -> None:
    workspace = stage.workspace()
    agent = stage.agent(workspace)
    known = stage.task(workspace, agent)
    stage.offered(known, known="1")
    stage.wake(agent)
    stage.finish(stage.launch())
    again = stage.task(workspace, agent)
    saved = backup(stage)
    stage.offered(again, since="2")
    stage.wake(agent)
    own = stage.copy(stage.launch())
    (own / "only-here.txt").write_text("3")
    stage.spool(stage.run).end()
    told = go_back(stage, saved)
    names = sorted(one.name for one in own.parent.iterdir())
    assert [name.partition(".before-")[0] for name in names] == [own.name, "t1", "t2"]
    assert names[1] == "t1" and ".before-" in names[0] and ".before-" in names[2]
    assert (own.parent / names[0] / "only-here.txt").read_text() == "3"
    assert (own.parent / names[2] / "since.txt").read_text() == "2"
    assert names[0] in told and names[2] in told and "t1," not in told


@pytest.mark.proves("F-25")
def test_a_run_that_still_works_and_is_forgotten_is_ended_and_named(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = stage.assigned()
    saved = backup(stage)
    run = stage.launch()
    said: list[str] = []

    def control(one: str, request: Mapping[str, object]) -> Mapping[str, object]:
        said.append(f"{one} {request['do']}")
        stage.spool(run).end("cancelled")
        return {}

    monkeypatch.setattr(stage.launcher, "control", control)
    told = go_back(stage, saved)
    assert said == [f"{run.id} cancel"] and stage.launcher.swept == [run.id]
    assert f"have been ended: {run.id}" in told
    assert (stage.folders.root / "runs" / run.id).is_dir()
    assert task.number == 1


@pytest.mark.proves("F-25")
def test_after_a_restore_no_time_opens_the_intake(stage: Stage) -> None:
    stage.assigned()
    go_back(stage, backup(stage))
    soon = stage.clock.now() + timedelta(hours=1)
    with pytest.raises(Invalid, match="until_after_restore"):
        control.pause(stage.desk, ASKED, soon)
    with stage.store.transaction() as tx:
        intake.turn(tx, SYSTEM, intake.PAUSED, soon)  # as an older version let one do
    stage.clock.forward(hours=2)
    with stage.store.transaction() as tx:
        intake.pass_time(tx)
        assert (settings.of_home(tx).intake, settings.of_home(tx).intake_until) == ("paused", None)
    control.resume(stage.desk, ASKED)
    control.pause(stage.desk, ASKED, stage.clock.now() + timedelta(hours=1))
    stage.clock.forward(hours=2)
    with stage.store.transaction() as tx:
        intake.pass_time(tx)
        assert settings.of_home(tx).intake == "open"


def by_user(stage: Stage, name: str, text: str | None) -> None:
    """What the user does on the branch; None takes the file away."""
    stage.folders.plain("checkout", "-q", "main")
    file = stage.folders.repo / name
    file.unlink() if text is None else file.write_text(text)
    stage.folders.commit()
    stage.folders.plain("checkout", "-q", "elsewhere")


@pytest.mark.proves("F-25 deliveries")
@pytest.mark.parametrize("backed_up", ["its run works", "it is intended", "a person's"])
def test_what_was_to_be_delivered_waits_for_a_persons_word(stage: Stage, backed_up: str) -> None:
    """It was delivered in the time that is forgotten, and the user took the file away again."""
    by_person = backed_up == "a person's"
    task = stage.assigned(None if by_person else DeliveryMode.AUTO)
    run = stage.launch()
    saved = backup(stage) if backed_up == "its run works" else None
    stage.leave(run, came="by an agent\n")
    stage.finish(run, result={"status": "completed"})
    if by_person:
        stage.ask_deliver(stage.proposals(task)[0])
    saved = saved or backup(stage)
    by_user(stage, "mine.txt", "mine\n")
    stage.deliver()
    by_user(stage, "came.txt", None)
    told = go_back(stage, saved)
    stage.recover()
    stage.play()
    stage.consume(run)
    stage.play()
    stage.deliver()
    assert stage.folders.plain("ls-tree", "main", "came.txt") == ""
    [proposal] = stage.proposals(task)
    [held] = stage.tries(proposal)
    assert (held.status, held.reason) == ("held", {"code": "restored"})
    assert stage.ground.get_task(task.id).status is TaskStatus.IN_REVIEW
    [item] = [one for one in stage.ground.rows("inbox_items") if one["kind"] != "doctor"]
    assert (item["kind"], item["status"]) == ("delivery_blocked", "open")
    said = sentence("inbox_delivery_blocked", json.loads(item["data"]))
    assert "would come back" in said and "T-1" in said
    assert ("1 deliveries" in told) is (backed_up != "its run works")
    inbox.act(stage.desk, ASKED, item["id"], "retry")
    stage.deliver()
    assert stage.folders.shown("came.txt") == "by an agent"
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE


@pytest.mark.proves("F-25 deliveries")
def test_what_begins_after_a_restore_is_delivered_by_its_rule(stage: Stage) -> None:
    task = stage.assigned(DeliveryMode.AUTO)
    go_back(stage, backup(stage))
    control.resume(stage.desk, ASKED)
    proposal = stage.offered(task, b="b\n")
    stage.deliver()
    assert [one.status for one in stage.tries(proposal)] == ["delivered"]
    assert stage.ground.get_task(task.id).status is TaskStatus.DONE

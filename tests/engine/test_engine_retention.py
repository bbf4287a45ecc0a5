"""Copies that are done with go after a while; what is nowhere else never does."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine.desk import board
from roundtable_desktop.engine.desk.look_copies import LookCopies
from roundtable_desktop.engine.retention import Retention
from roundtable_desktop.model.copies import Copy, task_of_copy
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.states import AgentStatus, TaskStatus
from roundtable_desktop.store import agents


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("t3", (3, 1)),
        ("t3-2", (3, 2)),
        ("t999999999", (999999999, 1)),
        *[(name, None) for name in ("t", "t3-", "3", "t3.old", "t1234567890", "a-3")],
    ],
)
def test_the_folder_of_a_copy_names_its_task(name: str, of: tuple[int, int] | None) -> None:
    assert task_of_copy(name) == of


class Copies:
    """Copies of tasks that are over, and what becomes of them."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.workspace = stage.workspace()
        self.agent = stage.agent(self.workspace)
        self.look = LookCopies(stage.ground.reader, stage.clock, stage.git, stage.folders.copies)

    def offered(self, **files: str) -> tuple[Proposal, Path]:
        task = self.stage.task(self.workspace, self.agent)
        proposal = self.stage.offered(task, **files)
        return proposal, self.stage.copy(self.stage.run)

    def delivered(self, **files: str) -> Path:
        proposal, copy = self.offered(**files)
        self.stage.ask_deliver(proposal)
        self.stage.deliver()
        return copy

    def cancelled(self, **files: str) -> tuple[Proposal, Path]:
        proposal, copy = self.offered(**files)
        board.move(self.stage.desk, ASKED, proposal.task_id, TaskStatus.CANCELLED)
        return proposal, copy

    def seen(self) -> dict[str, Copy]:
        return {Path(one.path).name: one for one in self.look.of(self.workspace)}

    def free(self, **later: float) -> int:
        self.stage.clock.forward(**(later or {"days": 8}))
        stage = self.stage
        return Retention(stage.store, stage.ground.reader, stage.git, stage.folders.copies).free()


@pytest.fixture
def copies(stage: Stage) -> Copies:
    return Copies(stage)


@pytest.mark.slow
@pytest.mark.proves("B-184")
def test_what_is_merged_goes_and_what_is_not_stays(copies: Copies) -> None:
    done, (given_up, cancelled) = copies.delivered(b="b\n"), copies.cancelled(c="c\n")
    waits, open_copy = copies.offered(d="d\n")
    assert copies.free(days=6) == 0
    sizes = copies.look.sizes(list(copies.seen().values()))
    assert all(size > 1000 for size in sizes.values()) and len(sizes) == 3
    assert copies.free(days=2) == 2
    assert not done.exists() and not cancelled.exists() and open_copy.exists()
    assert {name: str(one.state) for name, one in copies.seen().items()} == {
        open_copy.name: "in_use"
    }
    kept = copies.stage.folders.plain("for-each-ref", "--format=%(refname)", "refs/roundtable")
    assert f"refs/roundtable/proposals/{given_up.run_id}" in kept, "it is not merged anywhere"
    assert f"refs/roundtable/proposals/{waits.run_id}" in kept
    assert kept.count("refs/roundtable/base/") == 1
    left = [one.name for one in open_copy.parent.iterdir()]
    assert left == [open_copy.name]


@pytest.mark.proves("B-115", "B-184")
@pytest.mark.parametrize("what", ["edited", "untracked", "committed", "stashed", "inner"])
def test_a_copy_that_holds_something_of_its_own_stays(copies: Copies, what: str) -> None:
    """What a run of a cancelled task left, that nobody collected."""
    _, copy = copies.cancelled(b="b\n")
    git = ["git", "-C", str(copy), "-c", "user.name=A", "-c", "user.email=a@b"]

    def plain(*words: str) -> None:
        subprocess.run([*git, *words, "-q"], check=True, capture_output=True)

    names = {"edited": "b.txt", "untracked": "new.txt", "inner": "inner"}
    if what == "edited":
        (copy / "b.txt").write_text("200 lines\n")
    elif what == "untracked":
        (copy / "new.txt").write_text("new\n")
    elif what == "inner":
        plain("init", str(copy / "inner"))
        (copy / "inner/x").write_text("x\n")
    else:
        (copy / "a.txt").write_text("experiment\n")
        if what == "stashed":
            plain("stash")
            names["stashed"] = "refs/stash"
        else:
            plain("checkout", "-b", "try")
            plain("commit", "-a", "-m", "try")
            plain("checkout", "--detach", "HEAD~1")
            names["committed"] = "refs/heads/try"
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    assert copies.free() == 0
    [kept] = copies.seen().values()
    assert str(kept.state) == "kept" and kept.holds[0] == names[what], kept.holds
    assert copies.free(days=2) == 0, "looked at again, and told once"
    events: Any = [one for one in copies.stage.ground.events() if one.kind == "copy.kept"]
    assert len(events) == 1
    assert before == {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}


@pytest.mark.proves("B-115", "B-184")
@pytest.mark.parametrize("what", ["a new file", "two, the newer one empty", "only the log of it"])
def test_a_stash_keeps_the_copy_whatever_it_ends_with(copies: Copies, what: str) -> None:
    """Its tip has the tree of HEAD: the content is in another parent, or in an older one."""
    _, copy = copies.cancelled(b="b\n")
    git = ["git", "-C", str(copy), "-c", "user.name=A", "-c", "user.email=a@b", "stash", "-q"]
    if what != "a new file":
        (copy / "a.txt").write_text("experiment\n")
        subprocess.run(git, check=True, capture_output=True)
    (copy / "new.txt").write_text("new\n")
    subprocess.run([*git, "-u"], check=True, capture_output=True)
    if what == "only the log of it":
        (copy / ".git/refs/stash").unlink()
    (copy / "b.txt").write_text("b\n")
    assert copies.free() == 0 and copy.exists()
    [kept] = copies.seen().values()
    assert "refs/stash" in kept.holds


@pytest.mark.proves("B-115", "B-184")
def test_a_branch_that_cannot_be_read_keeps_the_copy(copies: Copies) -> None:
    _, copy = copies.cancelled(b="b\n")
    (copy / ".git/refs/heads/lost").write_text("1" * 40 + "\n")
    assert copies.free() == 0 and copy.exists()
    [kept] = copies.seen().values()
    assert list(kept.holds) == ["refs/heads/lost"]


@pytest.mark.proves("B-184", "F-07")
def test_a_removal_that_is_killed_leaves_no_half_copy(
    copies: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copies.delivered(b="b\n")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("roundtable_desktop.adapters.git.copies._remove", die)
        copies.free()
    assert not copy.exists() and list(copy.parent.iterdir())
    copies.delivered(c="c\n")
    assert copies.free() == 1
    assert list(copy.parent.iterdir()) == []


@pytest.mark.proves("B-184")
def test_a_task_that_is_taken_up_again_meanwhile_keeps_its_copy(copies: Copies) -> None:
    proposal, copy = copies.offered(b="b\n")
    copies.stage.ask_deliver(proposal)
    copies.stage.deliver()
    whole = copies.stage.git.unsaved

    def meanwhile(*words: Any) -> Any:
        found = whole(*words)
        copies.stage.ask_run(copies.stage.ground.get_task(proposal.task_id))
        copies.stage.launch()
        return found

    copies.stage.git.unsaved = meanwhile
    assert copies.free() == 0
    assert copy.exists()


@pytest.mark.proves("B-184")
def test_an_agents_own_copy_goes_when_the_agent_is_retired_and_strangers_stay(
    copies: Copies,
) -> None:
    stage = copies.stage
    stage.wake(copies.agent, "look around")
    run = stage.launch()
    stage.leave(run, notes="n\n")
    stage.finish(run, result={"status": "completed"})
    copy = stage.copy(run)
    stranger = copy.parent / "mine"
    stranger.mkdir()
    assert copies.free(days=30) == 0
    assert {name: str(one.state) for name, one in copies.seen().items()} == {
        copy.name: "in_use",
        "mine": "unknown",
    }
    with stage.store.transaction() as tx:
        agent = agents.get(tx, copies.agent.id)
        assert agent is not None
        agents.move(tx, agent, AgentStatus.RETIRED, JOAN, paused_reason=None)
    assert copies.free() == 1
    assert not copy.exists() and stranger.exists()
    left = stage.ground.get_run(run.id).left_commit
    assert stage.folders.plain("rev-parse", f"refs/roundtable/left/{run.id}") == left

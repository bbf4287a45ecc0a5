"""Into a repository as it is: delivered, every byte of the user's left alone, or asked about."""

import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage

from roundtable_desktop.adapters.git import delivery as delivering
from roundtable_desktop.engine.desk import board
from roundtable_desktop.engine.desk import inbox as desk_inbox
from roundtable_desktop.engine.desk import proposals as desk_proposals
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import InboxItem, Subject
from roundtable_desktop.model.states import ProposalStatus, TaskStatus
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import inbox

Act = Callable[["Ground"], object]


class Ground:
    """The user's repository, `main` checked out in it, with a workspace and an agent."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.repo, self.git = stage.folders.repo, stage.folders.plain
        self.git("checkout", "-q", "main")
        many = {f"many/{n}.txt": f"{n}\n" for n in range(30)}
        more = {"b.txt": "b\n", "dir/c.txt": "c\n", ".gitignore": ".env\n", "x.bin": "raw\n"}
        self.write({**many, **more, ".env": "SECRET=1\n"})
        self.base = stage.folders.commit()
        self.workspace = stage.workspace()
        self.agent = stage.agent(self.workspace)

    def write(self, files: Mapping[str, str | None], where: Path | None = None) -> None:
        for name, text in files.items():
            path = (where or self.repo) / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, newline="")

    def commit(self, files: Mapping[str, str | None]) -> str:
        self.write(files)
        return self.stage.folders.commit()

    def offered(self, files: Mapping[str, str | None]) -> Proposal:
        """Those files changed by an agent in its copy."""
        task = self.stage.task(self.workspace, self.agent)
        run = self.stage.launch()
        self.write(files, self.stage.copy(run))
        self.stage.finish(run, result={"status": "completed"})
        return self.stage.proposals(task)[-1]

    def deliver(self, proposal: Proposal) -> str:
        if self.stage.proposals_of(proposal).status in (ProposalStatus.PENDING,):
            words = {"override": True, "note": "looked"} if proposal.held else {}
            self.stage.ask_deliver(proposal, **words)
        self.stage.deliver()
        return str(self.stage.tries(proposal)[-1].status)

    def items(self, proposal: Proposal) -> list[InboxItem]:
        with self.stage.ground.reader.snapshot() as view:
            return inbox.open_about(view, Subject("proposal", proposal.id))

    def answer(self, item: InboxItem, action: str) -> None:
        desk_inbox.act(self.stage.desk, ASKED, item.id, action)
        self.stage.deliver()

    def heads(self) -> str:
        form = "--format=%(refname) %(objectname)"
        return self.git("for-each-ref", form, "refs/heads") if self.repo.exists() else ""

    def seen(self) -> dict[str, bytes]:
        """Every file of the working tree."""
        found = {}
        for path in self.repo.rglob("*"):
            name = str(path.relative_to(self.repo))
            if not name.startswith(".git/") and (path.is_symlink() or path.is_file()):
                found[name] = str(path.readlink()).encode() if path.is_symlink() else b""
                found[name] = found[name] or path.read_bytes()
        return found

    def tidy(self) -> None:
        """As at the beginning, for the next row."""
        for name in ("index.lock", "rebase-merge", "MERGE_HEAD"):
            place = self.repo / ".git" / name
            shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        for line in self.git("worktree", "list", "--porcelain").splitlines():
            kind, _, path = line.partition(" ")
            if kind == "worktree" and Path(path) != self.repo:
                self.git("worktree", "remove", "--force", path)
        if "sparsecheckout=true" in self.git("config", "--list").lower():
            self.git("sparse-checkout", "disable")
        self.git("checkout", "-q", "-f", "--detach", self.base)
        self.git("branch", "-f", "main", self.base)
        self.git("checkout", "-q", "-f", "main")
        self.git("reset", "-q", "--hard", self.base)
        self.git("clean", "-q", "-ffdx")
        self.write({".env": "SECRET=1\n"})


AGENT = {"a.txt": "agent\n", "b.txt": None, "new/x.txt": "new\n"}
ODD = {"Prüf ung/日本語 1.md": "ü\n", "-x.txt": "x\n", "a\tb.txt": "t\n", 'q"u.txt': "q\n"}


def nothing(ground: Ground) -> None:
    """As it is."""


@dataclass(frozen=True)
class Row:
    """before: the repository as the agent's run finds it. after: as the delivery finds it.

    mine: paths of the user's whose bytes must stay. held: the reason, and what its sentence names;
    None when it is delivered. then: after it a retry delivers."""

    name: str
    files: Mapping[str, str | None] = field(default_factory=lambda: AGENT)
    before: Act = nothing
    after: Act = nothing
    held: str | None = None
    named: tuple[str, ...] = ()
    then: Act | None = None


def writing(files: Mapping[str, str | None], *add: str) -> Act:
    def act(ground: Ground) -> None:
        ground.write(files)
        if add:
            ground.git("add", *add)

    return act


def committing(files: Mapping[str, str | None]) -> Act:
    return lambda ground: ground.commit(files)


def told(*words: str) -> Act:
    return lambda ground: ground.git(*words)


def dirty_elsewhere(ground: Ground) -> None:
    ground.write({"dir/c.txt": "staged\n", "mine.txt": "mine\n", "many/1.txt": "edited\n"})
    ground.git("add", "dir/c.txt")
    ground.write({"dir/c.txt": "staged, then edited\n", "many/2.txt": None})


def rebasing(ground: Ground) -> None:
    ground.git("checkout", "-q", "-b", "theirs", "main~1")
    ground.commit({"dir/c.txt": "theirs\n"})
    ground.git("checkout", "-q", "main")
    ground.commit({"dir/c.txt": "mine\n"})
    words = ["git", "-c", "user.name=J", "-c", "user.email=j@x", "rebase", "-q", "theirs"]
    assert subprocess.run(words, cwd=ground.repo, capture_output=True).returncode


def submodule(ground: Ground) -> None:
    sub = f"160000,{ground.base},sub"
    ground.git("update-index", "--add", "--cacheinfo", sub)
    (ground.repo / "sub").mkdir()
    ground.git("commit", "-q", "-m", "sub")


def sparse(ground: Ground) -> None:
    ground.git("sparse-checkout", "set", "--no-cone", "/*", "!/dir/")


def linked_and_dirty(ground: Ground) -> None:
    ground.git("checkout", "-q", "--detach")
    linked = ground.repo.parent / "linked"
    ground.git("worktree", "add", "-q", str(linked), "main")
    (linked / "a.txt").write_text("mine\n")


LFS = {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"}
CRLF = {".gitattributes": "*.txt eol=crlf\n"}
ROWS = (
    Row("clean"),
    Row("dirty elsewhere", after=dirty_elsewhere),
    Row("dirty in the same path", after=writing({"a.txt": "mine\n"}), held="path_changed",
        named=("a.txt",), then=told("checkout", "-q", "--", "a.txt")),
    Row("dirty in several", after=writing({"a.txt": "mine\n", "b.txt": "mine\n"}),
        held="paths_changed", named=("a.txt", "b.txt")),
    Row("staged in the same path", after=writing({"a.txt": "mine\n"}, "a.txt"),
        held="path_changed", named=("a.txt",)),
    Row("a file in the way", after=writing({"new/x.txt": "mine\n"}), held="path_in_the_way",
        named=("new/x.txt",)),
    Row("an ignored file in the way", {".env": "agent\n", ".gitignore": "nothing\n"},
        held="path_in_the_way", named=(".env",)),
    Row("detached", after=told("checkout", "-q", "--detach")),
    Row("another branch", after=told("checkout", "-q", "-B", "aside")),
    Row("a branch without a commit", after=told("checkout", "-q", "--orphan", "unborn")),
    Row("submodule beside it", before=submodule),
    Row("large files beside it", before=committing(LFS)),
    Row("a large file", {"x.bin": "agent\n"}, before=committing(LFS), held="filter",
        named=("x.bin",)),
    Row("sparse, inside", before=sparse),
    Row("sparse, outside", {"dir/c.txt": "agent\n"}, before=sparse, held="path_marked",
        named=("dir/c.txt",)),
    Row("line ends", {"a.txt": "agent\r\n"}, before=committing(CRLF)),
    Row("odd names", ODD),
    Row("odd names in the way", ODD, after=writing(dict.fromkeys(ODD, "mine\n")),
        held="paths_in_the_way", named=("日本語 1.md", "-x.txt")),
    Row("a locked index", after=writing({".git/index.lock": ""}), held="git_locked",
        named=("index.lock",), then=lambda g: (g.repo / ".git/index.lock").unlink()),
    Row("a rebase in progress", after=rebasing, held="git_busy", named=("rebase",)),
    Row("moved on", after=committing({"dir/c.txt": "further\n"})),
    Row("moved on in the same line", after=committing({"a.txt": "mine\n"}), held="conflict",
        named=("a.txt",)),
    Row("deleted", after=lambda g: (g.git("checkout", "-q", "--detach"),
                                    g.git("branch", "-q", "-D", "main")),
        held="branch_missing", named=("main",)),
    Row("dirty in another working tree", after=linked_and_dirty, held="path_changed",
        named=("a.txt",)),
    Row("the folder is gone", after=lambda g: g.repo.rename(g.repo.parent / "away"),
        held="repository_missing", named=("/repo",),
        then=lambda g: (g.repo.parent / "away").rename(g.repo)),
)  # fmt: skip


def tried(ground: Ground, row: Row) -> None:
    row.before(ground)
    proposal = ground.offered(row.files)
    row.after(ground)
    before = ground.seen()
    heads = ground.heads()
    status = ground.deliver(proposal)
    if row.held is None:
        assert status == "delivered", ground.stage.tries(proposal)[-1].reason
        assert ground.items(proposal) == []
        delivered(ground, row, before, proposal, heads)
        return
    assert status == "held"
    assert (ground.seen(), ground.heads()) == (before, heads), "nothing is written"
    [item] = ground.items(proposal)
    why: Any = item.data["why"]
    said = sentence(item.code, item.data)
    assert why["code"] == row.held and "This was not done" not in said
    assert all(name in said for name in ("T-", "main", *row.named)), said
    assert why.get("command", "git -C").startswith("git -C"), why
    if row.then is None:
        ground.answer(item, "discard")
        assert ground.stage.proposals_of(proposal).status is ProposalStatus.REJECTED
        assert ground.stage.ground.get_task(proposal.task_id).status is TaskStatus.CANCELLED
        assert ground.git("rev-parse", f"refs/roundtable/proposals/{proposal.run_id}")
    else:
        row.then(ground)
        ground.answer(item, "retry")
        assert ground.stage.ground.get_task(proposal.task_id).status is TaskStatus.DONE
    assert ground.items(proposal) == []


def delivered(
    ground: Ground, row: Row, before: Mapping[str, bytes], proposal: Proposal, was: str
) -> None:
    last = ground.stage.tries(proposal)[-1]
    undo = ground.git("rev-parse", f"refs/roundtable/undo/{last.id}")
    assert undo == last.old_commit and f"refs/heads/main {undo}" in was
    after = ground.seen()
    theirs = {name: content for name, content in after.items() if name not in row.files}
    assert theirs == {name: content for name, content in before.items() if name not in row.files}
    here = "refs/heads/main" in (ground.repo / ".git/HEAD").read_text()
    for name, text in row.files.items():
        if text is not None:
            assert ground.git("show", f"main:{name}") == text.strip()
        if here:
            assert after.get(name) == (text.encode() if text is not None else None)
        else:
            assert after.get(name) == before.get(name)


@pytest.mark.slow
@pytest.mark.proves("delivery table", "C-107", "B-128", "N-17 ground")
def test_into_repositories_as_they_are(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "LOCK_SECONDS", 0.2)
    ground, wrong = Ground(stage), []
    for row in ROWS:
        try:
            tried(ground, row)
        except AssertionError as failed:
            wrong.append(f"{row.name}: {failed}")
        ground.tidy()
    assert not wrong, "\n\n".join(wrong)


def conflicting(ground: Ground) -> tuple[Proposal, InboxItem]:
    proposal = ground.offered({"a.txt": "agent\n"})
    ground.commit({"a.txt": "mine\n", "b.txt": "further\n"})
    assert ground.deliver(proposal) == "held"
    [item] = ground.items(proposal)
    return proposal, item


@pytest.mark.slow
@pytest.mark.proves("delivery table", "B-123")
def test_who_conflicts_is_asked_to_bring_it_onto_the_branch(stage: Stage) -> None:
    """The agent finds the branch's newest state in its copy; what it then proposes is what it
    adds to that, and nothing of the branch's own."""
    ground = Ground(stage)
    proposal, item = conflicting(ground)
    ground.answer(item, "request_changes")
    assert ground.items(proposal) == []
    assert stage.proposals_of(proposal).status is ProposalStatus.CONFLICTED
    run = stage.launch()
    assert "newest state of main" in run.assembled_prompt and "(a.txt)" in run.assembled_prompt
    copy = stage.copy(run)
    assert (copy / "b.txt").read_text() == "further\n"
    marked = (copy / "a.txt").read_text()
    assert marked.startswith("<<<<<<<") and "mine\n" in marked and "agent\n" in marked
    assert run.base_commit == ground.git("rev-parse", "main")
    ground.write({"a.txt": "mine\nagent\n"}, copy)
    stage.finish(run, result={"status": "completed"})
    anew = stage.proposals(stage.ground.get_task(proposal.task_id))[-1]
    assert [one["path"] for one in anew.files] == ["a.txt"]
    assert anew.base_commit == ground.git("rev-parse", "main")
    assert ground.deliver(anew) == "delivered"
    assert (ground.repo / "a.txt").read_text() == "mine\nagent\n"
    with pytest.raises(Conflict, match="proposal_not_open"):
        desk_proposals.rebase(stage.desk, ASKED, anew.id)


@pytest.mark.proves("B-123")
def test_marks_that_were_left_are_not_delivered_unseen(stage: Stage) -> None:
    """An agent that was started and could not work finds the same copy the next time."""
    ground = Ground(stage)
    proposal, item = conflicting(ground)
    ground.answer(item, "request_changes")
    run = stage.launch()
    stage.finish(run, code=1)
    stage.ground.clock.forward(days=1)
    run = stage.launch()
    assert "<<<<<<<" in (stage.copy(run) / "a.txt").read_text()
    stage.finish(run, result={"status": "completed"})
    anew = stage.proposals(stage.ground.get_task(proposal.task_id))[-1]
    assert anew.held == {"code": "conflict_marks", "paths": ["a.txt"]}
    assert [one["path"] for one in anew.files] == ["a.txt"]


@pytest.mark.proves("delivery table")
def test_the_command_of_a_conflict_merges_it_by_hand(stage: Stage) -> None:
    """With the markers that git leaves; what was settled so counts as delivered."""
    ground = Ground(stage)
    proposal, item = conflicting(ground)
    why: Any = item.data["why"]
    git, *words = shlex.split(why["command"])
    named = [git, "-c", "user.name=J", "-c", "user.email=j@x", *words]
    done = subprocess.run(named, cwd=ground.repo, capture_output=True)
    assert done.returncode == 1 and "<<<<<<<" in (ground.repo / "a.txt").read_text()
    head = ground.commit({"a.txt": "both\n"})
    assert ground.deliver(proposal) == "held", "the merge is settled, but not the same bytes"
    assert ground.git("rev-parse", "main") == head


@pytest.mark.proves("delivery table")
def test_work_that_a_person_cancels_or_that_is_done_anew_asks_no_more(stage: Stage) -> None:
    ground = Ground(stage)
    proposal, item = conflicting(ground)
    task = stage.ground.get_task(proposal.task_id)
    board.move(stage.desk, ASKED, task.id, TaskStatus.CANCELLED)
    assert stage.proposals_of(proposal).status is ProposalStatus.REJECTED
    assert ground.items(proposal) == []
    with pytest.raises(Conflict, match="already_resolved"):
        ground.answer(item, "retry")

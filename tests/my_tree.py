"""Random lives of one repository: a user, agents, deliveries, rejections and kills.

After each act of ours every byte, index entry and ref of the user's is compared with before.
"""

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine_stage import ASKED, Stage
from git_on_path import path_with_git
from my_tree_seen import Moved, Repository, Seen

from roundtable_desktop.engine.desk import proposals as desk_proposals
from roundtable_desktop.engine.desk import workspaces
from roundtable_desktop.engine.retention import Retention
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.ports import GitFailed
from roundtable_desktop.model.records import Delivery, Proposal
from roundtable_desktop.model.states import DeliveryStatus, ProposalStatus
from roundtable_desktop.store import lists
from roundtable_desktop.store import proposals as stored

PATHS = (
    "a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt", "e f.txt", "ü/日本.md", ".env", "build/o",
    "run.sh", "link", "n\tew.txt",
)  # fmt: skip
CALLS = {"openat": 60, "write": 20, "close": 60, "unlink": 12, "rename": 5, "mkdir": 3}
KILLABLE = {
    "deliver": ("--ff-only", "update-ref", "merge-tree", "commit-tree", "diff-files"),
    "collect": ("unpack-objects", "update-ref", "update-index", "write-tree"),
    "recover": ("checkout-index", "--force-remove", "update-ref", "--refresh"),
}
STEPS = 9


class Killed(BaseException):
    """Nothing of the owner comes after this."""


class Life(Repository):
    """One repository of one user, registered in the home of a stage."""

    def __init__(self, stage: Stage, number: int, chance: random.Random) -> None:
        self.stage, self.chance = stage, chance
        self.home = stage.folders.root / f"life{number}"
        super().__init__(self.home / "repo", stage.folders.user)
        self.repo.mkdir(parents=True)
        self.done: list[str] = []
        self.counts: Counter[str] = Counter()
        self._shims = 0
        self.git("init", "-q")
        self._put(self.repo, "a.txt", b"a\n" * 40)
        for path in ("b.txt", "dir/c.txt", "dir/deep/d.txt", "run.sh"):
            self._put(self.repo, path, f"{path}\n".encode() * self.chance.randrange(1, 60))
        self._put(self.repo, ".gitignore", b".env\nbuild/\n")
        self._commit(self.repo)
        words: dict[str, Any] = {"base_branch": "main", "name": f"life{number}"}
        self.workspace = workspaces.register(stage.desk, ASKED, str(self.repo), **words)
        self.agent = stage.agent(self.workspace, name=f"a{number}")

    # --- the user ------------------------------------------------------------------------------

    def _put(self, tree: Path, name: str, content: bytes) -> None:
        path = tree / name
        for above in [*path.parents][::-1]:
            if (
                above.is_relative_to(tree)
                and above != tree
                and (above.is_file() or above.is_symlink())
            ):
                above.unlink()
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            path.unlink()
        path.write_bytes(content)

    def _bytes(self, who: str) -> bytes:
        """Sometimes a few lines among the same ones, sometimes all new, sometimes nothing."""
        word = f"{who} {self.chance.random()}\n".encode()
        lines = [b"a\n"] * 40
        lines[self.chance.choice((0, 20, 39))] = word
        return self.chance.choice((b"".join(lines), word * self.chance.randrange(1, 90), b""))

    def _change(self, tree: Path, who: str) -> None:
        name = self.chance.choice(PATHS)
        path = tree / name
        kind = self.chance.choice(("write", "write", "write", "delete", "mode", "link"))
        if kind == "delete" and path.is_file():
            path.unlink()
        elif kind == "mode" and path.is_file() and not path.is_symlink():
            path.chmod(path.stat().st_mode ^ 0o111)
        elif kind == "link" and name == "link":
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            path.symlink_to(self.chance.choice(("a.txt", "dir", "nowhere")))
        elif not path.parent.is_symlink():
            self._put(tree, name, self._bytes(who))

    def _commit(self, tree: Path) -> None:
        self.git("add", "-A", cwd=tree)
        self.git("commit", "-q", "--allow-empty", "-m", "user", cwd=tree)

    def user(self) -> None:
        """Whatever people do in their repository."""
        tree = self.chance.choice(self.trees())
        match self.chance.randrange(12):
            case 0 | 1 | 2 | 3:
                for _ in range(self.chance.randrange(1, 4)):
                    self._change(tree, "user")
            case 4:
                self._change(tree, "user")
                self.git("add", "-A", cwd=tree, check=False)
            case 5 | 6:
                self._commit(tree)
            case 7:
                self.git("switch", "-q", "-C", "side", cwd=tree, check=False)
            case 8:
                self.git("switch", "-q", "main", cwd=tree, check=False)
            case 9:
                self.git("switch", "-q", "--detach", cwd=tree, check=False)
            case 10:
                self.git(
                    "worktree", "add", "-q", "-f", str(self.home / "linked"), "main", check=False
                )
            case 11:
                self.git("stash", "-q", cwd=tree, check=False)

    # --- ours ----------------------------------------------------------------------------------

    def agents_run(self) -> None:
        """What waits, else a new task; some of it is killed while it is collected."""
        stage = self.stage
        if not stage.step():
            stage.task(self.workspace, self.agent)
            assert stage.step()
        stage.play()
        run = stage.run
        if run.id not in stage.launcher.orders:
            return  # the branch is gone, or nobody could begin
        stage.consume(run)
        for _ in range(self.chance.randrange(1, 5)):
            self._change(stage.copy(run), "agent")
        self._killed("collect", lambda: stage.finish(run, result={"status": "completed"}))

    def deliver(self) -> None:
        """A person's word, or a second try of what was held."""
        ready = [one for one in self._proposals() if self._can(one)]
        if not ready:
            return
        proposal = self.chance.choice(ready)
        words = {"override": True, "note": "looked"} if proposal.held else {}
        self.stage.ask_deliver(proposal, **words)
        self._killed("deliver", self.stage.deliver)

    def decide(self) -> None:
        ready = [one for one in self._proposals() if self._can(one)]
        if not ready:
            return
        proposal = self.chance.choice(ready)
        act = self.chance.choice((desk_proposals.reject, desk_proposals.rebase))
        try:
            act(self.stage.desk, ASKED, proposal.id)
        except Refused as refused:
            assert refused.code in ("not_in_review", "task_not_assigned"), refused

    def free(self) -> None:
        """What is done with goes; a look at it after nine days."""
        self.stage.clock.forward(days=9)
        stage = self.stage
        Retention(stage.store, stage.ground.reader, stage.git, stage.folders.copies).free()

    def restart(self) -> None:
        self.stage.restart()
        self._recover()

    def _recover(self) -> None:
        for _ in range(20):
            if not self.stage.acts:
                return
            self.stage.play()

    def _proposals(self) -> list[Proposal]:
        with self.stage.ground.reader.snapshot() as view:
            filters = {"workspace_id": self.workspace.id}
            return lists.page(view, lists.PROPOSALS, after=None, limit=100, **filters)

    def _can(self, one: Proposal) -> bool:
        with self.stage.ground.reader.snapshot() as view:
            return desk_proposals.can_deliver(one, stored.deliveries(view, one.id))

    def _killed(self, act_name: str, act: Callable[[], object]) -> None:
        """Perhaps: git at one of its calls, or the owner between two of its own. Then the user may
        do something, and the next life takes it up, which may be killed as well."""
        how = self.chance.choice(("no", "git", "git", "owner"))
        if how == "no":
            act()
            return
        with self._dying(how, act_name):
            try:
                act()
                return
            except (Killed, GitFailed):
                self.counts[f"{act_name} killed ({how})"] += 1
        if self.chance.random() < 0.3:
            for _ in range(2):
                self._change(self.repo, "user")
            self._after_kill = self.seen()
        again = self.chance.random() < 0.3
        try:
            with self._dying("git" if again else "no", "recover"):
                self.restart()
        except (Killed, GitFailed):
            self.counts["recovery killed"] += 1
        self.restart()
        self.stage.deliver()

    @contextmanager
    def _dying(self, how: str, act: str) -> Iterator[None]:
        if how == "git":
            call = self.chance.choice([*CALLS])
            number = int(CALLS[call] ** self.chance.random())
            word = self.chance.choice(KILLABLE[act])
            inject = f"inject={call}:signal=KILL:when={max(number, 1)}"
            strace = f"exec strace -f -qqq -o /dev/null -e trace={call} -e {inject}"
            run = f'{strace} {shutil.which("git")} "$@"'
            before, self._shims = os.environ["PATH"], self._shims + 1
            os.environ["PATH"] = path_with_git(self.home / f"shim{self._shims}", word, run)
            try:
                yield
            finally:
                os.environ["PATH"] = before
        elif how == "owner":
            name = self.chance.choice(("prepare", "deliver") if act == "deliver" else ("collect",))
            whole, after = getattr(self.stage.git, name), self.chance.random() < 0.5

            def die(*words: Any, **more: Any) -> Any:
                if after:
                    whole(*words, **more)
                raise Killed

            setattr(self.stage.git, name, die)
            try:
                yield
            finally:
                setattr(self.stage.git, name, whole)
        else:
            yield

    # --- what must be so -----------------------------------------------------------------------

    def live(self) -> None:
        for _ in range(STEPS):
            name = self.chance.choices(
                ("user", "agents_run", "deliver", "decide", "restart", "free"), (8, 5, 7, 1, 1, 1)
            )[0]
            self.done.append(name)
            self.counts[name] += 1
            if name == "user":
                self.user()
                continue
            self._after_kill: Seen | None = None
            before, last = self.seen(), self._last_delivery()
            getattr(self, name)()
            made = self._last_delivery()
            moved = self._moved(made) if made is not None and made != last else None
            self.check(before, self._after_kill, self.seen(), moved)
        self._recover()
        assert self.git("fsck", "--no-dangling", "--no-progress", check=False) == ""
        self._nothing_left()

    def _last_delivery(self) -> Delivery | None:
        offered = self._proposals()
        with self.stage.ground.reader.snapshot() as view:
            tries = [one for p in offered for one in stored.deliveries(view, p.id)]
        return max(tries, key=lambda one: one.id) if tries else None

    def _moved(self, delivery: Delivery) -> Moved | None:
        if delivery.old_commit is None or delivery.new_commit is None:
            return None
        return delivery.old_commit, delivery.new_commit

    def _nothing_left(self) -> None:
        git_dir = self.repo / ".git"
        left = [*git_dir.rglob("*.lock"), *git_dir.rglob("MERGE_HEAD")]
        assert left == [], left
        with self.stage.ground.reader.snapshot() as view:
            assert stored.intended(view) == []
        for one in self._proposals():
            with self.stage.ground.reader.snapshot() as view:
                tries = stored.deliveries(view, one.id)
            for done in tries:
                why = (done.reason or {}).get("code", "")
                self.counts[f"{done.status} {why}".strip()] += 1
            delivered = [t for t in tries if t.status is DeliveryStatus.DELIVERED and t.new_commit]
            for done in delivered:
                words = ("merge-base", "--is-ancestor", done.new_commit or "", "main")
                assert self.git(*words) == "", "what was delivered is on its branch"
            assert one.status is not ProposalStatus.DELIVERED or tries


def lives(root: Path, seed: int, count: int) -> Counter[str]:
    """That many, in homes of ten; what happened in them."""
    counts: Counter[str] = Counter()
    stage: Stage | None = None
    for number in range(count):
        if number % 10 == 0:
            if stage is not None:
                stage.ground.close()
            folder = root / f"home{number}"
            folder.mkdir(mode=0o700)
            stage = Stage(folder)
        assert stage is not None
        life = Life(stage, number, random.Random(f"{seed}:{number}"))
        try:
            life.live()
        except BaseException as failed:
            failed.add_note(f"seed {seed}, life {number}: {life.done}, in {life.home}")
            raise
        counts += life.counts
        shutil.rmtree(life.home)
        shutil.rmtree(stage.folders.copies / str(life.workspace.number), ignore_errors=True)
    if stage is not None:
        stage.ground.close()
    return counts

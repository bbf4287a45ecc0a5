"""Random lives of one repository: a user, agents, deliveries, rejections and kills.

After each act of ours every byte, index entry, log and ref of the user's is compared with before.
"""

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine_stage import ASKED, Stage
from my_tree_kills import Hands
from my_tree_law import Aim, Law, Stretch, aim_at, without_line_ends
from my_tree_seen import MAIN, Seen
from my_tree_user import FOUND_OUT, User

from roundtable_desktop.engine.delivery import UNDO
from roundtable_desktop.engine.desk import proposals as desk_proposals
from roundtable_desktop.engine.desk import recovering, workspaces
from roundtable_desktop.engine.retention import Retention
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import LIVE_RUNS, DeliveryStatus
from roundtable_desktop.store import lists
from roundtable_desktop.store import proposals as stored

STEPS = 9
AGENTS_GIT = (
    ("add", "-f", "-A"),
    ("commit", "-q", "-a", "--allow-empty", "-m", "agent"),
    ("switch", "-q", "-c", "mine"),
    ("stash", "-q"),
    ("rm", "-q", "-r", "--cached", "dir"),
)


class Life:
    """One repository of one user, registered in a home of its own."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        root.mkdir(mode=0o700)
        self.chance = chance
        self.stage = stage = Stage(root)
        self.user = User(root / "theirs" / "repo", stage.folders.user, chance)
        self.counts = self.user.counts
        self.hands = Hands(root, stage.folders.user, chance, self._interrupt)
        self.hands.counts = self.counts
        self.user.begin()
        stage.git = self.hands.git
        stage.build()
        words: dict[str, Any] = {"base_branch": "main", "name": "life"}
        self.workspace = workspaces.register(stage.desk, ASKED, str(self.user.repo), **words)
        self.agent = stage.agent(self.workspace, name="Ada")
        self.done: list[str] = []
        self._aims: list[tuple[str, str]] = []
        self._half: list[tuple[str, str]] = []
        self._cuts: list[tuple[Seen, Seen]] = []
        self._mask = os.umask(0o077)
        os.umask(self._mask)
        self._watch()

    def close(self) -> None:
        self.hands.close()
        self.stage.ground.close()

    def live(self) -> None:
        odd = (self.decide, self.restart, self.free, self.recover)
        for _ in range(STEPS):
            for _ in range(self.chance.choice((0, 1, 1, 2))):
                self.done.append("user")
                self.user.act()
            ready = any(self._can(one) for one in self._proposals())
            act = self.deliver if ready else self.agents_run
            act = self.chance.choice((act, act, act, self.agents_run, self.chance.choice(odd)))
            self.done.append(act.__name__)
            self.counts[act.__name__] += 1
            self._ours(act)
        self._ours(self._play)
        self._nothing_left()

    # --- acts of ours --------------------------------------------------------------------------

    def agents_run(self) -> None:
        """What waits, else a new task."""
        self.stage.clock.forward(minutes=30)
        if self._living() is None:
            self._do("launch", self._launch)
        run = self._living()
        if run is None:
            return  # the branch is gone, or nobody could begin
        self.stage.consume(run)
        copy = self.stage.copy(run)
        for _ in range(self.chance.randrange(1, 5)):
            self.user.change(copy, "agent")
        if self.chance.random() < 0.3:
            self.user.git(*self.chance.choice(AGENTS_GIT), cwd=copy, check=False)
        status = self.chance.choice(("completed",) * 6 + ("failed",))
        result = {"status": status}
        self._do("collect", lambda: self.stage.finish(run, result=result))

    def _launch(self) -> None:
        if not self.stage.step():
            try:
                self.stage.task(self.workspace, self.agent)
            except Refused as refused:
                assert refused.code == "unknown_branch", refused
            self.stage.step()
        self.stage.play()

    def _living(self) -> Run | None:
        spools = self.stage.launcher.spools
        for run in self.stage.ground.runs():
            if run.status in LIVE_RUNS and run.id in spools and spools[run.id].locked:
                return run
        return None

    def deliver(self) -> None:
        """A person's word, or a second try of what was held."""
        proposal = self.chance.choice([one for one in self._proposals() if self._can(one)])
        words = {"override": True, "note": "looked"} if proposal.held else {}
        self.stage.ask_deliver(proposal, **words)
        self._do("deliver", self.stage.deliver)

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
        retention = Retention(stage.store, stage.ground.reader, stage.git, stage.folders.copies)
        self._do("free", retention.free)

    def recover(self) -> None:
        """`runs recover` of the last one that is over, as far as it left anything."""
        over = [run for run in self.stage.ground.runs() if run.id in self.stage.launcher.orders]
        if over:
            run = self.chance.choice(over)
            try:
                recovering.recover(self.stage.desk, ASKED, run.id, str(self.stage.copy(run)))
            except Refused as refused:
                self.counts[f"not recovered: {refused.code}"] += 1

    def restart(self) -> None:
        assert self.hands.do("recover", self._begin_anew, calm=True)

    def _begin_anew(self) -> None:
        self.stage.git = self.hands.renew()
        self._watch()
        self.stage.restart()
        self._play()
        self.hands.wait()

    def _play(self) -> None:
        for _ in range(20):
            if not self.stage.acts:
                break
            self.stage.play()
        self.stage.deliver()

    def _do(self, name: str, act: Callable[[], object]) -> None:
        """If it dies, the user may do something before the next life, which may die as well. Where
        git alone died, the owner may go on."""
        if self.hands.do(name, act):
            return
        if self.chance.random() < 0.4 and not self.hands.outlived:
            self._interrupt()
        if self.chance.random() < 0.3 and self.hands.do("recover", self._begin_anew):
            return
        self.restart()

    # --- what must be so -----------------------------------------------------------------------

    def _watch(self) -> None:
        """What the git of this owner is told to deliver."""
        git = self.stage.git
        for name in ("deliver", "finish"):
            whole = getattr(git, name)

            def told(*words: Any, whole: Any = whole, **more: Any) -> Any:
                self._aims.append((more["old"], more["new"]))
                return whole(*words, **more)

            setattr(git, name, told)

    def _interrupt(self) -> None:
        """The user in the midst of an act of ours."""
        before = self.user.seen()
        for _ in range(self.chance.randrange(1, 3)):
            self.user.act()
        self.counts["user in the midst"] += 1
        self._cuts.append((before, self.user.seen()))

    def _ours(self, act: Callable[[], None]) -> None:
        self._aims, self._cuts = [], []
        start, tried = self.user.seen(), self._delivered()
        act()
        end = self.user.seen()
        tried = {one: to for one, to in self._delivered().items() if one not in tried}
        self._check(start, end)
        if not self._cuts:
            self._check_said(start, end, set(tried.values()))
        begun = any(tree.begun for tree in end.trees.values())
        self._half = [*self._half, *self._aims] if begun else []

    def _check(self, start: Seen, end: Seen) -> None:
        begun = any(tree.begun for tree in start.trees.values())
        aims = [self._aim(*one) for one in dict.fromkeys([*self._half, *self._aims])]
        has_line_ends = self.user.habit in ("line ends", "attributes")
        plain = without_line_ends if has_line_ends else bytes
        law, edited = Law(aims, plain, self._mask), set[tuple[str, str]]()
        starts = [start, *(after for _, after in self._cuts)]
        ends = [*(before for before, _ in self._cuts), end]
        for number, (one, other) in enumerate(zip(starts, ends, strict=True)):
            first, last = number == 0 and not begun, number == len(self._cuts)
            law.check(Stretch(one, other, first, last, edited))
            if not last:
                edited |= _edited(other, starts[number + 1])
        assert not (self.user.git_dir / FOUND_OUT).exists(), "no hook of the user's runs"

    def _aim(self, old: str, new: str) -> Aim:
        base = self.user.git("merge-base", old, new, check=False).strip()
        assert base == old, "what is delivered has all that the branch had"
        return aim_at(self.user.repo, old, new)

    def _check_said(self, start: Seen, end: Seen, delivered: set[str]) -> None:
        """What is said to be delivered is there, and nothing else came."""
        head = end.refs.get(MAIN)
        if head != start.refs.get(MAIN):
            assert head in delivered, f"{head} came, and nobody says so"
        for commit in delivered:
            assert head, "delivered onto nothing"
            base = self.user.git("merge-base", commit, head, check=False).strip()
            assert base == commit, "what was delivered is on its branch"

    def _delivered(self) -> dict[str, str]:
        """Each is known with what it brought, and there is a way back to before it."""
        found = {}
        for one in self._tries():
            if one.status is DeliveryStatus.DELIVERED and one.new_commit:
                found[one.id] = one.new_commit
                self.user.kept[f"{UNDO}{one.id}"] = str(one.old_commit)
        return found

    def _tries(self) -> list[Delivery]:
        offered = self._proposals()
        with self.stage.ground.reader.snapshot() as view:
            return [one for p in offered for one in stored.deliveries(view, p.id)]

    def _proposals(self) -> list[Proposal]:
        with self.stage.ground.reader.snapshot() as view:
            filters = {"workspace_id": self.workspace.id}
            return lists.page(view, lists.PROPOSALS, after=None, limit=100, **filters)

    def _can(self, one: Proposal) -> bool:
        with self.stage.ground.reader.snapshot() as view:
            return desk_proposals.can_deliver(one, stored.deliveries(view, one.id))

    def _nothing_left(self) -> None:
        with self.stage.ground.reader.snapshot() as view:
            assert stored.intended(view) == []
        for one in self._tries():
            self.counts[f"{one.status} {(one.reason or {}).get('code', '')}".strip()] += 1
        assert self.user.git("fsck", "--no-dangling", "--no-progress") == ""
        self.counts["fsck clean"] += 1


def _edited(before: Seen, after: Seen) -> set[tuple[str, str]]:
    """Files that the user has changed meanwhile, with their trees."""
    found = set()
    for tree, now in after.trees.items():
        was = before.trees[tree].files if tree in before.trees else {}
        for name in was.keys() | now.files.keys():
            if was.get(name) != now.files.get(name):
                found.add((tree, name))
    return found


def lives(root: Path, seed: int, numbers: range) -> Counter[str]:
    """Those, and what happened in them."""
    counts: Counter[str] = Counter()
    for number in numbers:
        home = root / f"life{number}"
        life = Life(home, random.Random(f"{seed}:{number}"))
        try:
            life.live()
        except BaseException as failed:
            failed.add_note(f"seed {seed}, life {number}: {life.done}, in {home}")
            raise
        finally:
            life.close()
        counts += life.counts
        counts["lives"] += 1
        shutil.rmtree(home, ignore_errors=True)
    return counts

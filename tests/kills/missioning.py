"""Missions of a load, each one deed that is repeated until all of it is answered; and what a
bystander sees of the repository meanwhile: the user's own things, and the missions' branches."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from kills.owners import Owners
from kills.posting import Wish
from kills.working import git
from my_tree_seen import Repository, Seen

BRANCHES = "refs/heads/roundtable/m/"
MINE = {"mine.txt": "mine, once more\n", "staged.txt": "s\n", "untracked.txt": "u\n"}


class Ground(Protocol):
    """Where it is laid out: a `Site`."""

    owners: Owners
    workspace: str
    branch: str


class Missioning:
    """Goals that a person has planned: a few tasks, some after others, some that may write the
    same, some that fail or do not fit. builders: agents, of whom each task has one."""

    def __init__(self, ground: Ground, builders: Sequence[str]) -> None:
        self._ground, self._builders = ground, builders
        self.begun = 0

    def wish(self, key: str, dice: random.Random) -> Wish:
        self.begun += 1
        bodies = [self._task(key, number, dice) for number in range(dice.randint(3, 5))]
        befores = [
            sorted(dice.sample(range(number), min(number, dice.choice((0, 0, 1, 2)))))
            for number in range(len(bodies))
        ]
        goal = {
            "workspace_id": self._ground.workspace,
            "goal": f"{key} of {len(bodies)}",
            "base_branch": self._ground.branch,
            "delivery": dice.choice(("auto", "approval")),
        }
        return Wish(
            "mission", "/missions", None, send=lambda: self._send(key, goal, bodies, befores)
        )

    def _send(
        self,
        key: str,
        goal: dict[str, Any],
        bodies: Sequence[dict[str, Any]],
        befores: Sequence[Sequence[int]],
    ) -> Any:
        """Each request has a key of its own: whatever was answered before is answered alike."""
        ask = self._ground.owners.ask
        mission = ask("POST", "/missions", goal, key=f"{key}-goal")
        here = f"/missions/{mission['id']}"
        ask("POST", f"{here}/pause", key=f"{key}-pause")
        made: list[str] = []
        for number, (body, before) in enumerate(zip(bodies, befores, strict=True)):
            waits = {"mission_id": mission["id"], "blocked_by": [made[one] for one in before]}
            done = ask("POST", "/tasks", {**body, **waits}, key=f"{key}-{number}")
            made.append(str(done["id"]))
        ask("POST", f"{here}/resume", key=f"{key}-resume")
        return mission

    def _task(self, key: str, number: int, dice: random.Random) -> dict[str, Any]:
        name, draw = f"{key}-{number}", dice.random()
        file = f"{name}.txt"
        area = [file] if draw < 0.55 else [f"{key}-*.txt"] if draw < 0.8 else []
        if draw < 0.15:
            file = f"{key}.txt"  # others' too, though it is not said
        return {
            "workspace_id": self._ground.workspace,
            "title": name,
            "description": f"@work {dice.uniform(0.05, 0.5):.2f} {_deed(file, dice)}",
            "assignee_agent_id": dice.choice(self._builders),
            "write_area": area,
            "optional": dice.random() < 0.2,
            "retry_budget": 1,
        }


def _deed(file: str, dice: random.Random) -> str:
    draw = dice.random()
    if draw < 0.05:
        return "fail"
    if draw < 0.09:
        return "exit 3"
    if draw < 0.16:
        return "nothing"
    return f"write {file}" + " escape" * (draw < 0.24)


@dataclass
class Bystander:
    """branches: what each mission's branch was, in the order in which it was looked. touched: what
    of the user's was seen to change; the branch that is delivered to is not among that."""

    repository: Path
    base: str
    branches: dict[str, list[str]] = field(default_factory=dict)
    touched: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """The user has begun something on a branch that no agent works for."""
        for name, text in MINE.items():
            (self.repository / name).write_text(text)
        git(self.repository, "add", "staged.txt")
        (self.repository / "README.md").write_text("# Mine\n")
        self._user = Repository(self.repository, self.repository.parent)
        self._before = self._user.seen()

    def glance(self) -> None:
        """At the branches alone, by reading git's files."""
        for ref, commit in self._user._refs().items():
            if ref.startswith(BRANCHES):
                seen = self.branches.setdefault(ref.removeprefix("refs/heads/"), [])
                if not seen or seen[-1] != commit:
                    seen.append(commit)

    def look(self) -> None:
        self.glance()
        now = self._user.seen()
        for name in ("trees", "refs", "logs", "own"):
            was, is_now = self._mine(name, self._before), self._mine(name, now)
            if was != is_now:
                changed = [one for one in {*was, *is_now} if was.get(one) != is_now.get(one)]
                self.touched.append(f"{name} of the user's: {sorted(changed)}")

    def _mine(self, name: str, seen: Seen) -> dict[str, Any]:
        theirs = ("heads/roundtable/m/", f"heads/{self.base}")
        return {
            one: value
            for one, value in getattr(seen, name).items()
            if not any(part in one for part in theirs)
        }

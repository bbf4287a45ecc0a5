"""What became of missions, held against git and what agents wrote down themselves: each task done
once or its failure said, each merge on the branch once, each mission over in one way."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import combinations
from pathlib import Path
from typing import Any

from kills.ledgers import Acked, Launches
from kills.reading import Rows
from kills.working import TRAILER, git

Row = Mapping[str, Any]
Spans = Mapping[str, Sequence[tuple[float, float]]]
TERMINAL = ("done", "failed", "cancelled")
OVER = ("completed", "blocked")
HAS = ("merged", "delivered")
"""A task's proposal whose change is on its mission's branch."""
TABLES = {
    "missions": "SELECT * FROM missions",
    "tasks": "SELECT * FROM tasks WHERE mission_id IS NOT NULL",
    "edges": "SELECT * FROM task_dependencies WHERE dependency_type = 'hard'",
    "runs": "SELECT * FROM runs WHERE task_id IS NOT NULL",
    "proposals": "SELECT * FROM proposals",
    "deliveries": "SELECT * FROM deliveries ORDER BY id",
    "offers": "SELECT * FROM mission_offers",
    "events": "SELECT * FROM events WHERE kind LIKE 'orchestrator.%' OR kind = 'mission.moved'"
    " OR kind = 'task.completed'",
    "items": "SELECT * FROM inbox_items",
}
_BASE = "%(trailers:key=Roundtable-Mission,valueonly,separator=%x2C)"


@dataclass
class Found:
    """undone: a task that is neither done once nor said to have failed, or was begun before what
    comes first, or beside what writes the same; undecided: a mission that is not over in one way;
    torn: a branch that was something else than before or after a merge; touched: the user's."""

    undone: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    merge_lost: list[str] = field(default_factory=list)
    merged_twice: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)

    @property
    def told(self) -> list[str]:
        every = [(one.name, getattr(self, one.name)) for one in fields(self)]
        return [f"{name}: {what}" for name, found in every for what in found]

    @property
    def counts(self) -> list[str]:
        return [f"{one.name:<14}{len(getattr(self, one.name)):>6}" for one in fields(self)]


@dataclass(frozen=True)
class Commit:
    """One of a mission's branch, of the run that its message names."""

    id: str
    parents: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """What the database says, by tables, and git. chains: of each mission's branch the commits
    since it began, oldest first; seen: what that branch was, each time that somebody looked;
    wrote: of each branch its files; delivered: how often the base branch tells of a mission."""

    missions: Sequence[Row]
    tasks: Sequence[Row]
    edges: Sequence[Row]
    runs: Sequence[Row]
    proposals: Sequence[Row]
    deliveries: Sequence[Row]
    offers: Sequence[Row]
    events: Sequence[Row]
    items: Sequence[Row]
    chains: Mapping[str, Sequence[Commit]]
    seen: Mapping[str, Sequence[str]]
    wrote: Mapping[str, Mapping[str, str]]
    delivered: Mapping[str, int]
    spans: Spans

    @classmethod
    def of(
        cls,
        home: Path,
        repository: Path,
        base: str,
        seen: Mapping[str, Sequence[str]],
        launches: Launches,
    ) -> "Asked":
        rows = Rows(home)
        told = {name: rows.all(sql) for name, sql in TABLES.items()}
        rows.close()
        branches = {str(one["integration_branch"]): one for one in told["missions"]}
        return cls(
            **told,
            chains={
                name: chain(repository, one["base_commit"], name)
                for name, one in branches.items()
                if one["opened_at"]
            },
            seen=seen,
            wrote={
                name: files(repository, name) for name, one in branches.items() if one["opened_at"]
            },
            delivered=Counter(git(repository, "log", f"--format={_BASE}", base).split()),
            spans=launches.spans(),
        )


def chain(repository: Path, begun_at: str, branch: str) -> list[Commit]:
    lines = git(
        repository, "log", "--reverse", f"--format=%H|%P|{TRAILER}", f"{begun_at}..{branch}"
    )
    parts = [line.split("|") for line in lines.splitlines()]
    return [Commit(one, tuple(of.split()), tuple(who.split(","))) for one, of, who in parts]


def files(repository: Path, branch: str) -> dict[str, str]:
    """Its texts by their names."""
    names = git(repository, "ls-tree", "-r", "--name-only", branch).split()
    return {one: git(repository, "show", f"{branch}:{one}").strip() for one in names}


def judge(told: Asked, acks: Sequence[Acked]) -> Found:
    """To be called when all is at rest."""
    found = Found()
    there = Counter(one["id"] for one in told.missions)
    for ack in acks:
        if ack.kind == "mission" and there[ack.task] != 1:
            found.undone.append(f"no mission {ack.key}")
    for mission in told.missions:
        mine = [one for one in told.tasks if one["mission_id"] == mission["id"]]
        work = [one for one in mine if one["id"] != mission["root_task_id"]]
        acked = any(ack.task == mission["id"] for ack in acks)
        _planned(found, mission, work, acked=acked)
        _over(found, told, mission, work)
        for task in work:
            _done(found, told, mission, task)
        if mission["opened_at"]:
            _branch(found, told, mission, work)
            _order(found, told, mission, work)
        _offered(found, told, mission)
    return found


def _name(mission: Row) -> str:
    return f"mission {mission['goal']!r} {mission['state']} {mission['outcome']}"


def _planned(found: Found, mission: Row, work: Sequence[Row], *, acked: bool) -> None:
    """Whatever was acknowledged is there once."""
    key, _, count = str(mission["goal"]).partition(" of ")
    titles = Counter(one["title"] for one in work if one["purpose"] == "work")
    wanted = [f"{key}-{number}" for number in range(int(count))]
    if acked:
        found.undone += [f"no task {one}" for one in wanted if not titles[one]]
    found.undone += [f"{n} tasks {one}" for one, n in titles.items() if n > 1]


def _over(found: Found, told: Asked, mission: Row, work: Sequence[Row]) -> None:
    """R-14 and A-36: in one way, told of once each time."""
    name = _name(mission)
    mine = [one for one in told.events if one["subject_id"] == mission["id"]]
    ends = [one["kind"] for one in mine if one["kind"].startswith("orchestrator.")]
    moves = [json.loads(one["data"]) for one in mine if one["kind"] == "mission.moved"]
    again = sum(one.get("from") in (*OVER, "stopped", "failed") for one in moves)
    if len(ends) != 1 + again or mission["state"] not in OVER:
        found.undecided.append(f"{ends}, opened again {again} times: {name}")
        return
    if ends[-1] != f"orchestrator.{mission['state']}":
        found.undecided.append(f"told of as {ends[-1]}: {name}")
    left = [one for one in work if one["status"] not in TERMINAL]
    if mission["state"] == "blocked":
        named = {one["task_id"] for one in json.loads(mission["report"]).get("blocked", ())}
        found.undecided += [f"nothing stands: {name}"] * (not left)
        found.undone += [
            f"{one['title']} {one['status']} is not said to stand: {name}"
            for one in left
            if one["id"] not in named
        ]
        return
    found.undecided += [f"{one['title']} {one['status']}: {name}" for one in left]
    if mission["outcome"] != _outcome(work):
        found.undecided.append(f"it should be {_outcome(work)}: {name}")


def _outcome(work: Sequence[Row]) -> str:
    failed = [one for one in work if one["status"] == "failed"]
    done = any(one["status"] == "done" for one in work)
    if not done or not all(one["optional"] for one in failed):
        return "failed"
    return "completed_with_failures" if failed else "completed"


def _done(found: Found, told: Asked, mission: Row, task: Row) -> None:
    name = f"{task['title']} {task['status']} of {_name(mission)}"
    ends = [one["kind"] for one in told.events if one["subject_id"] == task["id"]]
    if (task["status"] == "done") != (len(ends) == 1):
        found.undone.append(f"done {len(ends)} times: {name}")
    if task["status"] in ("blocked", "failed"):
        said = any(task["id"] in (one["subject_id"] or "") + one["data"] for one in told.items)
        said |= task["number"] in json.loads(mission["report"] or "{}").get("failed", ())
        found.undone += [f"nobody was told: {name}"] * (not said)
    file = _writes(task)
    if task["status"] != "done" or file is None or not mission["opened_at"]:
        return
    there = told.wrote[mission["integration_branch"]].get(file)
    writers = {one["id"] for one in told.tasks if _writes(one) == file}
    writers |= {one["id"] for one in told.tasks if one["about_task_id"] in writers}
    if there is None or not writers & {*there.split()}:
        found.merge_lost.append(f"{file} is {there!r}: {name}")


def _writes(task: Row) -> str | None:
    """What it was told to, unless it is a helper's, who sees to more."""
    words = str(task["description"]).split()
    if task["purpose"] != "work" or "write" not in words:
        return None
    return words[words.index("write") + 1]


def _branch(found: Found, told: Asked, mission: Row, work: Sequence[Row]) -> None:
    """Each merge is one commit on the one before, and nothing else is there."""
    branch, name = mission["integration_branch"], _name(mission)
    line = told.chains[branch]
    ours = {one["id"]: one for one in told.deliveries if one["branch"] == branch}
    merges = {
        one["new_commit"]: one
        for one in ours.values()
        if one["status"] == "delivered" and one["reason"] is None
    }
    at = {one["id"]: one for one in told.proposals}
    before = mission["base_commit"]
    for commit in line:
        merge = merges.pop(commit.id, None)
        run = None if merge is None else at[merge["proposal_id"]]["run_id"]
        if merge is None or merge["old_commit"] != before:
            found.torn.append(f"{commit} is no merge onto {before}: {name}")
        elif commit.parents != (before,) or commit.runs != (run,):
            found.torn.append(f"{commit} of run {run} onto {before}: {name}")
        before = commit.id
    found.merge_lost += [f"not on the branch: {one} of {name}" for one in merges]
    carried = Counter(run for commit in line for run in commit.runs)
    found.merged_twice += [f"{run} in {name}" for run, n in carried.items() if n > 1]
    ids = {one["id"] for one in work}
    for one in (one for one in told.proposals if one["task_id"] in ids):
        tries = [d for d in ours.values() if d["proposal_id"] == one["id"]]
        done = sum(d["status"] == "delivered" for d in tries)
        if done > 1:
            found.merged_twice.append(f"{done} times, proposal {one['id']} of {name}")
        if done != (one["status"] in HAS):
            found.merge_lost.append(f"{one['status']}, merged {done} times: {one['id']} of {name}")
    order = [mission["base_commit"], *(commit.id for commit in line)]
    places = [order.index(one) if one in order else -1 for one in told.seen.get(branch, ())]
    if -1 in places or places != sorted(places):
        found.torn.append(f"it was at {places} of its commits in turn: {name}")


def _order(found: Found, told: Asked, mission: Row, work: Sequence[Row]) -> None:
    """Each run began at the branch with all that comes first, and beside nothing that may write
    the same, by what the agents wrote down themselves."""
    branch, name = mission["integration_branch"], _name(mission)
    order = [mission["base_commit"], *(one.id for one in told.chains[branch])]
    of_run = {run: n for n, one in enumerate(told.chains[branch], 1) for run in one.runs}
    runs: dict[str, list[Row]] = {one["id"]: [] for one in work}
    for run in told.runs:
        if run["task_id"] in runs:
            runs[run["task_id"]].append(run)
    for edge in told.edges:
        first = [of_run.get(run["id"], 0) for run in runs.get(edge["depends_on_task_id"], ())]
        for run in runs.get(edge["task_id"], ()):
            begun = run["base_commit"]  # none of what was lost before it had its copy
            if begun is not None and begun not in order[max(first, default=0) :]:
                found.undone.append(f"run {run['id']} began before what comes first: {name}")
    shared = [one for one in work if "*" in one["write_area"]]
    for one, other in combinations(shared, 2):
        spans = [told.spans.get(run["id"], ()) for of in (one, other) for run in runs[of["id"]]]
        mine, theirs = spans[: len(runs[one["id"]])], spans[len(runs[one["id"]]) :]
        for a, b in ((a, b) for x in mine for a in x for y in theirs for b in y):
            if max(a[0], b[0]) < min(a[1], b[1]):
                found.undone.append(f"{one['title']} beside {other['title']}: {name}")


def _offered(found: Found, told: Asked, mission: Row) -> None:
    """A mission that is completed was offered once, and is on its base branch as often as said."""
    name = _name(mission)
    mine = [one for one in told.offers if one["mission_id"] == mission["id"]]
    ended = [
        one["kind"]
        for one in told.events
        if one["subject_id"] == mission["id"] and one["kind"] == "orchestrator.completed"
    ]
    if len(mine) != len(ended) or any(one["status"] == "intended" for one in mine):
        found.merge_lost.append(f"offered {[one['status'] for one in mine]}: {name}")
    made = {one["proposal_id"] for one in mine}
    status = [one["status"] for one in told.proposals if one["id"] in made]
    there, said = told.delivered.get(mission["id"], 0), status.count("delivered")
    if there != said:
        which = found.merge_lost if there < said else found.merged_twice
        which.append(f"on its base branch {there} times, {status}: {name}")
    waits = mission["delivery"] == "auto" and "pending" in status
    found.merge_lost += [f"{status}, and nobody delivers it: {name}"] * waits

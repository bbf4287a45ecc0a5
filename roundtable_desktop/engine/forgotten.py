"""Runs and working copies of a time that the database does not know of, after a restore."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from roundtable_desktop.engine.calling_off import end_tree
from roundtable_desktop.engine.places import place_of
from roundtable_desktop.engine.putting_away import BEFORE, put_away
from roundtable_desktop.engine.retention import OF_AGENT
from roundtable_desktop.model.copies import task_of_copy
from roundtable_desktop.model.ports import Launcher, SpoolState
from roundtable_desktop.model.records import Run, Workspace
from roundtable_desktop.store import checkups, restored, runs, workspaces
from roundtable_desktop.store.db import View

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Runners:
    """launcher: reaches those that live. works_in: the folder of a run's agent, by what it was
    launched with. marked: living processes by run. folder: one below it for each run."""

    launcher: Launcher
    works_in: Callable[[str], str | None]
    marked: Callable[[], Mapping[str, Sequence[int]]]
    folder: Path

    def unknown(self, view: View, after: str = "") -> list[str]:
        """after: an id; only those that come after it."""
        found = (one for one in self.folder.glob("*") if one.name > after)
        names = sorted(one.name for one in found if one.is_dir())
        return [run for run in names if not checkups.knows_run(view, run)]

    def lives(self, run: str) -> bool:
        return self.launcher.state(run) is SpoolState.LOCKED


def end_all(runners: Runners, unknown: Sequence[str]) -> dict[str, Sequence[int]]:
    """Nothing knows of them, so their tasks would be given to a second agent beside them. What they
    wrote stays. By run, the processes that are left all the same."""
    marked = runners.marked() if unknown else {}
    alive = [run for run in unknown if run in marked or runners.lives(run)]
    if not alive:
        return {}
    with ThreadPoolExecutor(min(len(alive), _AT_ONCE)) as pool:
        left = pool.map(lambda run: end_tree(runners.launcher, run), alive)
        return dict(zip(alive, left, strict=True))


def unexplained(view: View, copies: Path, runners: Runners, unknown: Collection[str]) -> list[Path]:
    """Copies that may hold work of that time, or an older state than they seem to: all but those
    in which the last that worked is a run that is known. In doubt it is one of them."""
    places = [runners.works_in(run) for run in unknown]
    since = {Path(place).parts[-2:] for place in places if place}  # a home may lie elsewhere now
    numbers = restored.numbers(view)
    at_work = {
        _folder(view, copies, workspace, run)
        for run in runs.live(view)
        if runners.lives(run.id) and (workspace := workspaces.get(view, run.workspace_id))
    }
    found = []
    for number, folder in copies_in(copies):
        workspace = workspaces.get(view, numbers[number]) if number in numbers else None
        known = workspace is not None and _known(view, copies, workspace, folder)
        touched = folder.parts[-2:] in since or None in places
        if folder not in at_work and (touched or not known):
            found.append(folder)
    return found


def _known(view: View, copies: Path, workspace: Workspace, folder: Path) -> bool:
    """A run began there, and its row says at which commit."""
    if task := task_of_copy(folder.name):
        earlier = checkups.runs_of_task(view, workspace.id, task[0])
        begun = [run for run in earlier if run.base_commit]
        return any(_folder(view, copies, workspace, run) == folder for run in begun)
    agent = OF_AGENT.fullmatch(folder.name)
    nth = int(folder.name.removeprefix(f"a-{agent[1]}").lstrip("-") or 1) if agent else 0
    return agent is not None and checkups.began_in_own_copy(view, agent[1], nth)


def _folder(view: View, copies: Path, workspace: Workspace, run: Run) -> Path:
    return place_of(view, copies, workspace, run).folder


def copies_in(copies: Path) -> Iterator[tuple[int, Path]]:
    """(number of the workspace, folder), of those that a run would be put into."""
    for folder in sorted(copies.glob("*/*")):
        named = task_of_copy(folder.name) or OF_AGENT.fullmatch(folder.name)
        if named and folder.parent.name.isdecimal() and folder.is_dir() and not folder.is_symlink():
            yield int(folder.parent.name), folder


def put_all_away(copies: Path, found: Sequence[Path], stamp: str) -> list[Path]:
    """Those of a start that was broken off meanwhile too."""
    for folder in found:
        put_away(folder, stamp)
    return sorted(copies.glob(f"*/*{BEFORE}{stamp}*"))


def highest_tasks(copies: Path) -> Iterator[tuple[int, int]]:
    """(number of the workspace, highest number of a task with a folder there)."""
    for folder in copies.glob("*"):
        if folder.name.isdecimal() and folder.is_dir():
            names = [one.name.partition(BEFORE)[0] for one in folder.iterdir()]
            tasks = [task for name in names if (task := task_of_copy(name))]
            yield int(folder.name), max((number for number, _ in tasks), default=0)

"""What practice mode says while its story goes on, and how it is checked when it is over."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import click

from roundtable_desktop.cli.client import Answer, Client
from roundtable_desktop.cli.output import plain
from roundtable_desktop.demo import story
from roundtable_desktop.phrases import _

TELLS = frozenset(
    {
        *("mission.created", "mission.opened", "mission.wave", "orchestrator.completed"),
        *("orchestrator.blocked", "task.created", "task.started", "task.completed"),
        *("attempt.decided", "verdict.cast", "workspace.merge.conflicted"),
        *("workspace.merge.completed", "routine.fired", "routine.firing.ended", "run.ended"),
        "check.ended",
    }
)
"""Kinds of events that a person is told of; of runs only those that did not do well."""
_WELL = ("done", "no_changes")
_APART = ("same_area", "serialized")
_RUN, _MISSION = "Roundtable-Run: ", "Roundtable-Mission: "
MAIN = "main"


class Failed(click.ClickException):
    """The story did not come to its end (exit 1)."""


class Sample(Protocol):
    """What is asked of git in the end."""

    def messages(self, folder: Path, branch: str) -> list[str]: ...

    def text_of(self, folder: Path, branch: str, path: str) -> str | None: ...

    def changed(self, folder: Path) -> list[str]: ...


class Told:
    """Tells the feed in the terminal, each thing once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._began = time.monotonic()
        self._after = 0
        self._path = ""
        self._apart: set[str] = set()

    def of(self, mission: Answer) -> None:
        """Waves are its waves."""
        self._path = f"/missions/{mission['id']}"

    def more(self) -> None:
        """What is new since the last time."""
        while True:
            page = self._client.get("/events", after=self._after, limit=200)["items"]
            if not page:
                return
            told = self._client.get("/events/told", after=self._after, limit=200)["items"]
            sentences = {one["id"]: one["sentence"] for one in told}
            for event in page:
                self._tell(event, str(sentences.get(event["id"], "")))
            self._after = page[-1]["id"]

    def _tell(self, event: Answer, sentence: str) -> None:
        kind, data = event["kind"], event["data"]
        if kind not in TELLS or (kind == "run.ended" and data.get("outcome") in _WELL):
            return
        if kind == "mission.wave":
            return self._wave(data["wave"])
        if kind == "attempt.decided":
            return self._decided(event["subject_id"], data["number"])
        return self._say(sentence)

    def _decided(self, task_id: str, number: int) -> None:
        """How a task goes on after an attempt that failed, and why."""
        gates = self._client.get(f"/tasks/{task_id}/explain")["gates"]
        said = [one["sentence"] for one in gates if one["gate"] == "decided"]
        self._say(f"T-{number}: {said[-1] if said else ''}")

    def _wave(self, number: int) -> None:
        """The tasks that it sets off, and those that wait because of what they would write."""
        seen = self._client.get(self._path)
        names = {task["id"]: f"T-{task['number']} {task['title']}" for task in seen["tasks"]}
        for wave in seen["waves"]:
            if wave["number"] != number:
                continue
            begun = ", ".join(names.get(one, one) for one in wave["plan"]["runnable_task_ids"])
            self._say(_("Wave {number} begins: {tasks}.").format(number=number, tasks=begun))
            for why in wave["reasons"]:
                if why["code"] in _APART and why["task_id"] not in self._apart:
                    self._apart.add(why["task_id"])
                    self._say(f"{names.get(why['task_id'], '')}: {why['sentence']}")

    def _say(self, sentence: str) -> None:
        seconds = time.monotonic() - self._began
        click.echo(plain(f"{seconds:5.1f} s  {sentence}"))


class Witness:
    """Compares what the story promises with the runs and with git itself."""

    def __init__(self, client: Client, mission: Answer, firing: Answer) -> None:
        self._mission, self._firing = mission, firing
        self._tasks: Mapping[str, Answer] = {one["title"]: one for one in mission["tasks"]}
        self._runs = {
            title: [client.get(f"/runs/{run['id']}") for run in _attempts(client, task)]
            for title, task in self._tasks.items()
        }
        self._offers = {
            title: list(client.every("/proposals", task_id=task["id"]))
            for title, task in self._tasks.items()
        }
        (offered,) = client.every("/proposals", task_id=mission["root_task_id"])
        self._offered = client.get(f"/proposals/{offered['id']}")

    def verify(self, git: Sample, repository: Path, own: Sequence[str]) -> list[str]:
        """What is so, a line for each thing. Raises Failed with what is not."""
        looked = [
            (self._together, _("Three tasks were at work at the same time.")),
            (self._apart, _("Two tasks that write the same file were not.")),
            (self._conflict, _("A conflict was settled by a repair.")),
            (self._other_model, _("A model was not there, and another one did the work.")),
            (self._again, _("A task failed and was tried again.")),
            (self._revised, _("A reviewer asked for a change, and got it.")),
            (self._checked, _("A command checked all of it before it was delivered.")),
            (self._fired, _("A routine fired, and its agent ran.")),
            (lambda: self._done(), _("The mission is completed.")),
            (lambda: _files(git, repository), _("All of its work is on main, as it should be.")),
            (lambda: self._history(git, repository), _("Each commit says which run made it.")),
            (lambda: _untouched(git, repository, own), _("Your own changes are as they were.")),
        ]
        found = list(_wrong(looked))
        if found:
            lead = _("The story did not come out as promised. This is not so:")
            raise Failed(plain("\n".join([lead, *found])))
        return [said for _check, said in looked]

    def _together(self) -> bool:
        """Some run of each at one instant; RFC 3339 in UTC compares as text."""
        spans = [self._runs.get(title, []) for title in story.TOGETHER]
        starts = [run["started_at"] for runs in spans for run in runs if run["started_at"]]
        return any(all(any(_at(run, at) for run in runs) for runs in spans) for at in starts)

    def _apart(self) -> bool:
        first, second = (self._runs.get(title, []) for title in story.APART)
        return bool(first and second) and not any(
            _at(run, other["started_at"]) or _at(other, run["started_at"])
            for run in first
            for other in second
        )

    def _conflict(self) -> bool:
        clashed = any(
            one["status"] == "conflicted" for offers in self._offers.values() for one in offers
        )
        repairs = [one for one in self._tasks.values() if one["purpose"] == "repair"]
        return clashed and bool(repairs) and all(one["status"] == "done" for one in repairs)

    def _other_model(self) -> bool:
        runs = self._runs.get(story.LICENCE, [])
        kinds = [(run["error"] or {}).get("kind") for run in runs]
        return kinds == ["model_unavailable", None] and runs[1]["model"] == story.OTHER_MODEL

    def _again(self) -> bool:
        return [run["outcome"] for run in self._runs.get(story.TEAS, [])] == ["task_failed", "done"]

    def _revised(self) -> bool:
        words = [one["status"] for one in self._offers.get(story.USAGE, [])]
        return words == ["delivered", "revision_requested"]

    def _checked(self) -> bool:
        return [one["status"] for one in self._offered["checks"]] == ["passed"]

    def _fired(self) -> bool:
        return bool(self._firing["status"] == "done" and self._firing["run_id"])

    def _done(self) -> bool:
        statuses = {one["status"] for one in self._tasks.values()}
        return self._mission["outcome"] == "completed" and statuses == {"done"}

    def _history(self, git: Sample, repository: Path) -> bool:
        """Every task's work, by a run, and the mission that brought it."""
        messages = git.messages(repository, MAIN)
        theirs = [one for one in messages if one.startswith("T-") and _RUN in one]
        named = all(any(title in one.partition("\n")[0] for one in theirs) for title in self._tasks)
        return named and any(f"{_MISSION}{self._mission['id']}" in one for one in messages)


def _attempts(client: Client, task: Answer) -> list[Answer]:
    """Oldest first."""
    runs: list[Answer] = client.get(f"/tasks/{task['id']}/attempts")["items"]
    return sorted(runs, key=lambda run: int(run["attempt_index"]))


def _at(run: Answer, instant: str | None) -> bool:
    """Whether it was at work then."""
    if not (run["started_at"] and run["ended_at"] and instant):
        return False
    return bool(run["started_at"] <= instant < run["ended_at"])


def _wrong(looked: Sequence[tuple[Callable[[], bool], str]]) -> Iterator[str]:
    for check, said in looked:
        if not check():
            yield said


def _files(git: Sample, repository: Path) -> bool:
    whole = all(
        git.text_of(repository, MAIN, path) == text for path, text in story.CONTENTS.items()
    )
    return whole and all(
        set(lines) <= set((git.text_of(repository, MAIN, path) or "").splitlines())
        for path, lines in story.LINES.items()
    )


def _untouched(git: Sample, repository: Path, own: Sequence[str]) -> bool:
    """What the person had changed and not committed; and nothing else is changed there."""
    same = all(
        (repository / name).read_text(encoding="utf-8") == text for name, text in story.OWN.items()
    )
    return same and list(own) == git.changed(repository)

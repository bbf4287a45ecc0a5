"""What `roundtable run` shows of its mission: a table that stays in its place on a terminal, else a
line for each change."""

import shutil
from typing import Protocol

import click

from roundtable_desktop.cli.client import Answer
from roundtable_desktop.cli.output import cell, plain
from roundtable_desktop.phrases import _, n_
from roundtable_desktop.phrases.codes import spelled

MOST = 20
"""Tasks that are shown at once; the others are counted."""


class View(Protocol):
    def show(self, seen: Answer) -> None: ...


def head(seen: Answer) -> str:
    """How it stands, in one line."""
    counts: dict[str, int] = seen["counts"]
    total, done = sum(counts.values()), counts.get("done", 0)
    tasks = n_("of {count} task done", "of {count} tasks done", total)
    live = n_("{count} run at work", "{count} runs at work", len(seen["runs"]))
    waves = n_("{count} wave", "{count} waves", seen["waves"])
    return plain(
        _("{state} ({phase}): {tasks}, {live}, {waves}").format(
            state=spelled(seen["state"]),
            phase=seen["phase"].lower().replace("_", " "),
            tasks=f"{done} {tasks}",
            live=live,
            waves=waves,
        )
    )


def at_work(seen: Answer) -> list[str]:
    """Who works on what."""
    return [
        plain(f"{one['agent']}: T-{one['task']}" if one["task"] else str(one["agent"]))
        for one in seen["runs"]
    ]


class Lines:
    """For a pipe: what has changed, each in a line, and nothing twice."""

    def __init__(self) -> None:
        self._head, self._sentence = "", ""
        self._working: set[str] = set()
        self._tasks: dict[str, str] = {}

    def show(self, seen: Answer) -> None:
        if (now := head(seen)) != self._head:
            self._head = now
            click.echo(now)
        if (said := seen["sentence"]) != self._sentence and not seen["over"]:
            self._sentence = said
            click.echo(plain(said))
        working = set(at_work(seen))
        for one in sorted(working - self._working):
            click.echo(_("At work: {who}").format(who=one))
        self._working = working
        for task in seen["tasks"]:
            now = f"T-{task['number']} {task['status']}: {task['sentence']}"
            if self._tasks.get(task["id"]) != now:
                self._tasks[task["id"]] = now
                click.echo(plain(now))


class Live:
    """For a terminal: drawn anew where it stood. Only rows that fit in it are shown."""

    def __init__(self) -> None:
        self._shown: list[str] = []

    def show(self, seen: Answer) -> None:
        width, height = _size()
        lines = [
            cell(seen["goal"], width),
            head(seen),
            *([] if seen["over"] else [seen["sentence"]]),
        ]
        lines += [_("At work: {who}").format(who=one) for one in at_work(seen)]
        room = max(height - len(lines) - 2, 0)
        waiting = seen["tasks"][: min(MOST, room)]
        lines += [f"T-{one['number']}  {one['status']}  {one['sentence']}" for one in waiting]
        if (more := len(seen["tasks"]) - len(waiting)) > 0:
            lines.append(n_("and {count} more", "and {count} more", more))
        drawn = [cell(line, max(width - 1, 10)) for line in lines[: max(height - 1, 1)]]
        if drawn == self._shown:
            return
        if self._shown:
            click.echo(f"\x1b[{len(self._shown)}A\x1b[J", nl=False, color=True)
        click.echo("\n".join(drawn))
        self._shown = drawn


def _size() -> tuple[int, int]:
    found = shutil.get_terminal_size()
    return found.columns, found.lines

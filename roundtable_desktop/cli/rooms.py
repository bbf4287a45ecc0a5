"""Which room has which command. A room is loaded when one of its commands is asked for, so that
a command of one line does not wait for all the others."""

import importlib
from collections.abc import Iterator, Mapping

import click

from roundtable_desktop.cli import examples, placed

ROOM_OF = {
    "agenda": "agenda",
    "agent": "agents",
    "approval": "approvals",
    "backup": "keeping",
    "budget": "budgets",
    "completion": "completion",
    "cron": "cron",
    "demo": "demo",
    "doctor": "doctor",
    "explain": "owner",
    "export": "bundles",
    "force-stop": "control",
    "import": "bundles",
    "inbox": "inbox",
    "init": "workspaces",
    "leave": "control",
    "mcp": "mcp",
    "memory": "memories",
    "mission": "missions",
    "open": "owner",
    "parse-limit": "limits",
    "pause": "control",
    "proposal": "proposals",
    "restore": "keeping",
    "resume": "control",
    "routine": "routines",
    "run": "run",
    "runs": "runs",
    "settings": "settings",
    "simulate": "simulate",
    "start": "owner",
    "status": "owner",
    "stop": "control",
    "task": "tasks",
    "usage": "usage",
    "wakeup": "runs",
    "watch": "events",
    "workspace": "workspaces",
}


class Rooms(Mapping[str, click.Command]):
    """The commands by their first word, each with its example; to list the words loads none."""

    def __init__(self) -> None:
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            room = importlib.import_module(f"roundtable_desktop.cli.{ROOM_OF[name]}")
            for command in room.COMMANDS:
                examples.attach(command.name, command)
                placed.attach(command)
                self._loaded[command.name] = command
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(ROOM_OF)

    def __len__(self) -> int:
        return len(ROOM_OF)

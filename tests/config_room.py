"""A workspace whose repository has a `.roundtable/config.yaml`, and a person who looks at it."""

import json
from pathlib import Path
from typing import Any

from engine_stage import ASKED
from ground import Ground

from roundtable_desktop.adapters.reviewed.config import RepositoryConfig
from roundtable_desktop.dashboard.api.config import read
from roundtable_desktop.engine.config_watch import ConfigWatch
from roundtable_desktop.engine.desk import Asked, Desk, config
from roundtable_desktop.model.config import Seen
from roundtable_desktop.model.records import Agent, InboxItem, Subject, Workspace
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import agents as agent_rows
from roundtable_desktop.store import inbox as items
from roundtable_desktop.store import routines as routine_rows
from roundtable_desktop.store import workspaces

SECRET = "a-value-that-nobody-may-see"
POOL = """\
version: 1
workspace: {delivery: auto, timezone: Europe/Berlin}
agents:
  - {id: writer, count: %d, role: worker, adapter: command, command: [sh, -c, "exit 0"]}
  - {id: chair, name: Chair, role: specialist, adapter: demo, cooldown_sec: 3}
routines:
  - name: Morning
    agent: chair
    description: Look at {{date}}.
    triggers: [{cron_expression: 0 6 * * *}]
"""


class Room:
    """A workspace with a file, and a person who looks at it."""

    def __init__(self, ground: Ground, root: Path, desk: Desk, workspace_id: str) -> None:
        self.ground, self.desk, self.id = ground, desk, workspace_id
        self.file = root / ".roundtable" / "config.yaml"

    @property
    def workspace(self) -> Workspace:
        with self.ground.reader.snapshot() as view:
            found = workspaces.get(view, self.id)
        assert found is not None
        return found

    def put(self, text: str) -> None:
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(text)

    def look(self, text: str | None = None) -> Seen:
        if text is not None:
            self.put(text)
        return config.look(self.desk, self.workspace)

    def accept(self, text: str | None = None, asked: Asked = ASKED) -> Seen:
        seen = self.look(text)
        assert seen.sha is not None
        return config.accept(self.desk, asked, self.workspace, seen.sha)

    def items(self) -> list[InboxItem]:
        """Those that are open."""
        with self.ground.reader.snapshot() as view:
            return items.open_about(view, Subject("workspace", self.id))

    @property
    def item(self) -> InboxItem:
        [found] = self.items()
        return found

    def said(self) -> str:
        return sentence(self.item.code, dict(self.item.data))

    def agents(self) -> dict[str, Agent]:
        with self.ground.reader.snapshot() as view:
            return {one.name: one for one in agent_rows.every(view, self.id)}

    def routine(self, name: str = "Morning") -> Any:
        with self.ground.reader.snapshot() as view:
            return routine_rows.named(view, self.id, name)

    def everything(self) -> str:
        tables = "agents workspaces office_routines office_routine_triggers"
        return json.dumps({one: self.ground.rows(one) for one in tables.split()}, default=str)


def watch(ground: Ground, git: Any = None) -> ConfigWatch:
    """git: for files that name a branch."""
    files, secrets = RepositoryConfig(0o022), lambda: {SECRET}
    return ConfigWatch(ground.store, ground.reader, files, ground.ids, read, secrets, git)

"""What a person says of a repository's `.roundtable/config.yaml`, and what accepting it does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from roundtable_desktop.engine import coming_back, config_watch, troubles
from roundtable_desktop.engine.config_watch import NO_BRANCH
from roundtable_desktop.engine.desk import (
    Asked,
    Desk,
    agents,
    done_before,
    remember,
    routines,
)
from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.engine.desk.triggers import Wanted as Trigger
from roundtable_desktop.engine.desk.triggers import webhooks_of
from roundtable_desktop.model.config import PATH, Change, Consent, Found, Seen, Wanted
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import InboxItem, Subject, Workspace
from roundtable_desktop.model.routines import Template, Variable
from roundtable_desktop.model.states import (
    Adapter,
    AgentStatus,
    CatchUpPolicy,
    ConcurrencyPolicy,
    DeliveryMode,
    PermissionPolicy,
    Probe,
    Role,
    RoutineStatus,
    TriggerKind,
    VariableType,
)
from roundtable_desktop.rules.config import TEMPLATE, Standing, due
from roundtable_desktop.store import agents as agent_rows
from roundtable_desktop.store import config as rows
from roundtable_desktop.store import inbox, journal, workspaces
from roundtable_desktop.store.db import Tx

_CODES: Mapping[str, Callable[[Any], Any]] = {
    "role": Role,
    "adapter": Adapter,
    "permission_policy": PermissionPolicy,
    "delivery": DeliveryMode,
    "concurrency_policy": ConcurrencyPolicy,
    "catch_up_policy": CatchUpPolicy,
    "probe": Probe,
}
MOST_TOLD = 50
"""Changes that the event names."""
_NOT_SET = ("account", "skip_idle_wakeups")
"""Where null is the same as not naming it."""


def seen(desk: Desk, workspace: Workspace) -> Seen:
    """As the file is now; nothing is asked and nothing changed."""
    return desk.config.seen(workspace, desk.config.files.read(workspace.path))


def look(desk: Desk, workspace: Workspace) -> Seen:
    """The same, and an item asks about it if it is new, or ends if it is not any more."""
    desk.config.look(workspace.id, closely=True)
    return seen(desk, workspace)


def write(desk: Desk, asked: Asked, workspace: Workspace) -> tuple[Seen, bool]:
    """Where there is no file, one is written that changes nothing, or, if one was accepted before,
    that one; whoever has it written accepts it. Whether it was written now. What stands there
    already is never touched."""
    with desk.store.transaction() as tx:
        before = rows.consent(tx, workspace.id)
    text = TEMPLATE if before.accepted is None else before.text
    sha = sha256(text.encode()).hexdigest()
    ours = before.accepted in (None, sha)
    if not ours or not desk.config.files.create(workspace.path, text):
        return look(desk, workspace), False
    with desk.store.transaction() as tx:
        said = rows.consent(tx, workspace.id)
        if said.accepted == before.accepted:
            now = replace(said, accepted=sha, text=text, kept=None, at=tx.now)
            _say(tx, asked, workspace, now, Kind.CONFIG_WRITTEN, {"sha": sha})
    return look(desk, workspace), True


def keep(desk: Desk, asked: Asked, workspace: Workspace, sha: str) -> Seen:
    """What was accepted before still holds, and nobody asks about this content again."""
    with desk.store.transaction() as tx:
        repeated = done_before(tx, asked) is not None
    if not repeated:
        found = _as_shown(desk, workspace, sha)
        with desk.store.transaction() as tx:
            said = rows.consent(tx, workspace.id)
            if said.accepted == found.sha:
                raise Conflict("config_accepted_already")
            _say(tx, asked, workspace, replace(said, kept=sha), Kind.CONFIG_KEPT, {"sha": sha})
    return seen(desk, workspace)


def accept(desk: Desk, asked: Asked, workspace: Workspace, sha: str) -> Seen:
    """All that this content asks for, in one decision; sha: of what the person was shown. Raises
    Conflict where another content stands there now, and for one that cannot be accepted."""
    with desk.store.transaction() as tx:
        repeated = done_before(tx, asked) is not None
    if not repeated:
        found = _as_shown(desk, workspace, sha)
        _check_branch(desk, workspace, found)
        with desk.store.transaction() as tx:
            _accept(tx, desk, asked, workspace.id, found)
        desk.launcher.fence()
    return seen(desk, workspace)


def answer(desk: Desk, asked: Asked, item: InboxItem, action: str) -> InboxItem:
    """To the item that asks about the content that it shows."""
    with desk.store.transaction() as tx:
        workspace = workspaces.get(tx, item.workspace_id)
    assert workspace is not None, "foreign keys hold"
    act = accept if action == config_watch.ACCEPT else keep
    act(desk, asked, workspace, str(item.data["sha"]))
    with desk.store.transaction() as tx:
        answered = inbox.get(tx, item.id)
    assert answered is not None
    return answered


def _as_shown(desk: Desk, workspace: Workspace, sha: str) -> Found:
    found = desk.config.files.read(workspace.path)
    if found is None or found.sha != sha:
        desk.config.look(workspace.id)  # the item that was answered shows what is gone
        raise Conflict("config_gone" if found is None else "config_is_another", path=PATH)
    return found


def _check_branch(desk: Desk, workspace: Workspace, found: Found) -> None:
    """Here, for no transaction waits for git; other faults are said below."""
    others = [one for one in desk.config.seen(workspace, found).faults if one.code != NO_BRANCH]
    if found.fault is not None or others:
        return
    if (fault := desk.config.no_branch(workspace, found)) is not None:
        raise Invalid(fault.code, fault.pointer, **fault.values)


def _accept(tx: Tx, desk: Desk, asked: Asked, workspace_id: str, found: Found) -> None:
    workspace = workspaces.get(tx, workspace_id)
    if workspace is None:
        raise Absent("unknown_workspace")
    said = rows.consent(tx, workspace_id)
    standing = config_watch.stands(tx, workspace, said)
    judged = desk.config.judged(found, said, standing)
    if judged.faults:
        first = judged.faults[0]
        why = {"code": first.code, **first.values}
        code = "config_broken" if first.line else "config_unusable"
        raise Conflict(code, path=PATH, line=first.line, why=why)
    wanted = desk.config.wanted(found)
    doing = _Doing(tx, desk, Asked(asked.actor), standing, said)
    for change in judged.changes:
        doing.do(change)
    names = {one["name"] for one in wanted.get("routines", ())}
    now = Consent(
        accepted=found.sha,
        text=judged.text,
        at=tx.now,
        agents=doing.agents,
        resting=doing.resting,
        routines={name: one for name, one in doing.routines.items() if name in names},
        checks=[dict(one) for one in wanted.get("checks", ())],
    )
    did = [f"{one.what} {one.did}: {one.name}" for one in judged.changes[:MOST_TOLD]]
    _say(tx, asked, workspace, now, Kind.CONFIG_ACCEPTED, {"sha": found.sha, "did": did})
    tx.nudge("queue")


def _say(
    tx: Tx, asked: Asked, workspace: Workspace, said: Consent, kind: Kind, data: dict[str, object]
) -> None:
    rows.put(tx, asked.actor, workspace.id, said)
    subject = Subject("workspace", workspace.id)
    journal.tell(tx, kind, subject, workspace_id=workspace.id, actor=asked.actor, data=data)
    if (item := config_watch.asked(tx, workspace.id)) is not None:
        taken = {Kind.CONFIG_ACCEPTED: config_watch.ACCEPT, Kind.CONFIG_KEPT: config_watch.KEEP}
        option = taken.get(kind)
        resolution = {"by": "person", "option": option} if option else {"by": "cause"}
        inbox.resolve(tx, item, resolution, asked.actor)
    remember(tx, asked, subject)


@dataclass
class _Doing:
    """Does the changes one after the other, and knows by then what belongs to the file."""

    tx: Tx
    desk: Desk
    by: Asked
    standing: Standing
    said: Consent

    def __post_init__(self) -> None:
        self.agents = dict(self.said.agents)
        self.resting = dict(self.said.resting)
        self.routines = dict(self.said.routines)
        self.workspace = self.standing.workspace

    def do(self, change: Change) -> None:
        if change.what == "check":
            return  # they are of the file alone, and kept with its consent
        act: Callable[[Change], None] = getattr(self, f"_{change.what}_{change.did}")
        act(change)

    def _workspace_changed(self, change: Change) -> None:
        values = _coded(change.values)
        self.workspace = workspaces.change(self.tx, self.workspace, self.by.actor, **values)

    def _agent_added(self, change: Change) -> None:
        words = {"role": "worker", "command": [], **_set(change.values)}
        agent_id = self.desk.ids.new()
        place = self.workspace.id
        agents.add_now(self.tx, self.desk, self.by, agent_id, place, _coded(words))
        self.agents[change.key] = agent_id

    def _agent_changed(self, change: Change) -> None:
        agent = agent_rows.get(self.tx, self.agents[change.key])
        assert agent is not None, "agents are never deleted"
        agents.change_now(self.tx, self.by, agent, _coded(_set(change.values)))

    def _agent_retired(self, change: Change) -> None:
        """What it works on goes on to its end, and what it did stays."""
        agent = self.standing.agents[change.key]
        reason = agent.paused_reason
        self.resting[change.key] = {"status": str(agent.status), "paused_reason": reason}
        to = AgentStatus.RETIRED
        agent_rows.move(self.tx, agent, to, self.by.actor, paused_reason=None)
        troubles.gone(self.tx, agent.id)

    def _agent_returned(self, change: Change) -> None:
        """As it stood: one that a person paused or stopped before stays so (W-14)."""
        was = self.resting.pop(change.key)
        agent, by = self.standing.agents[change.key], self.by.actor
        agent_rows.move(self.tx, agent, AgentStatus.ACTIVE, by, paused_reason=None)
        stood = AgentStatus(str(was["status"]))
        now = agent_rows.get(self.tx, agent.id)
        if now is not None and stood is not AgentStatus.ACTIVE:
            agent_rows.move(self.tx, now, stood, by, paused_reason=was["paused_reason"])
        elif now is not None:
            coming_back.of_agent(self.tx, self.desk.ids, now, self.by.actor)

    def _routine_added(self, change: Change) -> None:
        words = _recurring(change.values)
        who, triggers = self._agent(change), self._triggers(change, ())
        wanted = NewRoutine(
            workspace_id=self.workspace.id,
            name=change.name,
            assignee_agent_id=who,
            triggers=triggers,
            **words,
        )
        self.routines[change.key] = routines.create_now(self.tx, self.desk, self.by, wanted).id

    def _routine_changed(self, change: Change) -> None:
        routine, there = self.standing.routines[change.key]
        words, triggers = _recurring(change.values), None
        if "agent" in change.values:
            words["assignee_agent_id"] = self._agent(change)
        if "triggers" in change.values:
            triggers = self._triggers(change, there)
        routines.edit_now(self.tx, self.desk, self.by, routine.id, None, triggers, words)

    def _routine_archived(self, change: Change) -> None:
        routine, _ = self.standing.routines[change.key]
        over = RoutineStatus.ARCHIVED
        routines.edit_now(self.tx, self.desk, self.by, routine.id, over, None, {})

    def _agent(self, change: Change) -> str:
        key = str(change.values["agent"])
        return self.agents.get(key) or self.standing.others[key]

    def _triggers(self, change: Change, there: Any) -> list[Trigger]:
        """Those that are there keep when they fire next, and whether a person has turned them
        off; webhooks are none of a file's business."""
        zone = self.workspace.timezone
        known = {
            (one.cron_expression, one.timezone): one.id
            for one in there
            if one.kind is TriggerKind.SCHEDULE
        }
        wanted = [due(one, zone) for one in change.values.get("triggers", ())]
        due_then = [
            Trigger(None, known[one]) if one in known else Trigger(TriggerKind.SCHEDULE, None, *one)
            for one in wanted
        ]
        return [*due_then, *webhooks_of(there)]


def _coded(words: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _CODES[name](v) if name in _CODES else v for name, v in words.items()}


def _set(words: Wanted) -> dict[str, Any]:
    return {name: v for name, v in words.items() if v is not None or name not in _NOT_SET}


def _recurring(words: Wanted) -> dict[str, Any]:
    """The parts of a routine as its commands take them, but for its agent and its triggers."""
    made = _coded({n: v for n, v in words.items() if n not in ("name", "agent", "triggers")})
    if "task_template" in made:
        task = made.pop("task_template")
        made["template"] = task and Template(task["title"], task.get("description", ""))
    if "variables" in made:
        made["variables"] = [_variable(one) for one in made["variables"]]
    return made


def _variable(one: Mapping[str, Any]) -> Variable:
    kind, options = VariableType(one.get("type", "text")), tuple(one.get("options", ()))
    return Variable(
        one["name"], kind, one.get("default"), bool(one.get("required", False)), options
    )

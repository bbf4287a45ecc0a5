"""Looks at `.roundtable/config.yaml` of repositories, and asks a person about what is new in it;
what it says has no effect here (C-105)."""

import contextlib
import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace

from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.config import (
    PATH,
    ConfigFiles,
    Consent,
    Fault,
    Found,
    Read,
    Seen,
    State,
    Wanted,
)
from roundtable_desktop.model.errors import InvalidFields
from roundtable_desktop.model.ports import Git, GitFailed, Ids
from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.records import InboxItem, Json, Subject, Workspace
from roundtable_desktop.model.states import InboxKind, Severity
from roundtable_desktop.rules import config as rule
from roundtable_desktop.rules.config import Standing
from roundtable_desktop.rules.redact import redact
from roundtable_desktop.store import agents, config, inbox, routines, workspaces
from roundtable_desktop.store.db import Reader, Store, Tx, View

log = logging.getLogger(__name__)

ACCEPT, KEEP = "accept", "keep"
NO_BRANCH = "unknown_branch"
MOST_FAULTS = 20
MOST_ROUTINES = 10_000


class ConfigWatch:
    """read: whether a file has the right form. secrets: all that are known, never shown."""

    def __init__(
        self,
        store: Store,
        reader: Reader,
        files: ConfigFiles,
        ids: Ids,
        read: Read,
        secrets: Callable[[], Iterable[str]],
        git: Git,
    ) -> None:
        self._store, self._reader, self.files, self._ids = store, reader, files, ids
        self._read, self._secrets, self._git = read, secrets, git

    def look(self, workspace_id: str, *, closely: bool = False) -> None:
        """An item asks about what stands there, as long as it is new. What it says is reckoned anew
        only when another content is there, for this comes before each run; or closely, for it
        depends on what people have made since."""
        with self._reader.snapshot() as view:
            workspace = workspaces.get(view, workspace_id)
            assert workspace is not None, "foreign keys hold"
            consent, open_item = config.consent(view, workspace_id), asked(view, workspace_id)
        told = None if open_item is None else str(open_item.data["sha"])
        judged = {one for one in (consent.accepted, consent.kept) if one}
        known = judged if closely or told is None else judged | {told}
        found = self.files.read(workspace.path, known)
        new = found is not None and found.sha not in judged
        if told != (found.sha if found and new else None) or (new and closely):
            seen = self.seen(workspace, found)
            with self._store.transaction() as tx:
                self._ask(tx, workspace, seen)

    def seen(self, workspace: Workspace, found: Found | None) -> Seen:
        with self._reader.snapshot() as view:
            now = workspaces.get(view, workspace.id) or workspace
            consent = config.consent(view, workspace.id)
            standing = stands(view, now, consent)
        seen = self.judged(found, consent, standing)
        if found is None or seen.faults:
            return seen
        with contextlib.suppress(GitFailed):  # then it is told to who accepts it
            if (fault := self.no_branch(now, found)) is not None:
                state = State.BROKEN if seen.state is State.WAITING else seen.state
                return replace(seen, state=state, faults=[fault], changes=[])
        return seen

    def no_branch(self, workspace: Workspace, found: Found) -> Fault | None:
        """Of a file without other faults: asked of git, which no transaction waits for."""
        at = "/workspace/base_branch"
        branch = self.wanted(found).get("workspace", {}).get("base_branch")
        if branch is None or self._git.commit_of(repository_of(workspace), branch) is not None:
            return None
        return Fault(NO_BRANCH, {"branch": branch}, at, rule.line_of(at, found.lines))

    def pass_by(self, workspace_id: str, *, closely: bool = False) -> None:
        """A look in passing: nothing that goes wrong with it is any business of what goes on."""
        try:
            self.look(workspace_id, closely=closely)
        except Exception:
            log.exception("config not looked at workspace=%s", workspace_id)

    def look_at_all(self) -> None:
        with self._reader.snapshot() as view:
            known = workspaces.every(view)
        for workspace in known:
            self.pass_by(workspace.id, closely=True)

    def judged(self, found: Found | None, consent: Consent, standing: Standing) -> Seen:
        if found is None:
            return Seen(State.ABSENT, consent)
        plain = printed(found.text)
        text = redact(plain, self._secrets())
        difference = rule.difference(consent.text, text)
        faults, wanted = self._faults(found, plain, standing)
        state = State.BROKEN if faults else State.WAITING
        if found.sha in (consent.accepted, consent.kept):
            state = State.ACCEPTED if found.sha == consent.accepted else State.KEPT
        changes = [] if faults else rule.changes(wanted, consent, standing)
        return Seen(state, consent, found.sha, text, difference, faults, changes)

    def wanted(self, found: Found) -> Wanted:
        """Of a file without faults."""
        return self._read(found.data)

    def _faults(self, found: Found, text: str, standing: Standing) -> tuple[list[Fault], Wanted]:
        """What looks like a secret is hidden from the person who is asked, so that it may be
        anything: nobody can accept it."""
        if found.fault is not None:
            return [found.fault], {}
        if (line := _first_other(text, redact(text, ()))) is not None:
            return [Fault("config_secret", line=line)], {}
        try:
            wanted = self._read(found.data)
        except InvalidFields as invalid:
            known = [Fault(code, values, at) for at, code, values in invalid.fields]
        else:
            known = rule.faults(wanted, standing)
            if not known:
                return [], wanted
        return [
            Fault(one.code, one.values, one.pointer, rule.line_of(one.pointer, found.lines))
            for one in known[:MOST_FAULTS]
        ], {}

    def _ask(self, tx: Tx, workspace: Workspace, seen: Seen) -> None:
        """Judged again here: somebody may have been faster."""
        said = config.consent(tx, workspace.id)
        if (said.accepted, said.kept) != (seen.consent.accepted, seen.consent.kept):
            return
        before, data = asked(tx, workspace.id), _told(workspace, seen) if _asks(seen) else None
        if before is not None:
            if inbox.asked_with(before) == data:
                return
            inbox.resolve(tx, before, {"by": "cause"})
        if data is None:
            return
        item_id = self._ids.new()
        inbox.open_item(
            tx,
            item_id,
            InboxKind.CONFIG_CHANGED,
            Severity.ATTENTION,
            key=f"config_changed:{item_id}",
            subject=Subject("workspace", workspace.id),
            workspace_id=workspace.id,
            data=data,
        )


def _first_other(text: str, other: str) -> int | None:
    """The number of the first line that differs."""
    lines = zip(text.splitlines(), other.splitlines(), strict=False)
    return next((number for number, (a, b) in enumerate(lines, 1) if a != b), None)


def _asks(seen: Seen) -> bool:
    return seen.state in (State.WAITING, State.BROKEN)


def _told(workspace: Workspace, seen: Seen) -> Json:
    """As an item keeps it."""
    told: Json = json.loads(
        json.dumps(
            {
                "path": PATH,
                "name": workspace.name,
                "sha": seen.sha,
                **_outcome(seen),
                "difference": seen.difference,
                "changes": [
                    {"what": one.what, "name": one.name, "did": one.did, "fields": [*one.values]}
                    for one in seen.changes
                ],
                "options": inbox.options((KEEP,) if seen.faults else (ACCEPT, KEEP)),
            },
            default=str,
        )
    )
    return told


def _outcome(seen: Seen) -> Json:
    if not seen.faults:
        return {"outcome": "config_changed" if seen.consent.accepted else "config_new"}
    first = seen.faults[0]
    outcome = "config_broken" if first.line else "config_unusable"
    return {"outcome": outcome, "line": first.line, "why": {"code": first.code, **first.values}}


def asked(view: View, workspace_id: str) -> InboxItem | None:
    """The item that asks about its file."""
    about = inbox.open_about(view, Subject("workspace", workspace_id))
    return next((one for one in about if one.kind is InboxKind.CONFIG_CHANGED), None)


def stands(view: View, workspace: Workspace, consent: Consent) -> Standing:
    """What there is of what a file can ask for: its own part, and what people made."""
    there = {one.id: one for one in agents.every(view, workspace.id)}
    own = {key: there[one] for key, one in consent.agents.items() if one in there}
    ids = {one.id for one in own.values()}
    found = {name: routines.present(view, one) for name, one in consent.routines.items()}
    known = {name: one for name, one in found.items() if one is not None}
    others = routines.page(
        view, after=None, limit=MOST_ROUTINES, workspace_id=workspace.id, over=False
    )
    triggers = routines.triggers_of(view, [one.id for one in known.values()])
    return Standing(
        workspace,
        own,
        {one.name: one.id for one in there.values() if one.id not in ids},
        {name: (one, triggers[one.id]) for name, one in known.items()},
        {one.name: one.id for one in others if one.id not in consent.routines.values()},
    )

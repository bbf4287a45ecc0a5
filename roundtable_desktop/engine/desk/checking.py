"""The workspace's checks as agents of a mission ask for them (R-21)."""

import hashlib

from roundtable_desktop.engine.desk import Asked, reach, testing
from roundtable_desktop.engine.desk.in_name import Answer, InName
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.checks import Check
from roundtable_desktop.model.errors import Absent, Conflict
from roundtable_desktop.model.records import Actor


class Checking(InName):
    """On what its mission has merged so far; the commands are those that a person accepted."""

    def names(self, holder: Holder) -> Answer:
        return {"checks": testing.names(self._desk, holder.workspace_id)}

    def run(self, holder: Holder, name: str, key: str | None) -> Answer:
        """Returns at once; `result` says how it goes."""
        words = hashlib.sha256(f"check:{name}".encode()).hexdigest()
        asked = Asked(Actor("agent", holder.agent_id), key, words)
        return _shown(testing.run(self._desk, asked, self._mission(holder), name))

    def result(self, holder: Holder, check_id: str) -> Answer:
        """One of its mission."""
        mission = self._mission(holder)
        try:
            found = testing.result(self._desk, check_id)
        except Absent:
            raise Absent("unknown_check_run", "/check_id") from None
        if found.check.mission_id != mission:
            raise Absent("unknown_check_run", "/check_id")
        return {**_shown(found.check), "printed": found.printed}

    def _mission(self, holder: Holder) -> str:
        with self._reader.snapshot() as view:
            self._living(view, holder)
            mission = reach.own(view, holder).mission_id
        if mission is None:
            raise Conflict("checks_of_missions")
        return mission


def _shown(check: Check) -> dict[str, object]:
    return {
        "check_id": check.id,
        "name": check.name,
        "commit": check.commit_hash,
        "status": str(check.status),
        "exit_code": check.exit_code,
    }

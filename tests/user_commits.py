"""A mission on a stage whose base branch moves by commits of the user."""

from typing import Any

from engine_stage import Stage
from mission_stage import OnMission

from roundtable_desktop.dashboard.api.proposals import row
from roundtable_desktop.engine.desk.look_proposals import offered as looked_at
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import DeliveryMode, Role
from roundtable_desktop.store import proposals

DONE = {"status": "completed", "summary": "Settled."}


class Moved(OnMission):
    """Its base branch moves by commits of the user, in a checkout of their own."""

    def __init__(self, stage: Stage, **changes: Any) -> None:
        super().__init__(stage, **changes)
        self.other = stage.agent(self.home, name="Ann", role=Role.WORKER)

    def user(self, **files: str | bytes | None) -> str:
        repo, plain = self.stage.folders.repo, self.stage.folders.plain
        plain("checkout", "-q", "main")
        for name, content in files.items():
            path = repo / f"{name}.txt"
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        made = str(self.stage.folders.commit())
        plain("checkout", "-q", "elsewhere")
        return made

    def offered(self) -> Proposal:
        made = self.complete()
        assert made is not None
        return made

    def clashed(self) -> Proposal:
        """Its work and the user's changed the same line, and its delivery was tried."""
        self.merged(self.task(), a="mission\n")
        self.user(a="user\n")
        made = self.offered()
        if self.mission.delivery is DeliveryMode.APPROVAL:
            self.stage.ask_deliver(made)
        self.stage.deliver()
        return made

    def repairs(self) -> list[Task]:
        return [one for one in self.all_tasks() if one.purpose is Purpose.REPAIR]

    def head(self, branch: str) -> str:
        return str(self.stage.folders.plain("rev-parse", branch))

    def is_in(self, commit: str, branch: str) -> bool:
        base = self.stage.folders.plain("merge-base", commit, branch)
        return str(base) == commit

    def told(self, proposal: Proposal) -> str:
        with self.stage.ground.reader.snapshot() as view:
            found = proposals.get(view, proposal.id)
            assert found is not None
            return row(looked_at(view, found)).sentence


def items(stage: Stage) -> list[Any]:
    return [one for one in stage.ground.rows("inbox_items") if one["status"] == "open"]


def last(stage: Stage, proposal: Proposal) -> Any:
    return stage.tries(proposal)[-1]

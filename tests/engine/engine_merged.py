"""A mission whose work is merged and looked at, for the tests of its reviews."""

from typing import Any

from engine_reviews import Reviews
from engine_stage import ASKED, Stage
from ground import set_columns

from roundtable_desktop.engine import review_waves
from roundtable_desktop.engine.desk import missions as desk_missions
from roundtable_desktop.engine.desk import settings
from roundtable_desktop.engine.review_waves import AfterMerge
from roundtable_desktop.model.merged_reviews import MergedReview
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.records import Agent, Task, Wakeup
from roundtable_desktop.model.states import Role
from roundtable_desktop.store import merged_reviews, missions


class MergedWork(Reviews):
    """`first` and `second` have the role of reviewers, `third` none of its own."""

    def __init__(self, stage: Stage, review: str = "always") -> None:
        super().__init__(stage)
        for agent in (self.first, self.second):
            self.with_role(agent, Role.REVIEWER)
        settings.change_in(stage.desk, ASKED, self.workspace.id, {"mission_review": review})
        made = desk_missions.create(stage.desk, ASKED, self.workspace.id, goal="Make it better")
        stage.folders.plain("branch", made.integration_branch, made.base_commit)
        with stage.store.transaction() as tx:
            missions.note(tx, made, opened_at=tx.now)
        self.mission_id = made.id

    @property
    def mission(self) -> Mission:
        with self.stage.ground.reader.snapshot() as view:
            found = missions.get(view, self.mission_id)
        assert found is not None
        return found

    def with_role(self, agent: Agent, role: Role) -> None:
        with self.stage.store.transaction() as tx:
            set_columns(tx, "agents", agent.id, role=role)

    def merged(self, agent: Agent | None = None, **files: str) -> Task:
        """A task of the mission whose work is on its branch; the planner's part is done by hand."""
        more: dict[str, Any] = {"acceptance": files.pop("acceptance", "It works.")}
        task = self.stage.task(
            self.workspace, agent or self.worker, mission_id=self.mission_id, **more
        )
        self.stage.ask_run(task)
        self.go()
        (run,) = [one for one in self.live() if one.task_id == task.id]
        self.stage.leave(run, **files)
        self.stage.finish(run, result={"status": "completed", "summary": "did it"})
        self.stage.deliver()
        return self.now(task)

    def look(self) -> AfterMerge:
        """As the engine does when nothing waits to be merged."""
        with self.stage.store.transaction() as tx:
            found = review_waves.after_merge(tx, self.stage.ids, self.mission)
        self.go()
        return found

    def reviewed(self) -> list[MergedReview]:
        with self.stage.ground.reader.snapshot() as view:
            return merged_reviews.of_mission(view, self.mission_id)

    def open(self) -> int:
        with self.stage.ground.reader.snapshot() as view:
            return review_waves.open(view, self.mission_id)

    def unrun(self) -> list[MergedReview]:
        with self.stage.ground.reader.snapshot() as view:
            return review_waves.unrun(view, self.mission_id)

    def carrier(self) -> Task:
        task_id = self.reviewed()[-1].task_id
        assert task_id is not None
        return self.stage.ground.get_task(task_id)

    def made(self) -> list[Task]:
        """What came of the newest one, as the feed tells it."""
        newest = self.reviewed()[-1].id
        told = [one for one in self.stage.ground.events() if one.subject_id == newest]
        made: list[Any] = [event.data.get("made", ()) for event in told]
        return [self.stage.ground.get_task(one) for ids in made for one in ids]

    def woken(self, agent: Agent) -> list[Wakeup]:
        rows = self.stage.ground.rows("agent_wakeup_requests")
        found = [self.stage.ground.get_wakeup(row["id"]) for row in rows]
        return [one for one in found if one.agent_id == agent.id and one.reason == "escalated"]

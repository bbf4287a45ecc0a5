"""Reviews between the waves of a mission: its planner waits for them, and so does its end."""

from typing import Any

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage
from ground import JOAN
from test_engine_renewed import client

from roundtable_desktop.engine.desk import Asked, agents, inbox, settings
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.gates import Word
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.merged_reviews import MergedReview
from roundtable_desktop.model.missions import MissionState, Phase
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import Agent, InboxItem, Run, Task
from roundtable_desktop.model.states import Adapter, Role, TaskStatus
from roundtable_desktop.store import lists, merged_reviews, missions


class Reviewed(Crew):
    """With two reviewers, and each wave is looked at."""

    def __init__(self, stage: Stage, review: str = "always", reviewers: int = 2) -> None:
        super().__init__(stage)
        self.reviewers = [self._reviewer(f"Reviewer {n}") for n in range(reviewers)]
        settings.change_in(stage.desk, ASKED, self.home.id, {"mission_review": review})
        self.agency = Agency(stage.desk, stage.ground.reader)
        self.open()

    def _reviewer(self, name: str) -> Agent:
        more: dict[str, Any] = {"role": Role.REVIEWER, "command": ["true"], "cooldown_sec": 0}
        return agents.add(
            self.stage.desk, ASKED, self.home.id, name=name, adapter=Adapter.ACP, **more
        )

    def judging(self) -> list[Run]:
        return [one for one in self.live() if one.gate_id]

    def vote(self, run: Run, word: str, findings: list[Any] | None = None) -> None:
        holder = Holder(
            run_id=run.id,
            agent_id=run.agent_id,
            task_id=str(run.payload["task_id"]),
            workspace_id=run.workspace_id,
            gate_id=run.gate_id,
        )
        self.agency.vote(holder, Word(word), f"I say {word}.", findings or [], None)
        self.stage.finish(run, result={"status": "completed"})

    def reviews(self) -> list[MergedReview]:
        with self.stage.ground.reader.snapshot() as view:
            return merged_reviews.of_mission(view, self.id)

    def items(self) -> list[InboxItem]:
        with self.stage.ground.reader.snapshot() as view:
            return lists.page(view, lists.INBOX, after=None, limit=50, status="open")

    def of_purpose(self, purpose: Purpose) -> list[Task]:
        with self.stage.ground.reader.snapshot() as view:
            found = missions.tasks_of(view, self.id)
        return [one for one in found if one.purpose is purpose]


@pytest.mark.proves("A-28", "C-26", "W-37", "A-15")
def test_a_wave_is_looked_at_before_the_next_begins_and_before_the_end(stage: Stage) -> None:
    crew = Reviewed(stage)
    first = crew.task("First", acceptance="It works.")
    after = crew.task("After", depends_on=[Edge(depends_on_task_id=first.id)])
    crew.turn()
    crew.end(crew.run_of(first), a="one")
    crew.turn()
    assert crew.mission.phase is Phase.REVIEWING_WAVE
    assert len(crew.judging()) == 2 and crew.now(after).status is TaskStatus.TODO
    crew.turn()
    assert len(crew.reviews()) == 1 and len(crew.live()) == 2, "a tick twice over changes nothing"
    for run in crew.judging():
        crew.vote(run, "approve")
    crew.turn()
    crew.end(crew.run_of(after), b="two")
    crew.turn()
    assert crew.mission.state is MissionState.ACTIVE and len(crew.reviews()) == 2
    for run in crew.judging():
        crew.vote(run, "approve")
    crew.turn()
    mission = crew.mission
    report: Any = mission.report
    assert mission.state is MissionState.COMPLETED and report["gates_not_run"] == []


@pytest.mark.proves("A-28", "A-29", "C-96")
def test_a_repair_of_what_was_found_is_planned_and_looked_at_in_its_turn(stage: Stage) -> None:
    crew = Reviewed(stage, reviewers=1)
    first = crew.task("First", acceptance="It works.")
    crew.turn()
    crew.end(crew.run_of(first), a="one")
    crew.turn()
    (run,) = crew.judging()
    minor = {"path": "a.txt", "line": 1, "severity": "minor", "text": "A typo."}
    crew.vote(run, "revise", [minor])
    crew.turn()
    (repair,) = crew.of_purpose(Purpose.REPAIR)
    assert repair.about_task_id == first.id and "A typo." in repair.description
    crew.end(crew.run_of(repair), a="better")
    assert crew.now(repair).status is TaskStatus.DONE
    crew.turn()
    (run,) = crew.judging()
    crew.vote(run, "approve")
    crew.turn()
    report: Any = crew.mission.report
    assert crew.mission.state is MissionState.COMPLETED and report["gates_not_run"] == []
    assert [str(one.status) for one in crew.reviews()] == ["repaired", "approved"]


@pytest.mark.proves("A-28", "A-37", "A-34")
@pytest.mark.parametrize("answer", ["repair", "accept"])
def test_what_is_grave_blocks_the_mission_and_a_persons_answer_opens_it(
    stage: Stage, answer: str
) -> None:
    crew = Reviewed(stage, reviewers=1)
    first = crew.task("First", acceptance="It works.")
    crew.task("After", depends_on=[Edge(depends_on_task_id=first.id)])
    crew.turn()
    crew.end(crew.run_of(first), a="one")
    crew.turn()
    (run,) = crew.judging()
    crew.vote(run, "veto")
    crew.turn()
    assert crew.mission.state is MissionState.BLOCKED and not crew.live()
    asked = {one.code: one for one in crew.items()}
    assert set(asked) == {"inbox_review_findings", "inbox_mission_blocked"}
    inbox.act(stage.desk, Asked(JOAN), asked["inbox_review_findings"].id, answer)
    assert crew.mission.state is MissionState.ACTIVE and crew.items() == []
    crew.turn()
    begun = {crew.now(str(one.task_id)).purpose for one in crew.live()}
    assert (Purpose.REPAIR in begun) is (answer == "repair")
    assert Purpose.WORK in begun or answer == "repair"


@pytest.mark.proves("A-28", "A-36")
def test_a_mission_whose_work_nobody_could_look_at_says_so_at_its_end(stage: Stage) -> None:
    crew = Reviewed(stage, reviewers=0)
    task = crew.task("First", acceptance="It works.")
    crew.turn()
    crew.end(crew.run_of(task), a="one")
    crew.turn()
    crew.turn()
    report: Any = crew.mission.report
    (skipped,) = crew.reviews()
    assert crew.mission.state is MissionState.COMPLETED
    assert report["reviews_not_run"] == [skipped.id]
    said = client(stage).get(f"/missions/{crew.id}").get_data(as_text=True)
    assert "Reviews of merged work that were not made</dt><dd>1<" in said


@pytest.mark.proves("A-28")
def test_where_no_review_is_wanted_the_mission_goes_on(stage: Stage) -> None:
    crew = Reviewed(stage, "off")
    task = crew.task("First")
    crew.turn()
    crew.end(crew.run_of(task), auth="one")
    crew.turn()
    assert crew.mission.state is MissionState.COMPLETED and crew.reviews() == []

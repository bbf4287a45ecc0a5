"""What follows from a review of merged work: the mission goes on, something is repaired, verified
or assessed, or somebody decides (A-28, A-34)."""

from collections.abc import Iterable, Sequence

from roundtable_desktop.engine import escalating, graph
from roundtable_desktop.model.attempts import Trigger
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.gates import Gate, GateStatus, Verdict, VerdictStatus
from roundtable_desktop.model.merged_reviews import FollowUp, Merged, MergedReview, ReviewStatus
from roundtable_desktop.model.missions import OVER, Mission
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import SYSTEM, Actor, InboxItem, Json, Subject, Task
from roundtable_desktop.model.states import (
    AgentStatus,
    DeliveryMode,
    InboxKind,
    Severity,
    TaskStatus,
)
from roundtable_desktop.rules.merged_reviews import by_task, follow_up, is_of_design
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.rules.review_words import finding as told_finding
from roundtable_desktop.rules.review_words import returned as words_of
from roundtable_desktop.store import (
    agents,
    gates,
    inbox,
    merged_reviews,
    missions,
    runs,
    settings,
    tasks,
    verdicts,
    workspaces,
)
from roundtable_desktop.store.db import Tx, View

FINDINGS = "review_findings"
"""Why its task is blocked, and what a person is asked."""
REPAIR, ACCEPT = "repair", "accept"
ASSESSED = "review_assessed"
"""What a person is told where an agent has it."""
TEXT_BYTES = 2000
"""Of what was found, for the inbox and for whoever is woken."""
WEIGHED = ("critical", "major", "minor", "info")


def unsure(said: Iterable[Verdict]) -> bool:
    """All have answered and nobody could tell: that is no question for a person yet."""
    found = [one for one in said if one.status is not VerdictStatus.WITHDRAWN]
    return bool(found) and all(one.status is VerdictStatus.GIVEN for one in found)


def passed(tx: Tx, gate: Gate, actor: Actor, *, waived: bool) -> None:
    """Its gate is passed; the task that carries it is done by that."""
    review = merged_reviews.of_task(tx, gate.task_id)
    if review is not None and review.status is ReviewStatus.ASKED:
        to = ReviewStatus.WAIVED if waived else ReviewStatus.APPROVED
        merged_reviews.move(tx, review, to, actor)


def judged(tx: Tx, ids: Ids, gate: Gate) -> None:
    """All are in, and it is not approved: the work is on the branch, so that nothing is sent back;
    what was found becomes work of its own, or somebody's decision."""
    review = merged_reviews.of_task(tx, gate.task_id)
    assert review is not None, "a gate with a snapshot is a review's"
    given = [one for one in verdicts.of_round(tx, gate) if one.status is VerdictStatus.GIVEN]
    gates.withdraw(tx, gate)
    gates.move(tx, gate, GateStatus.RETURNED, returns=gate.returns + 1)
    mission = missions.get(tx, review.mission_id)
    assert mission is not None, "foreign keys hold"
    follow = follow_up(
        [one.word for one in given if one.word], findings_of(given), _repairs(tx, review)
    )
    what = Found(tx, ids, mission, review, given)
    match follow:
        case FollowUp.REPAIR:
            what.over(ReviewStatus.REPAIRED, what.repairs())
        case FollowUp.VERIFY | FollowUp.CONTINUE:
            what.over(ReviewStatus.VERIFIED, [what.verification()])
        case FollowUp.ASSESS:
            what.assess()
        case FollowUp.BLOCK:
            what.block()


def answer(tx: Tx, ids: Ids, item: InboxItem, action: str, actor: Actor) -> None:
    """What a person decided about what blocks: it is mended, or stays as it is."""
    review = merged_reviews.of_task(tx, item.subject_id)
    if review is None or review.status is not ReviewStatus.BLOCKED:
        raise Conflict("already_resolved")
    mission = missions.get(tx, review.mission_id)
    assert mission is not None, "foreign keys hold"
    if action == REPAIR and mission.state in OVER:
        raise Conflict("mission_over", state=str(mission.state))
    given = [
        one for one in verdicts.of_task(tx, item.subject_id) if one.status is VerdictStatus.GIVEN
    ]
    what = Found(tx, ids, mission, review, given, actor)
    if action == REPAIR:
        what.over(ReviewStatus.REPAIRED, what.repairs())
    else:
        what.over(ReviewStatus.WAIVED, [])


def findings_of(given: Iterable[Verdict]) -> list[Json]:
    """Of all of them, the gravest first."""
    found = [finding for one in given for finding in one.findings]
    return sorted(found, key=lambda one: WEIGHED.index(str(one.get("severity"))))


def _repairs(view: View, review: MergedReview) -> int:
    """How many reviews in a row before this one ended in a repair."""
    count = 0
    for one in reversed(merged_reviews.of_mission(view, review.mission_id)):
        if one.id == review.id:
            continue
        if one.status is not ReviewStatus.REPAIRED:
            break
        count += 1
    return count


class Found:
    """What one review found, within the transaction that decides about it."""

    def __init__(
        self,
        tx: Tx,
        ids: Ids,
        mission: Mission,
        review: MergedReview,
        given: Sequence[Verdict],
        actor: Actor = SYSTEM,
    ) -> None:
        self._tx, self._ids, self._actor = tx, ids, actor
        self._mission, self._review, self._given = mission, review, given
        self._merged = merged_reviews.of_review(tx, mission, review)
        self._names = {one.id: one.name for one in agents.every(tx, mission.workspace_id)}

    @property
    def carrier(self) -> Task:
        task = tasks.get(self._tx, self._review.task_id or "")
        assert task is not None, "it carries the gate"
        return task

    @property
    def text(self) -> str:
        return words_of(self._given, self._names)

    def over(self, to: ReviewStatus, made: Sequence[str]) -> None:
        """The tasks that came of it are there before it ends: so its mission has work left."""
        merged_reviews.move(self._tx, self._review, to, self._actor, made)
        data = {"by": "review", "status": str(to)}
        task = self.carrier
        steps = (TaskStatus.TODO, TaskStatus.IN_PROGRESS, TaskStatus.DONE)
        for step in steps if task.status is TaskStatus.BLOCKED else steps[-1:]:
            graph.move(self._tx, self._ids, self.carrier, step, actor=self._actor, data=data)

    def repairs(self) -> list[str]:
        """One task for each whose work it is about, by its own agent if that is there."""
        whose = by_task(findings_of(self._given), self._merged)
        if not whose:
            whose = {self._merged[-1].task_id: []}
        known = {one.task_id: one for one in self._merged}
        return [self._repair(known[task_id], found) for task_id, found in whose.items()]

    def _repair(self, about: Merged, found: Sequence[Json]) -> str:
        paths = [str(one["path"]) for one in found if one.get("path")] or list(about.paths)
        listed = "\n".join(f"- {told_finding(one)}" for one in found)
        text = f"Mend what reviewers found in the work on T-{about.number}, and nothing else."
        said = f"What they said:\n\n{self.text}"
        return self._new(
            Purpose.REPAIR,
            f"Mend what was found in T-{about.number}: {about.title}",
            "\n\n".join(part for part in (text, listed, said) if part),
            about.task_id,
            self._able(about.assignee),
            write_area=sorted(set(paths)),
        )

    def verification(self) -> str:
        """Somebody shows whether it is right; whose work it is only where nobody else can."""
        about = self._merged[-1]
        text = (
            "Reviewers could not tell whether what was merged is right. Show it: run or write what "
            "tells, and report what you found. Mend nothing besides."
        )
        return self._new(
            Purpose.VERIFY,
            f"Show whether what was merged is right: T-{about.number}",
            self._with_words(text),
            about.task_id,
            escalating.somebody_else(self._tx, self._mission.workspace_id, self._authors),
        )

    def assess(self) -> None:
        """Whoever is asked about the design has it; without one a person."""
        route = escalating.route(
            self._tx, self._mission.workspace_id, Trigger.ARCHITECTURE, self._authors
        )
        if not route.woken:
            return self.block()
        about = self._merged[-1]
        text = (
            "Reviewers doubt the design of what was merged. Say how it is to be: make a task for "
            "what has to change, or report that it may stay as it is, and why. If a person must "
            "decide it, end blocked on the user."
        )
        made = self._new(
            Purpose.VERIFY,
            f"Assess the design of what was merged: T-{about.number}",
            self._with_words(text),
            about.task_id,
            route.woken[0].agent_id,
        )
        self.over(ReviewStatus.ASSESSED, [made])
        inbox.open_item(
            self._tx,
            self._ids.new(),
            InboxKind.BLOCKED,
            route.severity,
            key=f"{ASSESSED}:{self._review.id}",
            subject=Subject("task", made),
            workspace_id=self._mission.workspace_id,
            data={
                **self._told(ASSESSED, ("dismiss",)),
                "agent": self._names.get(route.woken[0].agent_id, ""),
            },
        )
        return None

    def block(self) -> None:
        """A person decides, and whoever coordinates, or knows the design, hears of it (A-34)."""
        merged_reviews.move(self._tx, self._review, ReviewStatus.BLOCKED)
        blocked = {"owner": "user", "action": FINDINGS, "kind": "review"}
        graph.move(self._tx, self._ids, self.carrier, TaskStatus.IN_PROGRESS, actor=SYSTEM)
        to = TaskStatus.BLOCKED
        graph.move(self._tx, self._ids, self.carrier, to, actor=SYSTEM, blocked=blocked)
        inbox.open_item(
            self._tx,
            self._ids.new(),
            InboxKind.BLOCKED,
            Severity.ATTENTION,
            key=f"{FINDINGS}:{self._review.id}",
            subject=Subject("task", self.carrier.id),
            workspace_id=self._mission.workspace_id,
            data=self._told(FINDINGS, (REPAIR, ACCEPT)),
        )
        found_in = next((one.run_id for one in self._given if one.run_id), None)
        run = runs.get(self._tx, found_in) if found_in else None
        if run is None:
            return  # a person said it alone
        escalating.tell(
            self._tx,
            self._ids,
            Trigger.REVIEW_FINDING,
            task=self.carrier,
            text=clip(self.text, TEXT_BYTES, keep="start"),
            key=f"review:{self._review.id}",
            run=run,
            of_design=any(is_of_design(one) for one in findings_of(self._given)),
        )

    def _told(self, says: str, answers: Sequence[str]) -> Json:
        return {
            "says": says,
            "owner": "user",
            "task_id": self.carrier.id,
            "number": self.carrier.number,
            "mission_id": self._mission.id,
            "about": ", ".join(f"T-{one.number}" for one in self._merged),
            "text": clip(self.text, TEXT_BYTES, keep="start"),
            "options": inbox.options(answers),
        }

    def _with_words(self, text: str) -> str:
        see = f"    git diff {self._review.base_commit} {self._review.head_commit}"
        return "\n\n".join((text, "See it with:", see, "What they said:", self.text))

    @property
    def _authors(self) -> set[str]:
        whose = {one.author for one in self._merged} | {one.assignee for one in self._merged}
        return {one for one in whose if one}

    def _able(self, agent_id: str | None) -> str | None:
        """None: the planner finds somebody."""
        agent = agents.get(self._tx, agent_id) if agent_id else None
        gone = (AgentStatus.STOPPED, AgentStatus.RETIRED)
        return None if agent is None or agent.status in gone else agent.id

    def _new(
        self,
        purpose: Purpose,
        title: str,
        description: str,
        about: str,
        agent_id: str | None,
        **more: object,
    ) -> str:
        """A task below the mission's root, which goes before work like that which it is about. It
        wakes nobody: the planner does (C-96)."""
        where, known = self._mission.workspace_id, tasks.get(self._tx, about)
        assert known is not None, "foreign keys hold"
        task = tasks.add(
            self._tx,
            self._actor,
            id=self._ids.new(),
            workspace_id=where,
            number=workspaces.next_task_number(self._tx, where),
            title=title[:200],
            description=description,
            parent_id=self._mission.root_task_id,
            base_branch=self._mission.integration_branch,
            delivery=DeliveryMode.AUTO,
            mission_id=self._mission.id,
            purpose=purpose,
            about_task_id=about,
            priority=known.priority + 1,
            workspace_strategy=settings.strategy_of(self._tx, where),
            **more,
        )
        if agent_id is not None:
            tasks.assign(self._tx, task, agent_id, self._actor)
        return task.id

"""Whatever reviewers, a person and the machine do: nothing passes with too few, goes back too early
or waits in silence."""

import random
from collections.abc import Callable

import pytest
from engine_reviews import DONE, Reviews, review
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine.desk import Asked, inbox, pausing, verdicts
from roundtable_desktop.engine.desk.agency import Agency
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.gates import APPROVALS, DEMANDS, GateStatus, VerdictStatus, Word
from roundtable_desktop.model.records import Run, Task
from roundtable_desktop.model.states import TaskStatus, WakeupStatus
from roundtable_desktop.store import verdicts as stored
from roundtable_desktop.store import wakeups

ACTS = 14
WORDS = [*Word, Word.APPROVE, Word.APPROVE]


class Chance:
    """One task with three reviewers, of whom two are needed, and what happens to it."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self.reviews, self.dice = Reviews(stage), random.Random(seed)
        who = (self.reviews.first, self.reviews.second, self.reviews.third)
        self.agents = who
        self.task: Task = self.reviews.task(review(*who, needed=2), retry_budget=20)
        self.forced: set[int] = set()  # rounds that a person let pass
        self.reviews.go()

    def act(self) -> str:
        acts: list[Callable[[], object]] = [self.pause, self.resume, self.person, self.restart]
        if self.reviewing():
            acts += [self.vote] * 6 + [self.silent, self.fail]
        if self.working():
            acts += [self.hand_in] * 8
        if self.reviews.items():
            acts += [self.answer] * 4
        act = self.dice.choice(acts)
        act()
        self.reviews.go()
        return act.__name__

    def reviewing(self) -> list[Run]:
        return [one for one in self.reviews.live() if one.gate_id]

    def working(self) -> list[Run]:
        return [one for one in self.reviews.live() if one.task_id]

    def vote(self) -> None:
        run, word = self.dice.choice(self.reviewing()), self.dice.choice(WORDS)
        holder = self.reviews.holder(run)
        try:
            self.reviews.agency.vote(holder, word, "said", [], None)
        except Refused as refused:
            assert refused.code == "review_over"
        self.reviews.stage.finish(run, result=DONE)

    def silent(self) -> None:
        self.reviews.stage.finish(self.dice.choice(self.reviewing()), result=DONE)

    def fail(self) -> None:
        error = {"kind": "auth_required", "text": "log in"}
        self.reviews.stage.finish(self.dice.choice(self.reviewing()), error=error)

    def hand_in(self) -> None:
        (run,) = self.working()
        self.reviews.stage.leave(run, a=str(self.dice.random()))
        self.reviews.stage.finish(run, result=DONE)

    def pause(self) -> None:
        pausing.pause(self.reviews.stage.desk, ASKED, self.dice.choice(self.agents).id)

    def resume(self) -> None:
        pausing.resume(self.reviews.stage.desk, ASKED, self.dice.choice(self.agents).id)

    def person(self) -> None:
        offered = self.reviews.stage.proposals(self.task)
        word = self.dice.choice([Word.APPROVE, Word.REVISE, Word.VETO])
        try:
            verdicts.cast(
                self.reviews.stage.desk, ASKED, offered[-1].id if offered else "", word, "I"
            )
        except Refused as refused:
            assert refused.code in (
                *("unknown_proposal", "no_gate_open", "proposal_not_open", "already_voted"),
            )

    def answer(self) -> None:
        item = self.dice.choice(self.reviews.items())
        options = item.data["options"]
        assert isinstance(options, list)
        action = self.dice.choice([one["id"] for one in options])
        if item.subject_type == "gate" and action == "pass_gate":
            self.forced.add(self.reviews.gates(self.task)[0].round)
        inbox.act(self.reviews.stage.desk, Asked(JOAN), item.id, action)

    def restart(self) -> None:
        self.reviews.stage.restart()
        self.reviews.stage.play()
        self.reviews.agency = Agency(self.reviews.stage.desk, self.reviews.stage.ground.reader)

    def check(self, done: list[str]) -> None:
        (gate,) = self.reviews.gates(self.task)
        task = self.reviews.now(self.task)
        with self.reviews.stage.ground.reader.snapshot() as view:
            said = stored.of_round(view, gate)
            woken = [wakeups.get(view, one.wakeup_id or "") for one in said]
        given = [one.word for one in said if one.status is VerdictStatus.GIVEN]
        if gate.status is GateStatus.PASSED and gate.round not in self.forced:
            assert sum(word in APPROVALS for word in given) >= 2, done
            assert not any(word in DEMANDS for word in given), done
        if gate.status is GateStatus.RETURNED and Word.VETO not in given:
            assert any(word in DEMANDS for word in given), done
            early = [one for one in said if one.status is VerdictStatus.WITHDRAWN and not one.why]
            assert not early, done
        if task.status is TaskStatus.IN_REVIEW and gate.status is GateStatus.ASKED:
            alive = (WakeupStatus.QUEUED, WakeupStatus.CLAIMED)
            waits = [
                verdict
                for verdict, wakeup in zip(said, woken, strict=True)
                if verdict.status is VerdictStatus.ASKED and wakeup and wakeup.status in alive
            ]
            asked = [one for one in self.reviews.items() if one.subject_id == gate.id]
            assert bool(waits) != bool(gate.stuck), done
            assert len(asked) == bool(gate.stuck), done
        else:
            assert not gate.stuck, done
            assert gate.status is not GateStatus.WAITING or task.status is not TaskStatus.IN_REVIEW


@pytest.mark.slow
@pytest.mark.proves("C-26", "K-54 gates", "C-51")
@pytest.mark.parametrize("seed", range(4))
def test_no_sequence_leaves_work_in_silence(stage: Stage, seed: int) -> None:
    chance, done = Chance(stage, seed), list[str]()
    for _ in range(ACTS):
        done.append(chance.act())
        chance.check(done)

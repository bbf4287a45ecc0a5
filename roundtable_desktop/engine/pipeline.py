"""The gates after the claim, as a tuple of steps walked in order (law 4, K-38)."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import Any

from roundtable_desktop.engine.reviewing import Review
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Agent, Task, Wakeup, Workspace
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.model.verdicts import Answer, Go, Hold
from roundtable_desktop.rules.executor import Chosen
from roundtable_desktop.store.db import Tx


@dataclass(slots=True)
class Case:
    """One claimed wakeup on its way through the gates, and what the steps found out about it."""

    wakeup: Wakeup
    agent: Agent
    workspace: Workspace
    task: Task | None
    ids: Ids
    run_id: str
    undo: ExitStack
    prompt: str = ""
    resume_prompt: str = ""
    summary: str = ""
    chosen: Chosen = field(default_factory=Chosen)
    attempt: int | None = None
    review: Review | None = None
    decisions: list[dict[str, Any]] = field(default_factory=list)


Step = Callable[[Tx, Case], Answer]


def walk(tx: Tx, case: Case, steps: Iterable[Step]) -> Answer:
    """The first answer that is no Go; what earlier steps took is given back unless a run exists.

    Every answer is kept with the wakeup, also the last one (N-03).
    """
    answer: Answer = Go()
    for step in steps:
        answer = step(tx, case)
        case.decisions.append(decision(step.__name__, answer, rfc3339(tx.now)))
        if not isinstance(answer, Go):
            break
    return answer


def decision(gate: str, answer: Answer, at: str) -> dict[str, Any]:
    """{gate, verdict, detail, at}: verdict is the answer's name in lower case."""
    facts = asdict(answer)
    detail = facts.pop("detail")
    if isinstance(answer, Hold):
        facts["until"] = rfc3339(answer.until)
    verdict = type(answer).__name__.lower()
    return {"gate": gate, "verdict": verdict, "detail": {**detail, **facts}, "at": at}

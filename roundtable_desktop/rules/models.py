"""Which model a task is done with: forced, or the agent's choice among what it may use (A-32)."""

from collections.abc import Collection, Sequence

from roundtable_desktop.model.waves import (
    ModelAssignment,
    ModelPolicy,
    PlanAgent,
    PlanTask,
    Reason,
    Weight,
    Work,
)
from roundtable_desktop.rules.merged_reviews import is_sensitive

SMALL = 2
"""Files of a light task."""
FORCED, CHOICE = ModelPolicy.SCHEDULER_FORCED, ModelPolicy.AGENT_SELECT


def weigh(*, work: Work, optional: bool, area: Sequence[str], attempts: int) -> Weight:
    """Heavy is what hides how much it asks: nobody knows where it writes, it was tried before, or
    it is a search for a cause. Light is what bears little risk: the mission can do without it, and
    it changes a file or two of which none decides what runs or who may."""
    if work is Work.DEBUG or attempts or (work is Work.EXECUTE and not area):
        return Weight.HEAVY
    plain = all(one.rpartition("/")[2] and not set(one) & set("*?[{") for one in area)
    small = work is Work.EXECUTE and plain and len(area) <= SMALL
    if optional and small and not any(is_sensitive(one) for one in area):
        return Weight.LIGHT
    return Weight.NORMAL


def assign(task: PlanTask, agent: PlanAgent) -> ModelAssignment:
    """What a person asked for comes first; then a review by another model than the author's, then
    another one after repeated failures; then what the task's weight asks for."""
    models = agent.models
    if task.model is not None:
        return _forced(task.model, "asked_for")
    if task.work is Work.REVIEW and task.author_model is not None:
        return _review(task.author_model, models)
    fresh = _without(models, task.failed_models)
    if task.failed_models:
        if not fresh:
            last = models[0] if models else None
            return _told(task, models, last, "no_other_model", {"failed": task.failed_models})
        return _forced(fresh[0], "other_model", {"failed": task.failed_models})
    match task.weight:
        case Weight.HEAVY:
            return _told(task, models[:1], models[0] if models else None, "heavy")
        case Weight.LIGHT:
            return _told(task, models, models[-1] if models else None, "light")
        case Weight.NORMAL:
            return _told(task, models, models[0] if models else None, "agents_own")


def differs(task: PlanTask, agent: PlanAgent) -> bool:
    """Whether the agent can look at the work with another model than the one that made it."""
    return task.author_model is None or bool(_without(agent.models, (task.author_model,)))


def cross_model(told: str | None, authors: Collection[str], models: Sequence[str]) -> str | None:
    """Of its agent's models, one that did not make what it looks at, where it would be told to use
    one that did; None: it is told nothing else, for it has no other or uses none of those."""
    others = (model for model in models if model not in authors)
    return next(others, None) if told in authors else None


def _review(author: str, models: Sequence[str]) -> ModelAssignment:
    other = _without(models, (author,))
    if other:
        return _forced(other[0], "cross_model", {"author": author})
    model = models[0] if models else None
    code = "same_model" if models else "model_unknown"
    reason = Reason(code=code, values={"author": author})
    return ModelAssignment(policy=FORCED, model=model, allowed=tuple(models), reason=reason)


def _without(models: Sequence[str], those: Sequence[str]) -> tuple[str, ...]:
    return tuple(model for model in models if model not in those)


def _forced(model: str, code: str, values: dict[str, object] | None = None) -> ModelAssignment:
    reason = Reason(code=code, values=values or {})
    return ModelAssignment(policy=FORCED, model=model, allowed=(model,), reason=reason)


def _told(
    task: PlanTask,
    models: Sequence[str],
    model: str | None,
    code: str,
    values: dict[str, object] | None = None,
) -> ModelAssignment:
    """The agent may choose where the task says so, and among several."""
    reason = Reason(code=code, values=values or {})
    policy = task.policy or CHOICE
    if policy is FORCED and model is None:
        reason = Reason(code="model_unknown", values={"wanted": code})
    allowed = tuple(models) if policy is CHOICE or model is None else (model,)
    return ModelAssignment(policy=policy, model=model, allowed=allowed, reason=reason)

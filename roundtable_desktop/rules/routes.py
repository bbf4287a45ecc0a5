"""Whom a conflict, a question or a failure that repeats is brought to (A-27, A-34, C-66).

The planner itself asks nobody: it says which role, and the engine wakes it (A-01).
"""

from collections.abc import Mapping, Sequence

from roundtable_desktop.model.attempts import (
    Clash,
    Conflict,
    ConflictRoute,
    RetryAction,
    Route,
    Trigger,
    Woken,
)
from roundtable_desktop.model.states import Role, Severity
from roundtable_desktop.model.waves import PlanAgent

ARCHITECT, DEBUGGER = Role.ARCHITECT, Role.DEBUGGER

ROLES: Mapping[Trigger, Sequence[str]] = {
    Trigger.PRODUCT_CHOICE: (Role.COORDINATOR,),
    Trigger.ARCHITECTURE: (ARCHITECT, Role.COORDINATOR),
    Trigger.PERMISSION: (),
    Trigger.ENVIRONMENT: (Role.COORDINATOR,),
    Trigger.REPEATED_FAILURE: (Role.COORDINATOR,),
    Trigger.REVIEW_FINDING: (Role.COORDINATOR,),
}
"""Who is woken, the first that is there; nobody for what only a policy or a person may allow."""

EVIDENCE: Mapping[Trigger, tuple[str, ...]] = {Trigger.ENVIRONMENT: ("doctor",)}

ASKED: Mapping[str, Sequence[str]] = {
    ARCHITECT: (ARCHITECT, Role.COORDINATOR),
    DEBUGGER: (DEBUGGER, Role.WORKER, Role.COORDINATOR),
}
"""Whom a report that names a role is brought to, the first that is there (C-66)."""

_SETTLED_BY_AGENTS = (Trigger.ARCHITECTURE, Trigger.REPEATED_FAILURE)
"""While an agent has these, the person need not be disturbed."""

SEMANTIC = (Role.REVIEWER, ARCHITECT)
"""Who looks at the repair of a conflict that text alone does not settle (A-27)."""

MOST_REPAIRS = 2
"""A conflict that was repaired so often in vain is no trivial one."""


def classify(clash: Clash) -> Conflict:
    """Who looked at it knows best. Text that does not merge is trivial until a repair fails."""
    if clash.said is not None:
        return clash.said
    if clash.requirement_changed:
        return Conflict.REQUIREMENT
    if clash.checks_failed or clash.deleted_or_binary or clash.repairs >= MOST_REPAIRS:
        return Conflict.SEMANTIC
    return Conflict.TRIVIAL


def conflict(clash: Clash) -> ConflictRoute:
    """A-27. A trivial one is repaired first, which keeps the work, and then done anew on the new
    head. A repair of a semantic one is reviewed; when those fail too, somebody has to say how the
    parts are to fit."""
    kind = classify(clash)
    match kind:
        case Conflict.TRIVIAL if clash.repairs:
            return ConflictRoute(conflict=kind, action=RetryAction.RETRY_SERIAL)
        case Conflict.TRIVIAL:
            return ConflictRoute(conflict=kind, action=RetryAction.DEBUG, role=DEBUGGER)
        case Conflict.SEMANTIC if clash.repairs <= MOST_REPAIRS:
            repair = RetryAction.DEBUG
            return ConflictRoute(conflict=kind, action=repair, role=DEBUGGER, reviewed=True)
        case Conflict.SEMANTIC | Conflict.ARCHITECTURE:
            trigger = Trigger.ARCHITECTURE
        case Conflict.REQUIREMENT:
            trigger = Trigger.PRODUCT_CHOICE
    return ConflictRoute(conflict=kind, action=RetryAction.BLOCK, trigger=trigger)


def route(
    trigger: Trigger,
    agents: Sequence[PlanAgent],
    *,
    failed_agent: str | None = None,
    recoverable: bool = False,
    of_design: bool = False,
) -> Route:
    """failed_agent: is not asked about its own failure. recoverable: somebody else may mend it.
    of_design: a finding that is about how the parts fit; the architect hears of it too."""
    ways = [ROLES[trigger]]
    if trigger is Trigger.REPEATED_FAILURE and recoverable:
        ways = [(DEBUGGER, Role.WORKER, *ROLES[trigger])]
    if trigger is Trigger.REVIEW_FINDING and of_design:
        ways.append(ROLES[Trigger.ARCHITECTURE])
    able = [one for one in agents if one.id != failed_agent and one.refused is None]
    found = dict.fromkeys(one for way in ways if (one := _first(way, able)) is not None)
    quiet = bool(found) and trigger in _SETTLED_BY_AGENTS
    return Route(
        trigger=trigger,
        woken=tuple(found),
        severity=Severity.INFO if quiet else Severity.ATTENTION,
        evidence=EVIDENCE.get(trigger, ()),
    )


def _first(roles: Sequence[str], agents: Sequence[PlanAgent]) -> Woken | None:
    """Of the first role that somebody has, the one with the least to do."""
    for role in roles:
        able = [one for one in agents if one.role == role]
        if able:
            least = min(able, key=lambda one: (one.active + one.queued, one.last_assigned_seq))
            return Woken(agent_id=least.id, role=str(role))
    return None

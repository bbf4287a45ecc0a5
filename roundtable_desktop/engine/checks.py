"""Runs the workspace's checks on what a mission offers: each a run of its command, in a copy of
that commit which is thrown away."""

import logging
from collections.abc import Sequence

from roundtable_desktop.engine import by_rule, wakers
from roundtable_desktop.model.checks import Check, CheckStatus
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.ports import Change, Ids
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import SYSTEM, Actor, Agent, Json, Run
from roundtable_desktop.model.states import (
    Adapter,
    AgentStatus,
    PermissionPolicy,
    Rank,
    Role,
    RunOutcome,
    Source,
    WakeupStatus,
)
from roundtable_desktop.rules.changes import also
from roundtable_desktop.store import agents, checks, config, proposals, tasks, wakeups
from roundtable_desktop.store.db import Tx, View

log = logging.getLogger(__name__)

WHO = "Roundtable checks"
"""What the agent is called at first that stands for them in lists; its own command is never run."""
SECONDS = 3600
"""A check that takes longer is ended."""
AT_ONCE = 100
_WELL = (RunOutcome.DONE, RunOutcome.NO_CHANGES)
_OVER = (WakeupStatus.FINISHED, WakeupStatus.FAILED, WakeupStatus.SKIPPED, WakeupStatus.CANCELLED)


def wanted(view: View, workspace_id: str) -> Sequence[Json]:
    """{name, command} of those that a person accepted with the repository's file."""
    return config.consent(view, workspace_id).checks


def ask(tx: Tx, ids: Ids, mission: Mission, proposal: Proposal) -> bool:
    """All of them, on what the mission offers; whether there are any."""
    known = wanted(tx, proposal.workspace_id)
    for one in known:
        ask_one(tx, ids, mission, one, proposal.head_commit, proposal=proposal)
    return bool(known)


def ask_one(
    tx: Tx,
    ids: Ids,
    mission: Mission,
    wish: Json,
    commit: str,
    *,
    proposal: Proposal | None = None,
    actor: Actor = SYSTEM,
) -> Check:
    agent = _agent(tx, ids, mission.workspace_id)
    check_id, wakeup_id, given = ids.new(), ids.new(), wish["command"]
    command = [str(word) for word in given] if isinstance(given, list) else []
    about = {"check_id": check_id, "command": command, "commit": commit}
    cause = wakeups.Cause(
        workspace_id=mission.workspace_id,
        agent_id=agent.id,
        source=Source.SELF,
        reason=wakers.CHECK,
        payload={"reason": wakers.CHECK, "payload": about},
        key=f"check:{check_id}",
        rank=Rank.EVENT,
        actor=actor,
    )
    wakers.wake(tx, wakeup_id, cause)
    tx.nudge("queue")
    return checks.ask(
        tx,
        mission,
        actor,
        id=check_id,
        proposal_id=proposal.id if proposal else None,
        commit_hash=commit,
        name=str(wish["name"]),
        command=command,
        wakeup_id=wakeup_id,
    )


def _agent(tx: Tx, ids: Ids, workspace_id: str) -> Agent:
    """Made when the first check is asked for. A person may pause or stop it as any other: then what
    waits for it can be delivered around."""
    known = agents.every(tx, workspace_id)
    found = next((one for one in known if _stands_for_checks(one)), None)
    if found is not None:
        return found
    taken, agent_id = {one.name for one in known}, ids.new()
    names = (WHO, *(f"{WHO} {number}" for number in range(2, len(taken) + 3)))
    return agents.add(
        tx,
        SYSTEM,
        id=agent_id,
        workspace_id=workspace_id,
        name=next(name for name in names if name not in taken),
        role=Role.ASSISTANT,
        adapter=Adapter.COMMAND,
        command=["true"],
        env_names=[],
        permission_policy=PermissionPolicy.DENY,
        cooldown_sec=0,
        soft_timeout_sec=SECONDS,
        hard_timeout_sec=SECONDS,
        account=_account(agent_id),
    )


def _account(agent_id: str) -> str:
    return f"checks:{agent_id}"


def _stands_for_checks(agent: Agent) -> bool:
    """By what it was made with: anybody may give an agent of theirs that name, or this one
    another."""
    own = agent.account == _account(agent.id) and agent.adapter is Adapter.COMMAND
    return own and agent.status is not AgentStatus.RETIRED


def ended(tx: Tx, ids: Ids, run: Run, outcome: RunOutcome, exit_code: int | None) -> None:
    """Part of the settlement of its run. One whose wakeup is tried again has not ended."""
    check = _of_run(tx, run)
    wakeup = wakeups.get(tx, run.wakeup_id)
    if check is None or wakeup is None or wakeup.status not in _OVER:
        return
    if check.status is not CheckStatus.ASKED:
        return  # nobody waited for it any more
    known = exit_code is not None
    ran = CheckStatus.PASSED if outcome in _WELL else CheckStatus.FAILED
    checks.end(tx, check, ran if known else CheckStatus.MISSING, run.id, exit_code)
    _weigh(tx, ids, check)


def any_lost(view: View) -> bool:
    return bool(checks.lost(view, 1))


def lose(tx: Tx, ids: Ids) -> None:
    """Those of which no run will say how they went have come to no end (C-32)."""
    for check in checks.lost(tx, AT_ONCE):
        checks.end(tx, check, CheckStatus.MISSING, None, None)
        _weigh(tx, ids, check)


def _weigh(tx: Tx, ids: Ids, check: Check) -> None:
    """When all have ended: by its rule if they passed, else it waits for a person's look."""
    proposal = proposals.get(tx, check.proposal_id) if check.proposal_id else None
    if proposal is None:
        return  # whoever asked for it looks at it
    known = checks.of_proposal(tx, proposal.id)
    if proposal.status not in proposals.OPEN or _left(known):
        return
    bad = [one for one in known if one.status is not CheckStatus.PASSED]
    log.info("checks ended proposal=%s failed=%d", proposal.id, len(bad))
    if bad:
        names = ", ".join(one.name for one in bad)
        ran = [one.run_id for one in bad if one.run_id]
        why = {"code": "check_missing", "names": names}
        if ran:
            why = {"code": "check_failed", "names": names, "run_id": ran[0]}
        proposals.hold(tx, proposal, also(proposal.held, why))
        return
    task = tasks.get(tx, proposal.task_id)
    assert task is not None, "foreign keys hold"
    changes = [Change(**one) for one in proposal.files]  # type: ignore[arg-type]
    by_rule.intend(tx, ids, None, task, proposal, changes)


def open_names(view: View, proposal: Proposal) -> str:
    """Of those that have not ended, for whoever would deliver before that; "" for none."""
    return ", ".join(one.name for one in _left(checks.of_proposal(view, proposal.id)))


def _left(known: Sequence[Check]) -> list[Check]:
    return [one for one in known if one.status is CheckStatus.ASKED]


def _of_run(view: View, run: Run) -> Check | None:
    about = wakers.checked(run.payload)
    return checks.get(view, str(about["check_id"])) if about else None

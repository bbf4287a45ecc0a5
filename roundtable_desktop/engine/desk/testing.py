"""Runs one of the workspace's checks on what a mission has merged so far, for whoever asks."""

from dataclasses import dataclass

from roundtable_desktop.engine import checks as running
from roundtable_desktop.engine.desk import Asked, Desk, once
from roundtable_desktop.engine.desk.belonging import check_open
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.checks import Check
from roundtable_desktop.model.errors import Absent, Blocked, Conflict
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.records import Subject, Workspace
from roundtable_desktop.store import checks, missions, runs, workspaces
from roundtable_desktop.store.db import View

MOST = 10
"""Of one mission that have not ended."""


@dataclass(frozen=True, slots=True)
class Tested:
    """printed: the end of what it printed, once it has ended."""

    check: Check
    printed: str = ""


def names(desk: Desk, workspace_id: str) -> list[str]:
    """Those that can be run."""
    with desk.store.transaction() as tx:
        return [str(one["name"]) for one in running.wanted(tx, workspace_id)]


def run(desk: Desk, asked: Asked, mission_id: str, name: str) -> Check:
    """Returns at once; `result` says how it goes. One that is under way already on the same commit
    is not begun again. Raises Absent (`unknown_check`, with what there is, or `no_checks`)."""
    with desk.store.transaction() as tx:
        mission, workspace = _known(tx, mission_id)
    commit = desk.git.commit_of(repository_of(workspace), mission.integration_branch)
    if commit is None:
        raise Blocked("mission_has_no_branch", branch=mission.integration_branch)

    def act() -> Subject:
        known = {str(one["name"]): one for one in running.wanted(tx, workspace.id)}
        if not known:
            raise Absent("no_checks", "/name")
        if name not in known:
            raise Absent("unknown_check", "/name", name=name, known=", ".join(known))
        under_way = checks.asked(tx, mission_id)
        for one in under_way:
            if (one.name, one.commit_hash) == (name, commit):
                return Subject("check", one.id)
        if len(under_way) >= MOST:
            raise Conflict("too_many_checks", most=MOST)
        wish, who = known[name], asked.actor
        made = running.ask_one(tx, desk.ids, mission, wish, commit, actor=who)
        return Subject("check", made.id)

    with desk.store.transaction() as tx:
        return once(tx, asked, act, checks.get)


def result(desk: Desk, check_id: str) -> Tested:
    with desk.store.transaction() as tx:
        check = checks.get(tx, check_id)
        if check is None:
            raise Absent("unknown_check_run")
        ran = runs.get(tx, check.run_id) if check.run_id else None
    return Tested(check, (ran.output_summary or "") if ran else "")


def _known(view: View, mission_id: str) -> tuple[Mission, Workspace]:
    mission = missions.get(view, mission_id)
    if mission is None:
        raise Absent("unknown_mission", "/mission_id")
    check_open(mission)
    workspace = workspaces.get(view, mission.workspace_id)
    assert workspace is not None, "foreign keys hold"
    return mission, workspace

"""Whose word a task in review waits for (N-03)."""

from roundtable_desktop.model.gates import GateKind, GateStatus, VerdictStatus
from roundtable_desktop.store import agents, gates, verdicts
from roundtable_desktop.store.db import View

State = tuple[str, list[str]]
"""`reviewed` with the names of those whose verdict is waited for; `stuck`: a person is asked how it
goes on; `asked`: a person, for their approval; `passed`: all of its gates; `none`: there are none,
or nobody was asked yet."""

_TOLD = {
    "reviewed": "task_waits_for_review",
    "stuck": "task_gate_stuck",
    "asked": "task_waits_for_approval",
    "passed": "task_gates_passed",
}
_LEFT = (VerdictStatus.ASKED, VerdictStatus.MISSING)


def state(view: View, task_id: str) -> State:
    found = gates.of_task(view, task_id)
    open_one = next((one for one in found if one.status is GateStatus.ASKED), None)
    if open_one is None:
        passed = found and all(one.status is GateStatus.PASSED for one in found)
        return ("passed" if passed else "none"), []
    if open_one.stuck is not None:
        return "stuck", []
    if open_one.kind is GateKind.APPROVAL:
        return "asked", []
    left = [one for one in verdicts.of_round(view, open_one) if one.status in _LEFT]
    known = agents.of_ids(view, [one.author_id for one in left])
    return "reviewed", [known[one.author_id].name for one in left if one.author_id in known]


def of_task(view: View, task_id: str) -> tuple[str, dict[str, object]] | None:
    """(the code of a sentence, its values) of a task in review; None: its gates say nothing."""
    found, names = state(view, task_id)
    return (_TOLD[found], {"reviewers": ", ".join(names)}) if found in _TOLD else None

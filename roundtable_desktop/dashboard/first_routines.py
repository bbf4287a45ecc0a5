"""Routines to begin with: what many repositories want done again and again."""

from collections.abc import Sequence
from dataclasses import dataclass

from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.engine.desk.triggers import Wanted
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.routines import Template
from roundtable_desktop.model.states import TriggerKind
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.marking import N_


@dataclass(frozen=True, slots=True)
class FirstRoutine:
    """code: how the page names it. title, words: of the task that it makes each time."""

    code: str
    name: str
    cron: str
    title: str
    words: str

    def wanted(self, agent: Agent) -> NewRoutine:
        """One that was due while the machine slept is made up for once."""
        return NewRoutine(
            workspace_id=agent.workspace_id,
            name=_(self.name),
            assignee_agent_id=agent.id,
            catch_up_max=1,
            template=Template(_(self.title), _(self.words)),
            triggers=[Wanted(TriggerKind.SCHEDULE, cron_expression=self.cron)],
        )


FIRST_ROUTINES: Sequence[FirstRoutine] = (
    FirstRoutine(
        "dependencies",
        N_("Daily look at dependencies"),
        "30 8 * * 1-5",
        N_("Dependencies of {{date}}"),
        N_(
            "Look which dependencies of this repository are out of date or have known faults. "
            "Update those that need no change of the code, run the tests, and say in your result "
            "what you left and why. Change nothing else."
        ),
    ),
    FirstRoutine(
        "todos",
        N_("Weekly sweep of to-dos"),
        "0 10 * * 1",
        N_("To-dos, week of {{date}}"),
        N_(
            "Look for comments that name something left to do. Take up to three that are small "
            "and clear, do what they say, run the tests, and remove the comments. Name the others "
            "in your result, the most urgent first."
        ),
    ),
    FirstRoutine(
        "tests",
        N_("Nightly tests"),
        "30 4 * * *",
        N_("Tests of {{date}}"),
        N_(
            "Run all tests of this repository. If some fail, find the cause of one and mend it, "
            "without weakening a test; say in your result what else fails. If all pass, change "
            "nothing and say so."
        ),
    ),
)


def by_code(code: str) -> FirstRoutine:
    return next(one for one in FIRST_ROUTINES if one.code == code)

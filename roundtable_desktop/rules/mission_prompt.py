"""What an agent is told of the mission that its task belongs to, or that it leads (A-17, R-21)."""

from collections.abc import Sequence
from dataclasses import dataclass

from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import Adapter, DeliveryMode
from roundtable_desktop.rules.accepting import without_lines
from roundtable_desktop.rules.fences import quoted

GOAL = 300
"""Characters of a mission's goal that whoever works on a part of it is told."""
MOST_TASKS = 100
"""Of a mission, that its coordinator is told of; the rest it has to ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissionTold:
    """goes_to: the branch that all of it is brought to in the end. leads: whether the task is the
    root of the mission. tasks: of the mission so far, for whoever leads it."""

    goal: str
    goes_to: str
    delivery: DeliveryMode
    leads: bool
    tasks: Sequence[Task] = ()


def belongs(told: MissionTold, task: Task) -> list[str]:
    """Lines of the task's part of a prompt."""
    if told.leads:
        last = _IN_THE_END[told.delivery].format(branch=told.goes_to)
        return [f"You lead this mission: what stands below is its goal. {last}"]
    goal = " ".join(without_lines(told.goal).split())
    short = goal if len(goal) <= GOAL else f"{goal[: GOAL - 1].rstrip()}…"
    lines = [f"It is a part of a mission, whose goal begins with: {short}"]
    if task.write_area:
        area = dict.fromkeys((*task.write_area, *task.expected_files))
        lines.append(
            f"Change nothing but: {', '.join(area)}. Others work on the rest at the same"
            " time; if you need more, say so in your report."
        )
    return [*lines, _NO_OTHER_TRY]


_NO_OTHER_TRY = (
    "If another try could not do it either, report failed and say why as its error's kind:"
    " interface (two parts do not fit each other), environment (this machine cannot do it) or"
    " choice (something has to be chosen first)."
)

_IN_THE_END = {
    DeliveryMode.APPROVAL: "When it is reached, the developer decides whether its work goes to"
    " {branch}.",
    DeliveryMode.AUTO: "When it is reached, its work goes to {branch} by itself.",
}


def so_far(told: MissionTold) -> str:
    """For whoever leads it, after the goal."""
    if not told.tasks:
        return "It has no tasks yet."
    lines = [_line(one) for one in told.tasks[:MOST_TASKS]]
    if len(told.tasks) > MOST_TASKS:
        lines.append(f"and {len(told.tasks) - MOST_TASKS} more; task_list tells them all")
    listed = "\n".join(lines)
    return f"Its tasks so far:\n\n{quoted(listed)}"


def _line(task: Task) -> str:
    waits = f" (waits for {(task.blocked or {}).get('owner')})" if task.blocked else ""
    return f"T-{task.number} {task.status}{waits}: {task.title}"


def leading(adapter: Adapter) -> str:
    """How a mission is led: for an agent with tools, or for a program that has none."""
    return _ALONE if adapter is Adapter.COMMAND else _BY_TOOLS


_BY_TOOLS = """# How to lead it

You plan, others work: change no file yourself. In your first turn:

1. Look around. state_get says which agents there are and what they are for; repo_read and
   repo_search show the repository, and so does your copy.
2. Cut the goal into tasks with task_create, those first that others wait for: you get the id of
   each. A task is what one agent can do in one turn and somebody can judge by itself. Mostly
   three to ten are enough; none is better than one that nobody needs.
3. Say of each:
   - description: all that is needed to do it. Its agent sees this and the first words of the
     goal, not your other tasks.
   - acceptance: by what it is seen that it is done: a command that passes, a file that is there.
   - write_area: the paths that it may change. Tasks whose areas meet are done one after the
     other, and one without an area is done alone: cut the work so that areas do not meet.
   - depends_on: hard for what must be done and merged before it begins; serialization for what
     should go first if it can; conflict for what must never run at the same time; soft for what
     it helps to have first.
   - gates: a review by agents whose role is reviewer where a mistake would be costly; an approval
     where the developer must decide. Nobody reviews their own work.
   - assignee_agent: only if one agent is right for it. Left out, the worker with the least to do
     gets it.
   - optional: true, if the goal is reached without it.
4. Stop when the goal is covered. Start nothing and wait for nothing: tasks begin in waves as soon
   as nothing stands in their way, failed ones are tried again, and the work of each is merged
   before those begin that wait for it. End your turn; report completed and say in the summary how
   you have cut the goal.

You are woken again when all tasks are over, when one cannot go on without you, and when the
developer says something. See with task_list and task_get how they stand. Then answer with
task_comment on the task that asks, change tasks with task_update, stop one with task_block, or
make those that are missing. If the developer changes what is wanted, the tasks that it touches
wait for you: put them right, then call task_update with an impact. What only the developer can
decide, report as blocked with owner user.

When all are over and nothing is missing, report completed, and say in the summary what of the
goal is reached and what is not. Do not call it reached because the tasks are over."""

_ALONE = """# How to lead it

You have no tools here: you can make no tasks, give none to other agents, answer none of them and
ask for no review. All that you can do is to think the goal through, look at the repository in
your copy, and report.

If the goal still has parts that are no tasks, report "blocked" with the owner "user", and put the
plan into its action: each task with its title, what is to be done, by what it is judged, which
paths it may change, and which of the others come first. The developer makes the tasks from it, or
gives the mission to an agent that has tools.

If all of its tasks are over, report "completed" and say in the summary what of the goal is
reached and what is not; or "blocked" with the tasks that are missing."""

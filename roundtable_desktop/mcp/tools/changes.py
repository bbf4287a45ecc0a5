"""The tools by which an agent changes the tasks below its own, or says that one is stuck."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from roundtable_desktop.mcp.calls import Arguments, Call, Tool, tool
from roundtable_desktop.mcp.tools.tasks import DESCRIPTION_LENGTH, SUBTASKS, Name, Path, Title
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.messages import BlockedOn, WorkerResult
from roundtable_desktop.model.missions import Impact
from roundtable_desktop.model.owners import BLOCKED_OWNER

REASON_LENGTH = 2000
ID = Field(min_length=6, max_length=64)


class ChangeWanted(Arguments):
    task_id: Annotated[
        str | None,
        Field(description="A task below your own; task_list shows them. Left out with impact."),
        ID,
    ] = None
    title: Title | None = None
    description: Annotated[str | None, Field(max_length=DESCRIPTION_LENGTH)] = None
    acceptance: Annotated[
        str | None,
        Field(max_length=DESCRIPTION_LENGTH, description="By what its work is judged."),
    ] = None
    expected_files: Annotated[
        list[Path] | None, Field(max_length=100, description="Paths that it should change.")
    ] = None
    write_area: Annotated[
        list[Path] | None,
        Field(max_length=100, description="In a mission: what it may change from now on."),
    ] = None
    assignee_agent: Annotated[
        Name | None, Field(description="Name or id of the agent that does it from now on.")
    ] = None
    blocked_by: Annotated[
        list[Name] | None,
        Field(max_length=SUBTASKS, description="All that it waits for from now on, as ids."),
    ] = None
    impact: Annotated[
        Literal["implementation", "architecture"] | None,
        Field(
            description="Of a mission that you lead, alone: what a change of what is wanted means."
            " The tasks that it touches wait until you say so. implementation: they go on as they"
            " are now. architecture: how the parts fit together changes; the developer is asked,"
            " and their yes lets them go on."
        ),
    ] = None
    note: Annotated[
        str, Field(max_length=REASON_LENGTH, description="With impact: why, in a sentence.")
    ] = ""


class BlockWanted(Arguments):
    task_id: Annotated[
        str | None, Field(description="A task below your own; left out: your own."), ID
    ] = None
    reason: Annotated[
        str, Field(min_length=1, max_length=REASON_LENGTH, description="Why it cannot go on.")
    ]
    owner: Annotated[
        str,
        Field(max_length=200, pattern=BLOCKED_OWNER),
        Field(
            description="Who has to do something: user, coordinator, architect, debugger or"
            " agent:NAME."
        ),
    ] = "user"
    action: Annotated[
        str, Field(min_length=1, max_length=REASON_LENGTH, description="What they have to do.")
    ]


@tool(ChangeWanted)
def task_update(call: Call, wanted: ChangeWanted) -> Mapping[str, object]:
    """Changes a task below your own: its words, where it may write, what it waits for, or who does
    it. What you leave out stays as it is. A new assignee starts on it as soon as nothing holds it;
    in a mission when a wave has room for it. With an impact it says what a change of what is
    wanted means for the mission that you lead."""
    if wanted.impact is not None:
        return call.desk.changes.assess(call.holder, Impact(wanted.impact), wanted.note, call.key)
    if wanted.task_id is None:
        raise Invalid("name_a_task_below", "/task_id")
    named = ("title", "description", "acceptance", "expected_files", "write_area")
    given = {name: getattr(wanted, name) for name in named}
    values = {name: one for name, one in given.items() if one is not None}
    return call.desk.changes.task(
        call.holder, wanted.task_id, values, wanted.assignee_agent, wanted.blocked_by, call.key
    )


@tool(BlockWanted)
def task_block(call: Call, wanted: BlockWanted) -> Mapping[str, object]:
    """Says that a task cannot go on until somebody does something. Of your own task it is your
    report: end your turn after it. Of one below yours: whoever works on it is ended, and nothing
    works on it until it is opened again."""
    if wanted.task_id is None:
        if call.holder.task_id is None:
            raise Invalid("name_a_task", "/task_id")
        blocked = BlockedOn(owner=wanted.owner, action=wanted.action)
        report = WorkerResult(status="blocked", summary=wanted.reason, blocked=blocked)
        return call.desk.result(call.holder, report, call.key)
    return call.desk.changes.block(
        call.holder, wanted.task_id, wanted.reason, wanted.owner, wanted.action, call.key
    )


TOOLS: tuple[Tool, ...] = (task_update, task_block)

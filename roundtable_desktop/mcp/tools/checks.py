"""The tool by which an agent has the workspace's own checks run."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from roundtable_desktop.mcp.calls import Arguments, Call, Tool, tool
from roundtable_desktop.model.errors import Invalid


class CheckWanted(Arguments):
    name: Annotated[
        str | None,
        Field(min_length=1, max_length=200),
        Field(description="Of the check that is to be run."),
    ] = None
    check_id: Annotated[
        str | None,
        Field(min_length=6, max_length=64),
        Field(description="Of an answer before: how that one went."),
    ] = None


@tool(CheckWanted)
def test_run(call: Call, wanted: CheckWanted) -> Mapping[str, object]:
    """Runs one of the workspace's checks on what your mission has merged so far, and returns a
    check_id at once; call it with that later for the status (asked, passed, failed, missing) and
    what it printed. Without arguments it lists the checks. To test what is in your copy alone, run
    the command there yourself."""
    checks = call.desk.checks
    if wanted.name is not None and wanted.check_id is not None:
        raise Invalid("name_or_check_id", "/check_id")
    if wanted.check_id is not None:
        return checks.result(call.holder, wanted.check_id)
    if wanted.name is not None:
        return checks.run(call.holder, wanted.name, call.key)
    return checks.names(call.holder)


TOOLS: tuple[Tool, ...] = (test_run,)

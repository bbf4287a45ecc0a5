"""The tools by which a run keeps something for itself while it works."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from roundtable_desktop.mcp.calls import Arguments, Call, Tool, tool

Resource = Annotated[str, Field(min_length=1, max_length=512)]
AT_ONCE = 20


class ClaimWanted(Arguments):
    resources: Annotated[
        list[Resource],
        Field(min_length=1, max_length=AT_ONCE),
        Field(
            description="Paths of the repository, such as src/app (all that is in it) or"
            " src/app/main.py, or any name of that form, such as port/8080."
        ),
    ]


class ClaimGivenBack(Arguments):
    resources: Annotated[
        list[Resource],
        Field(max_length=AT_ONCE, default_factory=list),
        Field(description="Left out: all that you keep."),
    ]


class ClaimsAsked(Arguments):
    pass


@tool(ClaimWanted)
def claim_acquire(call: Call, wanted: ClaimWanted) -> Mapping[str, object]:
    """Keeps these for you alone until you let go of them or your turn ends: all of them or none.
    Claim what you are about to change when others work in the same workspace. If another agent
    keeps one of them, you are told who; nothing waits."""
    return call.desk.claims.acquire(call.holder, wanted.resources, call.key)


@tool(ClaimGivenBack)
def claim_release(call: Call, given: ClaimGivenBack) -> Mapping[str, object]:
    """Lets go of what you keep for yourself, so that others can have it."""
    return call.desk.claims.release(call.holder, given.resources, call.key)


@tool(ClaimsAsked, reads=True)
def claim_list(call: Call, asked: ClaimsAsked) -> Mapping[str, object]:
    """What is kept by whom in your workspace, your own claims among them."""
    return call.desk.claims.every(call.holder)


TOOLS: tuple[Tool, ...] = (claim_acquire, claim_release, claim_list)

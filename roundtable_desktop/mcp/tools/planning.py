"""What an agent says of a new task so that a mission can plan it."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from roundtable_desktop.mcp.calls import Arguments
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.states import DependencyType

AREA = 100
"""Patterns of one task."""
REASON_LENGTH = 500
MOST_PRIORITY = 100


class Before(Arguments):
    """An edge to another task of the same mission."""

    depends_on_task_id: Annotated[
        str, Field(min_length=6, max_length=64, description="Id of one of its sister tasks.")
    ]
    dependency_type: Annotated[
        str,
        Field(pattern="^(hard|soft|conflict|serialization)$"),
        Field(
            description="hard: that one must be done first, and its work is then there."
            " serialization: that one goes first if it can. conflict: never both at once."
            " soft: it helps to have that one first, and nothing waits for it."
            " All but hard are for tasks of a mission."
        ),
    ] = "hard"
    reason: Annotated[str, Field(max_length=REASON_LENGTH)] = ""


WriteArea = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=1024)]],
    Field(max_length=AREA, default_factory=list),
    Field(
        description="In a mission: the paths, folders (src/app/) and globs (docs/*.md) that it may"
        " change. Tasks whose areas meet are done one after the other; one without an area is done"
        " alone."
    ),
]
Priority = Annotated[
    int, Field(ge=-MOST_PRIORITY, le=MOST_PRIORITY, description="The higher the sooner.")
]
Optional = Annotated[
    bool, Field(description="In a mission: it may fail without the mission failing.")
]


def edges(wanted: Sequence[Before]) -> tuple[Edge, ...]:
    return tuple(
        Edge(
            depends_on_task_id=one.depends_on_task_id,
            dependency_type=DependencyType(one.dependency_type),
            reason=one.reason,
            pointer=f"/depends_on/{place}",
        )
        for place, one in enumerate(wanted)
    )

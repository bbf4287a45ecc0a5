"""The tools by which an agent reads the repository, and hands in a change as a patch."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from roundtable_desktop.mcp.calls import Arguments, Call, Tool, tool
from roundtable_desktop.model.errors import Invalid

PATCH_BYTES = 512 * 1024
MESSAGE_BYTES = 8 * 1024
PIECE = 64 * 1024
FAR = 8 * 1024 * 1024

Newest = Annotated[
    bool,
    Field(
        description="false: as it was when your turn began. true: the newest of the branch that"
        " your work goes to, with what others have brought in since."
    ),
]


class ReadAsked(Arguments):
    path: Annotated[
        str, Field(max_length=1024, description="Of a file or a folder; left out: the top folder.")
    ] = ""
    offset: Annotated[
        int, Field(ge=0, le=FAR, description="next_offset of the answer before, for the rest.")
    ] = 0
    limit: Annotated[
        int, Field(ge=1, le=PIECE, description="Bytes of a file, or entries of a folder.")
    ] = 16 * 1024
    newest: Newest = False


class SearchAsked(Arguments):
    words: Annotated[
        str,
        Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$"),
        Field(description="As they stand in one line; no pattern."),
    ]
    path: Annotated[str, Field(max_length=1024, description="Only below it.")] = ""
    any_case: bool = False
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    newest: Newest = False


class PatchGiven(Arguments):
    patch: Annotated[
        str,
        Field(min_length=1, max_length=PATCH_BYTES),
        Field(description="As git diff prints it, of text files, with paths below a/ and b/."),
    ]
    base: Annotated[
        str | None,
        Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$"),
        Field(
            description="The whole name of the commit that it is made against: base_commit of"
            " state_get, or the newest of the branch; left out: the first."
        ),
    ] = None
    message: Annotated[
        str, Field(max_length=MESSAGE_BYTES, description="What it does, in a few sentences.")
    ] = ""


@tool(ReadAsked, reads=True)
def repo_read(call: Call, asked: ReadAsked) -> Mapping[str, object]:
    """A file or a folder of the repository, as it is committed; you need no copy for it. A long
    file comes in pieces. Of a file that is no text you are told its size."""
    desk = call.desk.repository
    return desk.read(call.holder, asked.path, asked.offset, asked.limit, asked.newest)


@tool(SearchAsked, reads=True)
def repo_search(call: Call, asked: SearchAsked) -> Mapping[str, object]:
    """Lines of the repository's text files that have these words, with path and number."""
    words = (asked.words, asked.path, asked.any_case, asked.limit, asked.newest)
    return call.desk.repository.search(call.holder, *words)


@tool(PatchGiven)
def proposal_create(call: Call, given: PatchGiven) -> Mapping[str, object]:
    """Hands in a change as a patch, instead of leaving it in your copy (what you leave there is
    collected by itself, and needs no patch). It is checked at once, and becomes the proposal of
    this id when you report your task as completed. Handing in another one replaces it.

    Refused are paths outside the repository or of git itself, links, submodules and files that are
    no text.
    """
    _check_size(given.patch, PATCH_BYTES, "/patch")
    _check_size(given.message, MESSAGE_BYTES, "/message")
    words = (given.patch, given.base, given.message)
    return call.desk.patches.submit(call.holder, *words, call.key)


def _check_size(text: str, limit: int, pointer: str) -> None:
    if len(text.encode()) > limit:
        raise Invalid("text_too_large", pointer, limit=limit // 1024)


TOOLS: tuple[Tool, ...] = (repo_read, repo_search, proposal_create)

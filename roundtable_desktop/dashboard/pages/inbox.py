"""The pages of the inbox: what needs the person, answered in place, and what was answered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from flask import Flask, render_template
from pydantic import Field

from roundtable_desktop.dashboard.api.inbox_rows import InboxRow, row
from roundtable_desktop.dashboard.api.shapes import Ref
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.labels import answer_label
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.reading import Asked, Paging, Words, cut
from roundtable_desktop.engine.desk import Desk, inbox
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_placed import Placed
from roundtable_desktop.model.records import InboxItem, Task
from roundtable_desktop.model.spans import span_of
from roundtable_desktop.model.states import InboxKind


class Answered(Asked):
    """answered: an item whose answer was sent just now; the agent gets it a moment later."""

    answered: Ref | None = None


class Shown(Answered, Paging):
    status: Literal["open", "snoozed", "resolved"] = "open"


class Answer(Words):
    """back: the page that the answer was given on."""

    action: Annotated[str, Field(min_length=1, max_length=200)]
    back: Literal["/", "/inbox"] = "/inbox"


class Later(Words):
    span: Literal["1h", "4h", "1d", "1w"]
    back: Literal["/", "/inbox"] = "/inbox"


class PutAway(Words):
    how: Literal["ack", "resolve"]
    back: Literal["/", "/inbox"] = "/inbox"


@dataclass(frozen=True, slots=True)
class Ask:
    """An item with the run that asks; chosen: the name of the option that was taken. task: the one
    that the item names. closable: nobody waits for what is decided."""

    item: InboxRow
    placed: Placed | None
    chosen: str
    task: Task | None = None
    closable: bool = False


def asks(look: Look, found: Sequence[InboxItem]) -> list[Ask]:
    placed = look.asking(found)
    about = look.about(found)
    return [
        Ask(row(one), placed.get(one.id), _chosen(one), about.get(one.id), inbox.closable(one))
        for one in found
    ]


def _chosen(item: InboxItem) -> str:
    taken = (item.resolution or {}).get("option")
    options: Any = item.data.get("options") or ()
    chosen = next((str(one["name"]) for one in options if one["id"] == taken), "")
    return chosen if item.kind is InboxKind.PERMISSION else answer_label(chosen)


def pages(desk: Desk, look: Look) -> Callable[[Flask], None]:
    def shown(query: Shown, refused: str = "") -> str:
        found = look.inbox(query.after, query.limit + 1, status=query.status)
        kept, cursor = cut(found, query.limit, lambda one: one.id)
        return render_template(
            "inbox.html",
            asks=asks(look, kept),
            status=query.status,
            cursor=cursor,
            answered=query.answered,
            refused=refused,
        )

    def add(app: Flask) -> None:
        @app.get("/inbox")
        def show_inbox() -> str:
            return shown(page_query(Shown))

        @app.post("/inbox/<ref>/act")
        def act_on_item(ref: str) -> Any:
            answer, asked = read_form(Answer), from_form()
            item = look.inbox_item(ref)
            done = f"{answer.back}?{urlencode({'answered': item.id})}"
            return tried(
                lambda: inbox.act(desk, asked, item.id, answer.action),
                done,
                lambda why: shown(Shown(), why),
                "/inbox",
            )

        @app.post("/inbox/<ref>/snooze")
        def put_item_off(ref: str) -> Any:
            form, asked, item = read_form(Later), from_form(), look.inbox_item(ref)
            until = look.now() + (span_of(form.span) or timedelta(hours=1))
            return tried(
                lambda: inbox.snooze(desk, asked, item.id, until),
                form.back,
                lambda why: shown(Shown(), why),
                told=lambda _: "inbox_snoozed",
            )

        @app.post("/inbox/<ref>/put-away")
        def put_item_away(ref: str) -> Any:
            form, asked, item = read_form(PutAway), from_form(), look.inbox_item(ref)
            act = inbox.ack if form.how == "ack" else inbox.resolve
            return tried(
                lambda: act(desk, asked, item.id),
                form.back,
                lambda why: shown(Shown(), why),
                "/inbox",
                told=lambda _: "inbox_seen" if form.how == "ack" else "inbox_closed",
            )

    return add

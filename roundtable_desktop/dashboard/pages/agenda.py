"""The page of the days to come: what is due, day by day, and whether it will run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import Literal
from zoneinfo import ZoneInfo

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.agenda import asleep_sentence, sentence_of
from roundtable_desktop.dashboard.api.shapes import Ref, Say
from roundtable_desktop.dashboard.pages import filtering
from roundtable_desktop.dashboard.pages.filtering import Choice, Filtered
from roundtable_desktop.dashboard.pages.frame import page_query
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.agenda import Coming
from roundtable_desktop.phrases import _, n_
from roundtable_desktop.phrases.agenda import KINDS

SPANS = ("1", "3", "7", "14", "31")
USUAL = "7"


class Shown(Filtered):
    days: Literal["1", "3", "7", "14", "31"] | None = None
    workspace: Ref | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """clock: on the wall of the page's zone; own_clock: on that of its schedule, where it shows
    another time. tone, word: of its chip."""

    one: Coming
    clock: str
    own_clock: str
    tone: str
    word: str
    how: str
    sentence: str
    asleep: str


@dataclass(frozen=True, slots=True)
class Day:
    name: str
    rows: Sequence[Row]


def pages(look: Look, say: Say, zone: str) -> Callable[[Flask], None]:
    """zone: of the person who looks; of one workspace its own counts."""

    def add(app: Flask) -> None:
        @app.get("/agenda")
        def show_agenda() -> str:
            query = page_query(Shown)
            where = look.workspace(query.workspace) if query.workspace else None
            days = int(query.days or USUAL)
            here = ZoneInfo((where and where.timezone) or zone)
            seen = look.agenda.ahead(timedelta(days=days), where, zone=here.key)
            return render_template(
                "agenda.html",
                days=_by_day(seen.items, here, say, seen.since.astimezone(here).date()),
                seen=seen,
                zone=here.key,
                chosen=query.chosen(),
                choices={
                    "days": [Choice(one, _days(int(one))) for one in SPANS],
                    "workspace": filtering.offered(look).workspaces,
                },
                span=_days(days),
            )

    return add


def _days(count: int) -> str:
    return n_("{count} day", "{count} days", count)


def _by_day(items: Sequence[Coming], zone: ZoneInfo, say: Say, today: date) -> list[Day]:
    days = groupby(items, lambda one: one.at.astimezone(zone).date())
    return [Day(_named(day, today), [_row(one, zone, say) for one in group]) for day, group in days]


def _named(day: date, today: date) -> str:
    shown = f"{day:%a} {day.day} {day:%b %Y}"
    if day == today:
        return _("Today, {day}").format(day=shown)
    return _("Tomorrow, {day}").format(day=shown) if day == today + timedelta(days=1) else shown


def _row(one: Coming, zone: ZoneInfo, say: Say) -> Row:
    clock = f"{one.at.astimezone(zone):%H:%M}"
    own = f"{one.at.astimezone(ZoneInfo(one.zone)):%H:%M}"
    tone, word = ("paused", _("Will not run"))
    if one.will_run:
        tone, word = ("pending", _("Later")) if one.reason else ("running", _("Will run"))
    return Row(
        one,
        clock,
        "" if own == clock else f"{own} {one.zone}",
        tone,
        word,
        _(KINDS[one.kind]),
        sentence_of(one, say),
        asleep_sentence(one, one.asleep) if one.asleep else "",
    )

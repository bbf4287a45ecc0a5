"""The page of the doctor: what was looked at, how it stands, what mends it; a report to copy."""

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flask import Flask, g, render_template, request

import roundtable_desktop
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.labels import label
from roundtable_desktop.dashboard.pages.frame import from_form, page_query
from roundtable_desktop.dashboard.reading import Asked, Nothing
from roundtable_desktop.engine.desk.doctor import Doctor
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.findings import Finding, Standing
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.phrases.doctor import CHECKS, CURES, DOCTOR, MEANINGS, NEXT_START, WAYS

FRESH = timedelta(seconds=60)
"""How old a look may be that a page shows when it renews itself: the look reads the database."""

MOMENTS = ("at", "now", "last")
"""Values that are instants."""

TONES = {Standing.OK: "done", Standing.NOTICE: "waiting", Standing.CRITICAL: "failed"}
"""By its standing, the code whose colour it has."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One look: what was found, and when."""

    at: datetime
    found: Sequence[Finding]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One finding in words. command: the cure is a command, to be copied as it is. way: the page
    where it is mended, and the words of the link to it."""

    name: str
    meaning: str
    tone: str
    state: str
    sentence: str
    cure: str
    command: bool
    way: tuple[str, str] | None


def pages(look: Look, doctor: Doctor, figures: Figures) -> Callable[[Flask], None]:
    here = _Pages(look, doctor, figures)

    def add(app: Flask) -> None:
        @app.get("/doctor")
        def show_doctor() -> str:
            page_query(Asked)
            by_itself = request.headers.get("Sec-Fetch-Dest") == "empty"
            return here.page(here.last() if by_itself else here.look_anew())

        @app.post("/doctor/fix")
        def fix_findings() -> Any:
            """Shown at once: what was mended is seen once, by who asked for it."""
            read_form(Nothing)
            from_form()
            g.here = "/doctor"
            return here.page(here.keep(doctor.fix()))

    return add


class _Pages:
    def __init__(self, look: Look, doctor: Doctor, figures: Figures) -> None:
        self._look, self._doctor, self._figures = look, doctor, figures
        self._seen: Seen | None = None

    def look_anew(self) -> Seen:
        return self.keep(self._doctor.findings())

    def keep(self, found: Sequence[Finding]) -> Seen:
        self._seen = seen = Seen(self._look.now(), found)
        return seen

    def last(self) -> Seen:
        """The last look, unless it is old."""
        seen = self._seen
        fresh = seen is not None and self._look.now() - seen.at < FRESH
        return seen if seen is not None and fresh else self.look_anew()

    def page(self, seen: Seen) -> str:
        ranks = list(Standing)
        found = sorted(seen.found, key=lambda one: -ranks.index(one.standing))
        worst = max((one.standing for one in found), key=ranks.index, default=Standing.OK)
        return render_template(
            "doctor.html",
            checks=list(self._checks(found)),
            fixable=any(one.fixable and not one.fixed for one in found),
            worst=worst,
            looked_at=seen.at,
            next_start=[self._said(code, values) for code, values in self._doctor.next_start()],
            report=report(seen),
        )

    def _checks(self, found: Sequence[Finding]) -> Iterator[Check]:
        """What each is looked at for is said once."""
        said: set[str] = set()
        for one in found:
            yield self._check(one, "" if one.check in said else MEANINGS.get(one.check, ""))
            said.add(one.check)

    def _check(self, one: Finding, meaning: str) -> Check:
        cured = one.code in CURES and one.standing is not Standing.OK
        cure = sentence(one.code, one.values, CURES) if cured else ""
        words = {Standing.OK: _("Sound"), Standing.NOTICE: _("Look at it")}
        state = _("Mended") if one.fixed else words.get(one.standing, _("Mend it"))
        return Check(
            name=_(CHECKS[one.check]) if one.check in CHECKS else one.check,
            meaning=_(meaning) if meaning else "",
            tone=TONES[one.standing],
            state=state,
            sentence=self._told(one.code, one.values, DOCTOR),
            cure=cure,
            command=cure.startswith("roundtable "),
            way=(WAYS[one.code][0], _(WAYS[one.code][1])) if one.code in WAYS else None,
        )

    def _said(self, code: str, values: Mapping[str, object]) -> str:
        shown = {
            **values,
            **({"intake": label(str(values["intake"]))} if "intake" in values else {}),
        }
        return sentence(code, shown, NEXT_START)

    def _told(self, code: str, values: Mapping[str, object], rather: Mapping[str, str]) -> str:
        """Its instants in the zone of who looks."""
        shown = {
            name: self._figures.plain_moment(value)
            if name in MOMENTS and isinstance(value, str)
            else value
            for name, value in values.items()
        }
        return sentence(code, shown, rather)


def report(seen: Seen) -> str:
    """Everything as text, for whoever helps: in UTC, with the codes."""
    machine = f"Python {platform.python_version()} · {platform.platform()}"
    head = [
        f"Roundtable Desktop {roundtable_desktop.__version__} · {machine}",
        rfc3339(seen.at),
        "",
    ]
    lines = [_line(one) for one in seen.found]
    return "\n".join([*head, *lines]) + "\n"


def _line(one: Finding) -> str:
    mended = " (mended)" if one.fixed else ""
    told = sentence(one.code, one.values, DOCTOR)
    return f"[{one.standing}{mended}] {one.check}/{one.code}: {told}"

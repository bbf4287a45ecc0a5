"""The pages for people, one file per noun; each adds its views."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from flask import Flask

from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.pages import (
    activity,
    agenda,
    agents,
    appearance,
    board,
    control,
    doctor,
    frame,
    held,
    inbox,
    missions,
    office,
    overview,
    proposal_list,
    proposals,
    routine_forms,
    routines,
    run_list,
    runs,
    search,
    settings,
    task_forms,
    tasks,
    transcripts,
    usage,
    wakeups,
    waking,
    webhooks,
    welcome,
)
from roundtable_desktop.dashboard.telling import telling
from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.desk.doctor import Doctor
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.welcome import Welcome
from roundtable_desktop.model.states import Health


def all_of_them(
    desk: Desk,
    look: Look,
    health: Callable[[], Health],
    zone: str,
    looking: Doctor,
    setting_up: Welcome,
    stopped_at: Callable[[], datetime | None] = lambda: None,
) -> Sequence[Callable[[Flask], None]]:
    """stopped_at: when the scheduler ended though nobody stopped it."""
    figures = Figures(zone)
    say = telling(figures)
    return (
        frame.pages(look, health, figures, say, stopped_at),
        appearance.pages(),
        office.pages(),
        search.pages(look),
        overview.pages(look, say),
        waking.pages(desk, look, partial(overview.page, look, say)),
        wakeups.pages(desk, look, say, partial(overview.page, look, say)),
        activity.pages(look, figures),
        agenda.pages(look, say, zone),
        settings.pages(desk, look, looking),
        doctor.pages(look, looking, figures),
        inbox.pages(desk, look),
        tasks.pages(desk, look, say),
        routines.pages(desk, look, say),
        routine_forms.pages(desk, look),
        webhooks.pages(desk, look, say),
        task_forms.pages(desk, look, say),
        agents.pages(desk, look, say),
        missions.pages(desk, look, say),
        board.pages(desk, look, say),
        run_list.pages(desk, look, figures),
        runs.pages(desk, look, say),
        transcripts.pages(look),
        proposal_list.pages(look, say),
        usage.pages(desk, look, zone),
        proposals.pages(desk, look, say),
        control.pages(desk, look, say),
        held.pages(desk, look),
        welcome.pages(desk, look, setting_up),
    )

"""The API, one file per noun; each declares its routes."""

from collections.abc import Callable

import roundtable_desktop
from roundtable_desktop.dashboard.api import (
    agenda,
    agent_tests,
    agents,
    approvals,
    artifacts,
    board,
    budgets,
    bundles,
    config,
    control,
    copies,
    doctor,
    events,
    inbox,
    memories,
    mission_control,
    missions,
    proposals,
    recovering,
    routines,
    run_files,
    runs,
    search,
    settings,
    sign_in_links,
    simulate,
    sittings,
    status,
    summaries,
    tasks,
    test_clock,
    transcripts,
    usage,
    wakeups,
    webhooks,
    workspaces,
)
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.live import Streams
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import SignIn
from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.desk.doctor import Doctor
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.test_clock import ClockHands
from roundtable_desktop.model.states import Health


def declare_all(
    api: Api,
    desk: Desk,
    look: Look,
    signin: SignIn,
    streams: Streams,
    health: Callable[[], Health],
    hands: ClockHands | None,
    looking: Doctor,
) -> None:
    """hands: of the test clock, where there is one."""
    sign_in_links.declare(api, signin)
    status.declare(api, look, health, roundtable_desktop.__version__)
    control.declare(api, desk, look, health)
    doctor.declare(api, looking)
    bundles.declare(api, desk, look)
    settings.declare(api, desk, look)
    workspaces.declare(api, desk, look)
    copies.declare(api, look)
    mission_control.declare(api, desk, look)
    sittings.declare(api, desk, look)
    config.declare(api, desk, look)
    agents.declare(api, desk, look)
    agent_tests.declare(api, desk, look)
    summaries.declare(api, look)
    memories.declare(api, desk, look)
    tasks.declare(api, desk, look)
    routines.declare(api, desk, look.routines)
    webhooks.declare(api, desk, look, health)
    missions.declare(api, desk, look)
    board.declare(api, desk, look)
    approvals.declare(api, desk, look)
    budgets.declare(api, desk, look)
    usage.declare(api, desk, look)
    runs.declare(api, desk, look)
    run_files.declare(api, look)
    artifacts.declare(api, desk, look)
    recovering.declare(api, desk, look)
    search.declare(api, look.search)
    transcripts.declare(api, look)
    wakeups.declare(api, desk, look)
    agenda.declare(api, look)
    simulate.declare(api, desk, look)
    proposals.declare(api, desk, look)
    inbox.declare(api, desk, look)
    events.declare(api, look, streams, Figures(desk.local_zone))
    if hands is not None:
        test_clock.declare(api, hands)

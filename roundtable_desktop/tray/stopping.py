"""What the menu's ways do, and what is told of it."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from roundtable_desktop.engine.desk import Asked, control, settings
from roundtable_desktop.engine.desk.ending import Stopped
from roundtable_desktop.model.glance import Standing
from roundtable_desktop.model.records import PERSON
from roundtable_desktop.phrases import _
from roundtable_desktop.tray.menu import (
    ALL,
    LEAVE,
    MUTE,
    NEEDED,
    PAUSE,
    PAUSE_A_LITTLE,
    PAUSE_OVER_NIGHT,
    RESUME,
    REVIVE,
    STOP,
    STOP_ALL,
)
from roundtable_desktop.tray.shown import Seen
from roundtable_desktop.tray.signals import Faces

A_LITTLE, AN_HOUR = timedelta(minutes=30), timedelta(hours=1)
MORNING = 9


def acts_of(faces: Faces, *, muted: bool = False) -> Mapping[str, Callable[[], object]]:
    """By the codes of the menu; each may wait, so the worker does it. muted: it is now, so that to
    mute takes that back."""
    desk, now, asked = faces.desk, faces.look.now, Asked(PERSON)
    return {
        PAUSE_A_LITTLE: lambda: control.pause(desk, asked, now() + A_LITTLE),
        PAUSE: lambda: control.pause(desk, asked),
        RESUME: lambda: control.resume(desk, asked),
        PAUSE_OVER_NIGHT: lambda: control.pause(desk, asked, morning_after(now())),
        STOP: lambda: control.stop(desk, asked),
        LEAVE: lambda: control.leave(desk, asked),
        STOP_ALL: lambda: control.force_stop(desk, asked),
        ALL: lambda: settings.change(desk, asked, {"notifications": "all"}),
        NEEDED: lambda: settings.change(desk, asked, {"notifications": "needed"}),
        MUTE: lambda: settings.mute(desk, asked, None if muted else now() + AN_HOUR),
        REVIVE: faces.revive,
    }


def morning_after(now: datetime) -> datetime:
    """Tomorrow at nine, where the machine is."""
    tomorrow = now.astimezone().replace(tzinfo=None) + timedelta(days=1)
    return tomorrow.replace(hour=MORNING, minute=0, second=0, microsecond=0).astimezone()


def may_close_lid(before: Seen | None, now: Seen) -> bool:
    """It has just become so, for somebody who leaves; at once, where nothing ran."""
    was_not = before is not None and before.glance.state is not Standing.LEFT
    return was_not and now.glance.state is Standing.LEFT


def close_lid() -> tuple[str, str]:
    return _("It is safe to close the lid"), _("Nothing runs. “Resume” lets it go on.")


def left(stopped: object) -> tuple[str, str] | None:
    """Title and text, where a stop could not end everything."""
    if not isinstance(stopped, Stopped) or not stopped.survivors:
        return None
    pids = ", ".join(str(one.pid) for one in stopped.survivors)
    return _("Not all of it could be ended"), _("These are left: {pids}").format(pids=pids)

"""What the menu's ways to pause and stop do, and what is told of it."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from roundtable_desktop.engine.desk import Asked, control
from roundtable_desktop.model.glance import Standing
from roundtable_desktop.model.records import PERSON
from roundtable_desktop.phrases import _
from roundtable_desktop.tray.menu import LEAVE, PAUSE_A_LITTLE, PAUSE_OVER_NIGHT, STOP, STOP_ALL
from roundtable_desktop.tray.shown import Seen
from roundtable_desktop.tray.signals import Faces

A_LITTLE = timedelta(minutes=30)
MORNING = 9


def acts_of(faces: Faces) -> Mapping[str, Callable[[], object]]:
    """By the codes of the menu; each may wait, so the worker does it."""
    desk, now, asked = faces.desk, faces.look.now, Asked(PERSON)
    return {
        PAUSE_A_LITTLE: lambda: control.pause(desk, asked, now() + A_LITTLE),
        PAUSE_OVER_NIGHT: lambda: control.pause(desk, asked, morning_after(now())),
        STOP: lambda: control.stop(desk, asked),
        LEAVE: lambda: control.leave(desk, asked),
        STOP_ALL: lambda: control.force_stop(desk, asked),
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
    if not isinstance(stopped, control.Stopped) or not stopped.survivors:
        return None
    pids = ", ".join(str(one.pid) for one in stopped.survivors)
    return _("Not all of it could be ended"), _("These are left: {pids}").format(pids=pids)

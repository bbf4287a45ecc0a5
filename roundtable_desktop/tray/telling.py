"""The notifications that the tray makes, as texts and buttons."""

from collections.abc import Sequence

from roundtable_desktop.model.states import Health, Severity
from roundtable_desktop.phrases import _, n_, one_line, sentence
from roundtable_desktop.tray.menu import REVIVE
from roundtable_desktop.tray.notify import DEFAULT, LATER, Notice
from roundtable_desktop.tray.shown import Crash, Slept, Waiting

LOG = "log"
DIGEST, HEALTH, SLEPT, CRASH, TEST = "digest", "health", "slept", "crash", "test"
WORKS = "works"
PROPOSAL = "proposal:"
_ERROR = 140

Buttons = Sequence[tuple[str, str]]


def is_proposal(key: str) -> bool:
    return key.startswith(PROPOSAL)


def about(one: Waiting) -> Notice:
    """What a press answers at once stands between Open and Later."""
    urgency = "critical" if one.severity is Severity.CRITICAL else "normal"
    buttons = (_open(), *one.answers, (LATER, _("Later")))
    return Notice(one.id, one.title, one.body, buttons, urgency)


def digest(count: int) -> Notice:
    title = n_("{count} item needs you", "{count} items need you", count)
    return Notice(DIGEST, title, _("They wait on the dashboard."), (_open(), (LATER, _("Later"))))


def failing(health: Health, trouble: str | None) -> Notice:
    if health is Health.DEAD:
        title = _("The scheduler has stopped")
        body = _("It crashed again and again. Nothing new is started; agents go on.")
        buttons = (_open(), (LOG, _("Open log")), (REVIVE, _("Restart")))
        return Notice(HEALTH, title, body, buttons, "critical")
    title = _("Something fails in Roundtable")
    body = _("It is tried again and again. The log in Roundtable's folder says what fails.")
    if trouble is not None:
        body = sentence(f"trouble_{trouble}", {})
    return Notice(HEALTH, title, body, (_open(), (LOG, _("Open log"))))


def crashed(crash: Crash) -> Notice:
    title = _("The scheduler began anew")
    body = _("It crashed and goes on; nothing is lost. {error}")
    told = body.format(error=one_line(crash.error, _ERROR))
    return Notice(CRASH, title, told, ((LOG, _("Open log")),), "low")


def slept(one: Slept) -> Notice:
    """All in one line."""
    due = n_("{count} fire missed", "{count} fires missed", one.due)
    now = n_("{count} of them is made up for", "{count} of them are made up for", one.run)
    text = _("Asleep {begin} to {end}: {due}, {now}.")
    told = text.format(begin=one.begin, end=one.end, due=due, now=now)
    return Notice(SLEPT, _("While the machine slept"), told, (_open(),), "low")


def test() -> Notice:
    """A press on it, or on its button, says that a person has seen it."""
    title, body = _("This is a test"), _("Press the button, so that Roundtable knows you see it.")
    return Notice(TEST, title, body, ((WORKS, _("I see it")),))


def _open() -> tuple[str, str]:
    return DEFAULT, _("Open")

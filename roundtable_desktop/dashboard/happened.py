"""An event as a sentence with links: who did what to what, and where that is to be found."""

from collections.abc import Iterator, Mapping
from string import Formatter

from markupsafe import Markup

from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.inert import inert
from roundtable_desktop.dashboard.labels import actor_label, gate_state, item_label, label
from roundtable_desktop.engine.desk.look_activity import Happened
from roundtable_desktop.model.missions import called
from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.times import instant
from roundtable_desktop.phrases import _, became
from roundtable_desktop.phrases.foresight import WORDS
from roundtable_desktop.phrases.happened import HAPPENED

SHORT = 8
OF_SENTENCE = 200
"""Characters of one value."""

LINK = Markup('<a href="{}">{}</a>')


def told(one: Happened, figures: Figures) -> Markup:
    """One that has no sentence yet is told by its kind."""
    kind = one.event.kind
    template = HAPPENED.get(kind)
    if template is None:
        return Markup("{}").format(kind)
    values = dict(_values(one, figures))
    said = _(template)
    wanted = {name for _text, name, _spec, _how in Formatter().parse(said) if name}
    return Markup(said).format(**{name: values.get(name, "…") for name in wanted})


def who(one: Happened) -> str:
    return _clean(actor_label(one.event.actor_type, one.actor.name if one.actor else _("an agent")))


def _values(one: Happened, figures: Figures) -> Iterator[tuple[str, object]]:
    """What a template may name, as far as this event tells it."""
    data = one.event.data
    name = who(one)
    yield "who", Markup("<strong>{}</strong>").format(name[:1].upper() + name[1:])
    yield "agent", _clean(one.agent.name) if one.agent else _("nobody")
    yield "author", _author(one)
    yield "workspace", _clean(one.workspace.name) if one.workspace else _("the home")
    yield "task", _task(one)
    yield "run", _run(one, _("run {id}"), _("a run"))
    yield "Run", _run(one, _("Run {id}"), _("A run"))
    yield "wakeup", _wakeup(one)
    yield "proposal", _proposal(one, _("the proposal for {task}"), _("a proposal"))
    yield "Proposal", _proposal(one, _("The proposal for {task}"), _("A proposal"))
    yield "routine", _routine(one)
    yield "mission", _mission(one)
    yield "item", _link("/inbox", item_label(str(one.item.kind))) if one.item else _("a question")
    yield "account", _clean(one.event.subject_id)
    yield "copy", _clean(one.event.subject_id)
    yield "changed", _clean(", ".join(_changed(data)))
    say = gate_state if one.event.subject_type in ("gate", "verdict", "mission_review") else label
    yield "before", say(str(data.get("from", "…")))
    yield "after", say(str(data.get("to", "…")))
    yield from _of_data(data, figures)
    if one.event.subject_type == "verdict":
        yield "outcome", gate_state(str(data.get("outcome", "…")))


def _of_data(data: Mapping[str, object], figures: Figures) -> Iterator[tuple[str, object]]:
    for key in ("reason", "held_by", "outcome"):
        yield key, _word(data.get(key))
    until = data.get("until")
    yield "until", figures.plain_moment(instant(until)) if isinstance(until, int) else _("later")
    reason = data.get("reason")
    yield "became", became(str(data.get("status")), reason if isinstance(reason, str) else None)
    yield "source", label(str(data.get("source", "…")))
    yield "intake", label(str(data.get("intake", "…")))
    yield "branch", _clean(str(data.get("branch", "…")))
    yield "dispatched_count", str(data.get("dispatched_count", 0))


def _task(one: Happened) -> object:
    if one.task is None:
        return _("a task")
    return _link(f"/tasks/{one.task.id}", f"T-{one.task.number} {one.task.title}")


def _run(one: Happened, known: str, unknown: str) -> object:
    if one.run is None:
        return unknown
    return _link(f"/runs/{one.run.id}", known.format(id=one.run.id[-SHORT:]))


def _wakeup(one: Happened) -> object:
    if one.wakeup is None:
        return _("a wakeup")
    short = one.wakeup.id[-SHORT:]
    return _link(f"/wakeups/{one.wakeup.id}", _("wakeup {id}").format(id=short))


def _proposal(one: Happened, known: str, unknown: str) -> object:
    if one.proposal is None:
        return unknown
    about = f"T-{one.task.number} {one.task.title}" if one.task else one.proposal.id[-SHORT:]
    return _link(f"/proposals/{one.proposal.id}", known.format(task=about))


def _author(one: Happened) -> str:
    """What no run made is what a mission did as a whole, whoever its task is for."""
    if one.proposal is not None and one.proposal.run_id is None:
        return _("A mission")
    return _clean(one.agent.name) if one.agent else _("nobody")


def _routine(one: Happened) -> object:
    if one.routine is None:
        return _("a routine")
    return _link(f"/routines/{one.routine.id}", one.routine.name)


def _mission(one: Happened) -> object:
    if one.mission is None:
        return _("a mission")
    return _link(f"/missions/{one.mission.id}", called(one.mission.goal))


def _link(path: str, text: str) -> Markup:
    return LINK.format(path, _clean(text))


def _changed(data: Mapping[str, object]) -> list[str]:
    """Names of what was changed; an event that does not list them has them as its keys."""
    listed = data.get("changed")
    names = listed if isinstance(listed, list | tuple) else list(data)
    return [str(name).replace("_", " ") for name in names] or ["…"]


def _word(code: object) -> str:
    if not isinstance(code, str):
        return _("without a reason") if code is None else str(code)
    return _(WORDS[code]) if code in WORDS else label(code)


def _clean(text: str) -> str:
    """As every template shows it (S-35), also within a link."""
    return str(inert(printed(text)))[:OF_SENTENCE]

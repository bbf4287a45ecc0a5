"""The form of a routine: its fields as a person fills them in, the body that they stand for, and
which field a fault is about."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roundtable_desktop.dashboard.problems import Fault
from roundtable_desktop.engine.desk.look_routines import Recurring
from roundtable_desktop.model.routines import Trigger
from roundtable_desktop.model.states import TriggerKind
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.marking import N_

Row = dict[str, str]

MOST = {"schedules": 20, "hooks": 20, "variables": 64}
TEXTS = ("name", "description", "task_title", "task_description")
CHOICES = ("agent", "concurrency_policy", "catch_up_policy", "probe", "status")
NUMBERS = ("catch_up_max", "priority")
ONES = (*TEXTS, *CHOICES, *NUMBERS, "by_hand", "hook_new", "revision")
SCHEDULE = ("cron", "zone", "on", "trigger")
HOOK = ("hook", "hook_on")
VARIABLE = ("var_name", "var_type", "var_default", "var_required", "var_options")
_IN_ROW = re.compile(rf"({'|'.join((*SCHEDULE, *HOOK, *VARIABLE))})_(\d{{1,2}})", re.ASCII)

NEW: Mapping[str, str] = {
    "concurrency_policy": "coalesce_if_active",
    "catch_up_policy": "enqueue_missed_with_cap",
    "catch_up_max": "25",
    "priority": "0",
    "probe": "none",
    "by_hand": "on",
}

SAID: Mapping[str, str] = {
    "name": N_("Give it a name: one line of at most 200 characters."),
    "task_title": N_("Give its task a title: one line of at most 200 characters."),
    "catch_up_max": N_("Write a whole number from 0 to 100."),
    "priority": N_("Write a whole number from -1000 to 1000."),
    "agent": N_("Choose an agent."),
}
"""Of fields whose own words would be those of a program."""

_FIELD_OF = {
    "assignee_agent_id": "agent",
    "task_template": "task_title",
    "task_template/title": "task_title",
    "task_template/description": "task_description",
}
_OF_TRIGGER = {"timezone": "zone", "enabled": "on"}
_OF_VARIABLE = {"variable_options": "var_options", "variable_bad_name": "var_name"}


@dataclass(frozen=True, slots=True)
class Filled:
    """ones: each field that is there once. A row without its first field stands for nothing.
    hooks: the webhooks that are there, each with whether it is on."""

    ones: Mapping[str, str]
    schedules: Sequence[Row] = field(default=())
    variables: Sequence[Row] = field(default=())
    hooks: Sequence[Row] = field(default=())

    def __getitem__(self, name: str) -> str:
        return self.ones.get(name, "")

    def with_room(self, schedules: int = 0, variables: int = 0) -> "Filled":
        """With empty rows after those that are there: so many, and one at least."""
        return Filled(
            self.ones,
            _roomy(self.schedules, schedules, MOST["schedules"], {"on": "on"}),
            _roomy(self.variables, variables, MOST["variables"], {"var_type": "text"}),
            self.hooks,
        )


def _roomy(rows: Sequence[Row], more: int, most: int, empty: Row) -> list[Row]:
    kept = [one for one in rows if _says(one)]
    wanted = max(more, 0 if kept else 1)
    return [*kept, *({**empty} for _more in range(min(wanted, most - len(kept))))]


def _says(row: Row) -> bool:
    return any(row.get(name) for name in ("cron", "trigger", "var_name", "var_default"))


def from_given(given: Mapping[str, str]) -> Filled:
    """Of what a browser sent. Names that are none of the form's are passed over."""
    rows: dict[str, dict[int, Row]] = {"schedules": {}, "variables": {}, "hooks": {}}
    for name, value in given.items():
        if found := _IN_ROW.fullmatch(name):
            of_hook = "hooks" if found[1] in HOOK else "variables"
            kind = "schedules" if found[1] in SCHEDULE else of_hook
            rows[kind].setdefault(int(found[2]), {})[found[1]] = value
    kept = {
        kind: [row for _place, row in sorted(each.items())][: MOST[kind]]
        for kind, each in rows.items()
    }
    return Filled({name: given[name] for name in ONES if name in given}, **kept)


def from_routine(seen: Recurring) -> Filled:
    routine, template = seen.routine, seen.routine.template
    return Filled(
        {
            "name": routine.name,
            "description": routine.description,
            "agent": routine.assignee_agent_id,
            "task_title": template.title if template else "",
            "task_description": template.description if template else "",
            "concurrency_policy": routine.concurrency_policy,
            "catch_up_policy": routine.catch_up_policy,
            "catch_up_max": str(routine.catch_up_max),
            "priority": str(routine.priority),
            "probe": routine.probe,
            "status": routine.status,
            "by_hand": "on" if seen.by_hand else "",
            "revision": str(routine.revision),
        },
        [_schedule(one) for one in seen.triggers if one.kind is TriggerKind.SCHEDULE],
        [_variable(one) for one in routine.variables],
        [_hook(one) for one in seen.triggers if one.kind is TriggerKind.WEBHOOK],
    )


def _schedule(one: Trigger) -> Row:
    return {
        "trigger": one.id,
        "cron": one.cron_expression or "",
        "zone": one.timezone or "",
        "on": "on" if one.enabled else "",
    }


def _hook(one: Trigger) -> Row:
    return {"hook": one.id, "hook_on": "on" if one.enabled else ""}


def _variable(one: Mapping[str, Any]) -> Row:
    default = one.get("default")
    shown = str(default).lower() if isinstance(default, bool) else str(default)
    return {
        "var_name": one["name"],
        "var_type": one.get("type", "text"),
        "var_default": "" if default is None else shown,
        "var_required": "on" if one.get("required") else "",
        "var_options": "\n".join(one.get("options") or ()),
    }


def body_of(filled: Filled, manual: Trigger | None = None) -> dict[str, Any]:
    """As the API takes it, but for its workspace. manual: the trigger by hand that is there."""
    title, text = filled["task_title"], filled["task_description"]
    by_hand = {"id": manual.id} if manual else {"kind": "manual"}
    return {
        "name": filled["name"].strip(),
        "description": filled["description"],
        "assignee_agent_id": filled["agent"],
        "task_template": {"title": title, "description": text} if title or text else None,
        "concurrency_policy": filled["concurrency_policy"],
        "catch_up_policy": filled["catch_up_policy"],
        "probe": filled["probe"],
        **{name: _whole(filled[name]) for name in NUMBERS},
        "triggers": [
            *(_trigger(one) for one in _schedules(filled)),
            {**by_hand, "enabled": bool(filled["by_hand"])},
            *_hooks(filled),
        ],
        "variables": [_declared(one) for one in _variables(filled)],
        **({"status": filled["status"]} if filled["status"] else {}),
    }


def _schedules(filled: Filled) -> list[Row]:
    """Whoever empties the expression takes the schedule away."""
    return [one for one in filled.schedules if one.get("cron", "").strip()]


def _hooks(filled: Filled) -> list[dict[str, Any]]:
    """Those that are there stay, and one more may come."""
    there = [
        {"id": one["hook"], "enabled": bool(one.get("hook_on"))}
        for one in filled.hooks
        if one.get("hook")
    ]
    mode = filled["hook_new"]
    return [*there, {"kind": "webhook", "signing_mode": mode}] if mode else there


def _variables(filled: Filled) -> list[Row]:
    return [one for one in filled.variables if one.get("var_name") or one.get("var_default")]


def _whole(text: str) -> int | str:
    return int(text) if re.fullmatch(r"\s*-?\d{1,9}\s*", text, re.ASCII) else text


def _trigger(row: Row) -> dict[str, Any]:
    known = {"id": row["trigger"]} if row.get("trigger") else {"kind": "schedule"}
    zone = row.get("zone", "").strip()
    return {
        **known,
        "cron_expression": row["cron"].strip(),
        "timezone": zone,
        "enabled": bool(row.get("on")),
    }


def _declared(row: Row) -> dict[str, Any]:
    options = [line.strip() for line in row.get("var_options", "").split("\n")]
    return {
        "name": row.get("var_name", "").strip(),
        "type": row.get("var_type") or "text",
        "default": row.get("var_default") or None,
        "required": bool(row.get("var_required")),
        "options": [one for one in options if one],
    }


def at_fields(
    filled: Filled, faults: Iterable[Fault], *, by_reader: bool = False
) -> dict[str, str]:
    """By the names of the form's fields, what is wrong with each. by_reader: the faults are those
    of types, whose own words are a program's."""
    found: dict[str, str] = {}
    for fault in faults:
        name = _named(filled, fault.pointer)
        said = _(SAID[name]) if by_reader and name in SAID else fault.message
        found.setdefault(name, said)
    return found


def at_variable(filled: Filled, code: str, name: object) -> str:
    """The field of the variable that is called so, which the engine found at fault."""
    field_name = _OF_VARIABLE.get(code, "var_name" if code == "variable_twice" else "var_default")
    places = [
        place
        for place, one in enumerate(filled.variables)
        if one.get("var_name", "").strip() == name
    ]
    return f"{field_name}_{places[-1]}" if places else "variables"


def _named(filled: Filled, pointer: str) -> str:
    parts = pointer.strip("/").split("/")
    if len(parts) > 1 and parts[0] == "triggers" and parts[1].isdecimal():
        name = _OF_TRIGGER.get(parts[-1], "cron")
        return _in_row(filled.schedules, _schedules(filled), int(parts[1]), name)
    if len(parts) > 1 and parts[0] == "variables" and parts[1].isdecimal():
        name = f"var_{parts[2]}" if len(parts) > 2 else "var_name"
        return _in_row(filled.variables, _variables(filled), int(parts[1]), name)
    return _FIELD_OF.get("/".join(parts), parts[0])


def _in_row(all_rows: Sequence[Row], said: Sequence[Row], place: int, name: str) -> str:
    """Empty rows are no part of the body, so its places are not those of the form."""
    if place >= len(said):
        return name
    return f"{name}_{next(at for at, one in enumerate(all_rows) if one is said[place])}"

"""The pages of agents: who there is, what each does, and the forms that add and change one."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from flask import Flask, render_template
from pydantic import Field

from roundtable_desktop.dashboard.api import agent_tests
from roundtable_desktop.dashboard.api import agents as api
from roundtable_desktop.dashboard.api.shapes import Say
from roundtable_desktop.dashboard.forms import fault_of_form, filled, read_form, seen_of
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.pages.waking import Woken, wake
from roundtable_desktop.dashboard.reading import Asked, Words
from roundtable_desktop.engine.desk import Desk, waking
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_agents import MOST, Around
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.states import AgentStatus, Role
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.marking import N_

Chosen = Annotated[str, Field(pattern=r"^([0-9a-z]{6,64})?$")]
Short = Annotated[str, Field(max_length=2000)]
"""As it was typed; the API's own fields judge it."""

UNSCHEDULED = N_(
    "This coordinator has no scheduled wake-ups. "
    "It will only fire on comments, errors, or manual triggers."
)
"""K-63, verbatim."""

OWN = (
    *("name", "role", "permission_policy", "account", "model", "skip_idle_wakeups", "flat_rate"),
    *api.LIMITS,
)
"""Fields that are sent as they are, when an agent is added and when it is changed."""


class AgentsAsked(Asked):
    workspace: Chosen = ""


class Written(Words):
    """command: written as for a shell; `variable` and `value` are one of its environment."""

    name: Short = ""
    role: Short = ""
    command: Annotated[str, Field(max_length=65_536)] = ""
    permission_policy: Short = ""
    account: Short = ""
    model: Short = ""
    skip_idle_wakeups: Short = ""
    flat_rate: Short = ""
    fallback_models: Annotated[str, Field(max_length=4000)] = ""
    max_concurrent_sessions: Short = ""
    cooldown_sec: Short = ""
    silence_limit_sec: Short = ""
    soft_timeout_sec: Short = ""
    hard_timeout_sec: Short = ""
    memory_limit_mb: Short = ""


class NewWritten(Written):
    workspace: Annotated[str, Field(pattern=r"^[0-9a-z]{6,64}$")]
    adapter: Short = ""
    variable: Short = ""
    value: Annotated[str, Field(max_length=16_384)] = ""


class Rewritten(Written):
    """seen: what the person saw of it when they began."""

    seen: Short


class OneVariable(Words):
    """Sets it, or takes it away."""

    action: Annotated[str, Field(pattern="^(set|remove)$")]
    variable: Short = ""
    value: Annotated[str, Field(max_length=16_384)] = ""


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        _add_lists(app, desk, look)
        _add_one(app, desk, look, say)

    return add


def _add_lists(app: Flask, desk: Desk, look: Look) -> None:
    def form(chosen: str, refused: str = "", given: Mapping[str, str] | None = None) -> str:
        workspaces = look.workspaces(None, 200)
        first = workspaces[0].id if workspaces else ""
        return render_template(
            "agent_new.html",
            workspaces=workspaces,
            workspace=look.workspace(chosen or first) if chosen or first else None,
            given=given or begun(),
            refused=refused,
            roles=list(Role),
        )

    @app.get("/agents")
    def list_agents() -> str:
        query = page_query(AgentsAsked)
        chosen = look.workspace(query.workspace) if query.workspace else None
        found = look.agents(None, 200, workspace_id=chosen and chosen.id)
        every = look.of_agents.at_work(found)
        return render_template(
            "agents.html",
            agents=[one for one in every if one.agent.status is not AgentStatus.RETIRED],
            retired=[one for one in every if one.agent.status is AgentStatus.RETIRED],
            workspaces=look.workspaces(None, 200),
            chosen=chosen,
            unscheduled=_(UNSCHEDULED),
        )

    @app.get("/agents/new")
    def show_new_agent() -> str:
        return form(page_query(AgentsAsked).workspace)

    @app.post("/agents/new")
    def add_agent() -> Any:
        written, asked = read_form(NewWritten), from_form()
        workspace = look.workspace(written.workspace)
        return tried(
            lambda: api.add(desk, asked, _new_agent(workspace.id, written)),
            lambda made: f"/agents/{made.id}",
            lambda why: form(workspace.id, why, written.model_dump(exclude={"value"})),
            page=f"/agents/new?workspace={workspace.id}",
            told=lambda made: "agent_added",
        )


def _add_one(app: Flask, desk: Desk, look: Look, say: Say) -> None:
    def page(agent: Agent, refused: str = "", given: Mapping[str, str] | None = None) -> str:
        return render_template(
            "agent.html", refused=refused, **_around(look, agent, say), **_form(agent, given)
        )

    @app.get("/agents/<ref>")
    def show_agent(ref: str) -> str:
        page_query(Asked)
        return page(look.agent(ref))

    @app.post("/agents/<ref>/edit")
    def edit_agent(ref: str) -> Any:
        written, asked, agent = read_form(Rewritten), from_form(), look.agent(ref)

        def act() -> Agent:
            if written.seen != seen_of(words_of(agent)):
                raise Conflict("words_changed_meanwhile")
            by = replace(asked, revision=agent.revision)
            return api.change(desk, by, agent.id, _change(agent, written))

        return tried(
            act,
            f"/agents/{agent.id}",
            lambda why: page(look.agent(agent.id), why, written.model_dump()),
            told=lambda _: "agent_changed",
        )

    @app.post("/agents/<ref>/variables")
    def change_variable(ref: str) -> Any:
        form, asked, agent = read_form(OneVariable), from_form(), look.agent(ref)
        value = form.value if form.action == "set" else None

        def act() -> Agent:
            return api.change(desk, asked, agent.id, _variable(form.variable, value))

        return tried(
            act,
            f"/agents/{agent.id}",
            lambda why: page(look.agent(agent.id), why),
            told=lambda _: "agent_variable_set" if value is not None else "agent_variable_gone",
        )

    _add_starts(app, desk, look, page)


def _add_starts(app: Flask, desk: Desk, look: Look, page: Callable[[Agent, str], str]) -> None:
    @app.post("/agents/<ref>/test")
    def test_this_agent(ref: str) -> Any:
        asked, agent = from_form(), look.agent(ref)
        return tried(
            lambda: waking.test(desk, asked, agent.id),
            f"/agents/{agent.id}",
            lambda why: page(look.agent(agent.id), why),
            told=lambda _: "agent_tested",
        )

    @app.post("/agents/<ref>/wake")
    def wake_this_agent(ref: str) -> Any:
        wanted, agent = read_form(Woken), look.agent(ref)
        here = f"/agents/{agent.id}"
        return wake(desk, look, agent, wanted, here, lambda why: page(look.agent(agent.id), why))


def begun() -> dict[str, str]:
    """What a new agent's form begins with: the defaults of the API's own fields."""
    fields = api.NewAgent.model_fields
    named = ("role", "permission_policy", *api.LIMITS)
    return {
        "adapter": "acp",
        "flat_rate": "false",
        **{name: str(fields[name].default) for name in named},
    }


def words_of(agent: Agent) -> dict[str, str]:
    """What the form that changes it begins with."""
    limits = {name: str(getattr(agent, name)) for name in api.LIMITS}
    return {
        "name": agent.name,
        "role": str(agent.role),
        "command": shlex.join(agent.command),
        "permission_policy": str(agent.permission_policy),
        "account": agent.account,
        "model": agent.model or "",
        "skip_idle_wakeups": "true" if agent.skip_idle_wakeups else "false",
        "flat_rate": "true" if agent.flat_rate else "false",
        "fallback_models": "\n".join(agent.fallback_models),
        **limits,
    }


def _form(agent: Agent, given: Mapping[str, str] | None) -> dict[str, object]:
    shown = words_of(agent)
    rewriting = given is not None
    more = {"rewriting": rewriting, "seen_as": seen_of(shown), "roles": list(Role)}
    return {"given": given or shown, **more}


def _around(look: Look, agent: Agent, say: Say) -> dict[str, object]:
    [seen] = look.of_agents.at_work([agent])
    around: Around = look.of_agents.around(agent)
    whys = {one.wakeup.id: one.why for one in around.wakeups if one.why}
    return {
        "agent": agent,
        "seen": seen,
        "workspace": seen.workspace,
        "around": around,
        "summaries": look.of_agents.summaries(agent, None, MOST),
        "command": shlex.join(agent.command),
        "live_runs": look.placed(seen.live),
        "runs": look.placed(around.runs),
        "waits": {one: say(why.code, dict(why.values)) for one, why in whys.items()},
        "used": look.usage.lately(agent.id, agent.workspace_id),
        "budgets": look.usage.of_agent(agent.workspace_id, agent.id),
        "can_try": seen.held is not None and seen.held.held_by in ("account", "model"),
        "unscheduled": _(UNSCHEDULED),
        "tested": agent_tests.seen(look, agent),
    }


def _command(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise fault_of_form("command", _("a quote in it is not closed")) from None


def _new_agent(workspace_id: str, written: NewWritten) -> api.NewAgent:
    env = {written.variable: written.value} if written.variable else {}
    return filled(
        api.NewAgent,
        {
            **{name: getattr(written, name) for name in OWN},
            "workspace_id": workspace_id,
            "adapter": written.adapter,
            "command": _command(written.command),
            "fallback_models": written.fallback_models.split(),
            "env": env,
        },
    )


def _change(agent: Agent, written: Rewritten) -> api.AgentChange:
    """What differs from what the person saw; an empty model is taken away."""
    seen = words_of(agent)
    new = {name: value for name, value in written.model_dump().items() if seen.get(name) != value}
    body: dict[str, object] = {name: new[name] for name in OWN if new.get(name)}
    if "command" in new:
        body["command"] = _command(new["command"])
    if "fallback_models" in new:
        body["fallback_models"] = new["fallback_models"].split()
    made = filled(api.AgentChange, body)
    return made.model_copy(update={"model": None}) if new.get("model") == "" else made


def _variable(name: str, value: str | None) -> api.AgentChange:
    try:
        return api.AgentChange.model_validate({"env": {name: value}}, strict=False)
    except ValueError:
        raise fault_of_form("env", _("a name has letters, digits and _, no digit first")) from None

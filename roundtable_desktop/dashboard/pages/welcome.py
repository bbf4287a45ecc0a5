"""The page of the first ten minutes: five steps, each told from what is there now."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from flask import Flask, render_template
from pydantic import Field

from roundtable_desktop.dashboard.api import agent_tests
from roundtable_desktop.dashboard.api.shapes import Ref
from roundtable_desktop.dashboard.first_routines import FIRST_ROUTINES, by_code
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages.frame import back_to, from_form, page_query, tried
from roundtable_desktop.dashboard.problems import Refusal
from roundtable_desktop.dashboard.reading import Asked, Nothing, Words
from roundtable_desktop.engine.desk import Desk, agents, waking, workspaces
from roundtable_desktop.engine.desk import welcome as setting_up
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.welcome import Step, Welcome
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.programs import Found
from roundtable_desktop.model.records import Agent
from roundtable_desktop.model.states import Adapter, AgentStatus
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.programs import sign_in, version

HERE = "/welcome"
MOST = 200
BUILT_IN = "practice"
"""The name of the built-in agent, which needs no program, no key and no network."""
NAMES = {
    Step.REPOSITORY: N_("A repository"),
    Step.AGENTS: N_("An agent"),
    Step.TEST: N_("A test of the agent"),
    Step.ROUTINE: N_("A first routine"),
    Step.NOTIFICATION: N_("A notification"),
}


class WelcomeShown(Asked):
    """at: the step that is open."""

    at: Step | None = None


class NewRepository(Words):
    path: Annotated[str, Field(max_length=4096)] = ""


class NewAgent(Words):
    """program: of those that were found, or the built-in one."""

    workspace: Ref
    program: Annotated[str, Field(max_length=60)]


class Tested(Words):
    agent: Ref


class NewFirst(Words):
    agent: Ref
    routine: Literal["dependencies", "todos", "tests"]
    begin: Literal["active", "paused"]


class Skipped(Words):
    step: Step
    skip: Literal["yes", "no"]


class Turned(Words):
    turn: Literal["on", "off"]


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was found, in words. agent: the one of it that is there already."""

    found: Found
    version: str
    sign_in: str
    agent: Agent | None


@dataclass(frozen=True, slots=True)
class Stage:
    """One step. state: done | skipped | open; is_next: it is the one to do now."""

    step: Step
    name: str
    state: str
    is_next: bool


def pages(desk: Desk, look: Look, welcome: Welcome) -> Callable[[Flask], None]:
    here = _Pages(desk, look, welcome)

    def add(app: Flask) -> None:
        @app.get(HERE)
        def show_welcome() -> str:
            return here.page(at=page_query(WelcomeShown).at)

        @app.post(f"{HERE}/repository")
        def register_repository() -> Any:
            return here.register(read_form(NewRepository).path.strip())

        @app.post(f"{HERE}/agents")
        def add_found_agent() -> Any:
            return here.add_agent(read_form(NewAgent))

        @app.post(f"{HERE}/look")
        def look_for_programs() -> Any:
            read_form(Nothing)
            from_form()
            welcome.programs.look_anew()
            return back_to(_at(Step.AGENTS), "welcome_looked")

        @app.post(f"{HERE}/test")
        def test_first_agent() -> Any:
            agent, asked = look.agent(read_form(Tested).agent), from_form()
            return here.tried(Step.TEST, lambda: waking.test(desk, asked, agent.id))

        @app.post(f"{HERE}/routine")
        def begin_routine() -> Any:
            return here.begin_routine(read_form(NewFirst))

        @app.post(f"{HERE}/notification")
        def ask_notification() -> Any:
            read_form(Nothing)
            asked = from_form()
            return here.tried(Step.NOTIFICATION, lambda: setting_up.notify(desk, asked))

        @app.post(f"{HERE}/login")
        def turn_login() -> Any:
            return here.turn_login(read_form(Turned).turn == "on")

        @app.post(f"{HERE}/skip")
        def skip_step() -> Any:
            given, asked = read_form(Skipped), from_form()
            skipped = given.skip == "yes"
            return here.tried(
                None, lambda: setting_up.skip(desk, asked, given.step, skipped=skipped)
            )

    return add


class _Pages:
    def __init__(self, desk: Desk, look: Look, welcome: Welcome) -> None:
        self._desk, self._look, self._welcome = desk, look, welcome

    # --- acts ----------------------------------------------------------------------------------

    def register(self, path: str) -> Any:
        """`~` is the person's folder, as in a terminal; any folder of a repository will do."""
        asked, place = from_form(), os.path.expanduser(path)
        if not os.path.isabs(place):
            why = _("Write the whole path, from / on.")
            return self.page(why, at=Step.REPOSITORY, typed=path), 422
        return tried(
            lambda: workspaces.register(self._desk, asked, place),
            HERE,
            lambda why: self.page(why, at=Step.REPOSITORY, typed=path),
            told=lambda _made: "welcome_registered",
        )

    def add_agent(self, given: NewAgent) -> Any:
        asked, workspace = from_form(), self._look.workspace(given.workspace)
        act = partial(self._added, asked, workspace.id, given.program)
        return self.tried(Step.AGENTS, act, "welcome_agent_added")

    def _added(self, asked: Any, workspace_id: str, program: str) -> object:
        if program == BUILT_IN:
            return agents.add(
                self._desk, asked, workspace_id, name=BUILT_IN, adapter=Adapter.DEMO, command=[]
            )
        ready = [one for one in self._welcome.programs.found() if not one.missing]
        found = next((one for one in ready if one.name == program), None)
        if found is None:
            raise Absent("program_gone", "/program", program=program)
        return setting_up.add_found(self._desk, asked, workspace_id, found)

    def begin_routine(self, given: NewFirst) -> Any:
        asked, agent = from_form(), self._look.agent(given.agent)
        wanted, paused = by_code(given.routine).wanted(agent), given.begin == "paused"
        act = partial(setting_up.begin_routine, self._desk, asked, wanted, paused=paused)
        return self.tried(Step.ROUTINE, act, f"welcome_routine_{given.begin}")

    def turn_login(self, on: bool) -> Any:
        from_form()
        login = self._welcome.login
        if login.is_on() is None:
            raise Refusal(409, "no_start_at_login")
        try:
            login.turn(on)
        except OSError as error:
            said = _("{path} cannot be changed: {text}.")
            why = said.format(path=login.file(), text=error.strerror)
            return self.page(why, at=Step.NOTIFICATION), 507
        told = "welcome_login_on" if on else "welcome_login_off"
        return back_to(_at(Step.NOTIFICATION), told)

    def tried(self, step: Step | None, act: Callable[[], object], told: str = "") -> Any:
        """The step stays open, whatever comes of it."""
        return tried(act, _at(step), lambda why: self.page(why, at=step), told=lambda _made: told)

    # --- the page ------------------------------------------------------------------------------

    def page(self, refused: str = "", *, at: Step | None = None, typed: str = "") -> str:
        look, welcome = self._look, self._welcome
        rooms = look.workspaces(None, MOST)
        all_agents = look.agents(None, MOST)
        there = [one for one in all_agents if one.status is not AgentStatus.RETIRED]
        tests = [(one, agent_tests.seen(look, one)) for one in there]
        recurring = look.routines.all(None, MOST, over=False)
        notified = welcome.notified()
        done = {
            Step.REPOSITORY: bool(rooms),
            Step.AGENTS: bool(there),
            Step.TEST: any(seen.state == "passed" for _agent, seen in tests),
            Step.ROUTINE: bool(recurring),
            Step.NOTIFICATION: notified.pressed_at is not None,
        }
        stages = list(_stages(done, welcome.skipped()))
        return render_template(
            "welcome.html",
            refused=refused,
            typed=typed,
            shown=at,
            stages=stages,
            finished=not any(one.is_next for one in stages),
            workspaces=rooms,
            names={one.id: one.name for one in rooms},
            programs=list(self._programs(there)),
            has_built_in=any(one.adapter is Adapter.DEMO for one in there),
            built_in=BUILT_IN,
            tests=tests,
            agents=there,
            routines=recurring,
            first_routines=[(one, welcome.coming(one.cron)) for one in FIRST_ROUTINES],
            notified=notified,
            at_login=welcome.login.is_on(),
            login_file=welcome.login.file(),
        )

    def _programs(self, there: Sequence[Agent]) -> Iterator[Program]:
        for one in self._welcome.programs.found():
            of_it = (agent for agent in there if tuple(agent.command) == one.command)
            yield Program(one, version(one), sign_in(one), next(of_it, None))


def _at(step: Step | None) -> str:
    return HERE if step is None else f"{HERE}?at={step}"


def _stages(done: dict[Step, bool], skipped: Sequence[str]) -> Iterator[Stage]:
    begun = False
    for step in Step:
        state = "done" if done[step] else "skipped" if step in skipped else "open"
        is_next = state == "open" and not begun
        begun = begun or is_next
        yield Stage(step, _(NAMES[step]), state, is_next)

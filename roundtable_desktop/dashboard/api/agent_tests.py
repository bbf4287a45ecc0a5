"""The API's routes that test an agent: it is launched once, and what came of it is said."""

from typing import Literal

from roundtable_desktop.dashboard.api.runs import RunRow
from roundtable_desktop.dashboard.api.shapes import Shown, asked, said
from roundtable_desktop.dashboard.api.wakeups import WakeupRow
from roundtable_desktop.dashboard.reading import Nothing, Once
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, waking
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import records
from roundtable_desktop.model.states import LIVE_RUNS, RunOutcome, WakeupStatus

PATH = "/api/v1/agents/<ref>/test"
WELL = (RunOutcome.DONE, RunOutcome.NO_CHANGES)
WAITS = (WakeupStatus.QUEUED, WakeupStatus.CLAIMED)
State = Literal["never", "waiting", "running", "passed", "failed"]


class AgentTest(Shown):
    """Its newest test. follow: the address that says how it goes; ask there until the state is
    passed or failed. never: it was not tested yet."""

    state: State
    sentence: str
    follow: str
    wakeup: WakeupRow | None
    run: RunRow | None


def seen(look: Look, agent: records.Agent) -> AgentTest:
    wakeup = look.waking.last_test(agent)
    run = look.run(wakeup.run_id) if wakeup is not None and wakeup.run_id else None
    state, sentence = _stands(look, wakeup, run)
    return AgentTest(
        state=state,
        sentence=sentence,
        follow=PATH.replace("<ref>", agent.id),
        wakeup=None if wakeup is None else WakeupRow.of(wakeup),
        run=None if run is None else RunRow.of(run),
    )


def _stands(
    look: Look, wakeup: records.Wakeup | None, run: records.Run | None
) -> tuple[State, str]:
    if wakeup is None:
        return "never", said("test_never", {})
    if run is not None and run.status in LIVE_RUNS:
        return "running", said("test_running", {})
    if run is not None and run.outcome in WELL:
        words = run.output_summary.strip()
        code = "test_passed" if words else "test_passed_silently"
        return "passed", said(code, {"said": words})
    if wakeup.status in WAITS:
        return "waiting", said("test_waiting", {"why": _why(look, wakeup, None)})
    return "failed", said("test_failed", {"why": _why(look, wakeup, run)})


def _why(look: Look, wakeup: records.Wakeup, run: records.Run | None) -> str:
    """Why it waits, or why it did not go well, in the words of the rules, and the agent's own."""
    told = look.explain_run(run) if run is not None else look.explain_wakeup(wakeup)
    own = (run.error_text or run.output_summary).strip() if run is not None else ""
    return f"{said(told.code, dict(told.values))} {own}".strip()


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", PATH)
    def show_agent_test(ref: str) -> AgentTest:
        """How its newest test went."""
        return seen(look, look.agent(ref))

    @api.route("POST", PATH, status=202, errors=(404, 409))
    def test_agent(caller: Caller, ref: str, body: Nothing, once: Once | None) -> AgentTest:
        """Launches it once with a tiny prompt, by the ordinary queue and launcher. A test that
        fails is not tried again, and asks nobody; `follow` says what came of it."""
        agent = look.agent(ref)
        waking.test(desk, asked(caller, once), agent.id)
        return seen(look, agent)

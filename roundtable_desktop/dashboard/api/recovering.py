"""The API's route for what a run left without proposing it."""

from roundtable_desktop.dashboard.api.proposals import ProposalRow, row
from roundtable_desktop.dashboard.api.shapes import asked
from roundtable_desktop.dashboard.reading import Nothing, Once
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, recovering
from roundtable_desktop.engine.desk.look import Look


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/runs/<ref>/recover", status=201, errors=(404, 409))
    def recover_run(caller: Caller, ref: str, body: Nothing, once: Once | None) -> ProposalRow:
        """Makes a proposal of what a failed run, or one without a task, left: in a task of its
        own, in review."""
        run = look.run(ref)
        folder = look.copies.folder_of(run)
        made = recovering.recover(desk, asked(caller, once), run.id, folder)
        return row(look.proposal(made.id))

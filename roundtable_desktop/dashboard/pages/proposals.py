"""The page of a proposal: what would change, and its delivery."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.gates_shown import Verdict
from roundtable_desktop.dashboard.api.proposals import (
    Deliver,
    ProposalRow,
    Rebase,
    Reject,
    outside,
    row,
    sentence_of,
    why_held,
)
from roundtable_desktop.dashboard.api.shapes import Say, Words16
from roundtable_desktop.dashboard.diffs import patch_of
from roundtable_desktop.dashboard.forms import read_any, read_form
from roundtable_desktop.dashboard.pages import remark_forms
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.reading import Asked, Words
from roundtable_desktop.engine.desk import Desk, proposals, remarks, verdicts
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_proposals import Offered
from roundtable_desktop.model.gates import Word


class ProposalShown(ProposalRow):
    """stands: its status, or that it is held. stuck: its mission could not take its base in."""

    stands: str
    can_deliver: bool
    stuck: bool


def shown(offered: Offered, say: Say) -> ProposalShown:
    """The command that would do it by hand has its own place on its page."""
    return ProposalShown.of(
        row(offered),
        sentence=sentence_of(offered, lambda reason: why_held(reason, say), say),
        stands=offered.stands,
        can_deliver=offered.can_deliver,
        stuck=offered.stuck,
    )


JUDGED = ("reviewed", "stuck", "asked")
"""How an open proposal stands at a gate where a person may say something."""


class Judge(Words):
    """What you say of it, beside its reviewers."""

    verdict: Verdict
    note: Words16 = ""


def _page(
    look: Look,
    say: Say,
    found: Offered,
    refused: str = "",
    note: str = "",
    missing: str = "",
    judged: str = "",
    remarks: Mapping[str, str] | None = None,
) -> str:
    """note, missing, judged, remarks: what was typed into a form that was refused."""
    offered = look.with_diff(found)
    (placed,) = look.placed_proposals([offered.proposal]).values()
    task = look.task(offered.proposal.task_id)
    said = look.gates.of_proposal(offered.proposal)
    patch = patch_of(offered.diff or "")
    may = offered.can_deliver or offered.reviewed[0] in JUDGED
    return render_template(
        "proposal.html",
        proposal=offered.proposal,
        shown=shown(offered, say),
        tries=offered.deliveries[::-1],
        checks=offered.checks,
        outside=outside(offered, say),
        no_diff=offered.no_diff,
        diff_complete=offered.diff_complete,
        patch=patch,
        written=remark_forms.written(patch, remarks) if may else None,
        remarked=remark_forms.by_line(said),
        remarks_note=(remarks or {}).get("note", ""),
        placed=placed,
        refused=refused,
        note=note,
        missing=missing,
        judged=judged,
        stages=look.gates.of_tasks([task])[task.id],
        verdicts=said,
        can_judge=offered.reviewed[0] if offered.reviewed[0] in JUDGED else "",
    )


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    page = partial(_page, look, say)

    def add(app: Flask) -> None:
        @app.get("/proposals/<ref>")
        def show_proposal(ref: str) -> str:
            page_query(Asked)
            return page(look.proposal(ref))

        @app.post("/proposals/<ref>/deliver")
        def deliver_proposal(ref: str) -> Any:
            wanted, asked = read_form(Deliver), from_form()
            found = look.proposal(ref).proposal
            return tried(
                lambda: proposals.deliver(
                    desk, asked, found.id, override=wanted.override, note=wanted.note
                ),
                f"/proposals/{found.id}",
                lambda why: page(look.proposal(found.id), why, wanted.note),
            )

        @app.post("/proposals/<ref>/reject")
        def reject_proposal(ref: str) -> Any:
            words, asked = read_form(Reject), from_form()
            found = look.proposal(ref).proposal
            return tried(
                lambda: proposals.reject(desk, asked, found.id, words.note.strip()),
                f"/proposals/{found.id}",
                lambda why: page(look.proposal(found.id), why, missing=words.note),
            )

        @app.post("/proposals/<ref>/rebase")
        def rebase_proposal(ref: str) -> Any:
            words, asked = read_form(Rebase), from_form()
            found = look.proposal(ref).proposal
            return tried(
                lambda: proposals.rebase(desk, asked, found.id, words.note.strip()),
                f"/proposals/{found.id}",
                lambda why: page(look.proposal(found.id), why),
            )

        _add_verdicts(app, desk, look, page)

    return add


def _add_verdicts(app: Flask, desk: Desk, look: Look, page: Callable[..., str]) -> None:
    @app.post("/proposals/<ref>/remarks")
    def remark_on_proposal(ref: str) -> Any:
        given, asked = read_any(), from_form()
        found = look.proposal(ref).proposal

        def act() -> Any:
            body = remark_forms.body_of(given)
            findings = [one.model_dump(exclude_none=True) for one in body.findings]
            return remarks.ask_for_changes(desk, asked, found.id, body.note.strip(), findings)

        return tried(
            act,
            f"/proposals/{found.id}",
            lambda why: page(look.proposal(found.id), why, remarks=given),
            told=lambda _: "remarks_sent",
        )

    @app.post("/proposals/<ref>/verdicts")
    def judge_proposal(ref: str) -> Any:
        given, asked = read_form(Judge), from_form()
        found = look.proposal(ref).proposal
        word, note = Word(given.verdict), given.note.strip()
        return tried(
            lambda: verdicts.cast(desk, asked, found.id, word, note),
            f"/proposals/{found.id}",
            lambda why: page(look.proposal(found.id), why, judged=given.note),
        )

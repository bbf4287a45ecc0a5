"""Sentences about gates: who is asked, what they said, and what a person can do."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

REVIEWING: Mapping[str, str] = {
    "review_stage_passed": N_("Its verdict is waited for, in round {round}."),
    "review_stage_none": N_("It is no review."),
    "review_stage_waiting": N_("Nobody waits for its verdict any more."),
    # what cannot be set
    "too_many_gates": N_("A task has at most {most} gates."),
    "too_many_reviewers": N_("A gate has at most {most} reviewers."),
    "review_by_nobody": N_("A review needs at least one agent. Name one."),
    "reviewer_twice": N_("An agent is named twice. Name each reviewer once."),
    "needs_too_many": N_("Between 1 and {most} of its reviewers can be needed."),
    "reviewer_retired": N_("{agent} is retired. Choose another reviewer."),
    "reviewer_without_tools": N_(
        "{agent} is a plain command: it has no tools, so it cannot vote. Choose another reviewer."
    ),
    "reviewer_is_assignee": N_("{agent} does the work, and nobody judges their own work."),
    "assignee_reviews": N_(
        "{agent} is to review this task, and nobody judges their own work. Change its gates first."
    ),
    "approval_is_a_persons": N_("An approval is yours to give: it has no agents and no number."),
    # verdicts
    "tool_not_allowed": N_("The tool {tool} may not be used in a run of the kind “{purpose}”."),
    "own_work": N_("This is your own work: your verdict does not count."),
    "review_over": N_("Nobody waits for this verdict any more. End your turn."),
    "already_voted": N_("Your verdict is in already, and is not changed any more."),
    "verdict_without_reason": N_("Say what is to be changed, in the note or in a finding."),
    "no_gate_open": N_("Nobody is asked about this proposal now, so there is nothing to judge."),
    "yes_or_no": N_("This gate asks you for a yes or a no: approve, revise or reject."),
    "nobody_to_ask": N_("Nobody is left who could be asked again."),
    "gate_open": N_(
        "Gate {place} is open: {agents} did not approve yet. Wait for that, or deliver it all the "
        "same with “override” and a note that says why."
    ),
    # what is so
    "task_waits_for_review": N_("It waits for the verdict of {reviewers}."),
    "task_gate_stuck": N_("It waits for you: its review cannot end by itself. See the inbox."),
    "task_gates_passed": N_("It passed its gates and waits for you: deliver the proposal."),
    "proposal_reviewed": N_("It waits for the verdict of {reviewers}."),
    "proposal_stuck": N_("It waits for you: its review cannot end by itself. See the inbox."),
    "proposal_asked": N_("It waits for your approval."),
    "proposal_passed": N_("It passed its gates. It waits for you: look at it, then deliver it."),
    "inbox_gate_too_few": N_(
        "T-{number} waits in review, and too few of its reviewers can approve it. {why}"
    ),
    "inbox_gate_returns": N_(
        "T-{number} came back from its reviewers {returns} times. Say whether it goes back once "
        "more or passes as it is."
    ),
    "inbox_returned_to_nobody": N_(
        "The work on T-{number} came back, and nobody takes it up. {why} Or assign another agent."
    ),
    "returned_stopped": N_("{agent} is stopped: let it go on."),
    "returned_retired": N_("{agent} is retired: restore it."),
    "returned_unassigned": N_("No agent has the task."),
    "inbox_review_findings": N_(
        "Reviewers found something grave in what was merged of {about}. {text}"
    ),
    "inbox_review_assessed": N_(
        "Reviewers doubt the design of what was merged of {about}; {agent} assesses it. {text}"
    ),
    "missing_nobody": N_("No agent that can vote had the role when it was asked."),
    "missing_none": N_("They had no opinion."),
    "missing_no_vote": N_("{agent} ended its turn without a verdict."),
    "missing_blocked": N_("{agent} cannot go on: {text}"),
    "missing_author": N_("{agent} did the work, so its verdict does not count."),
    "missing_agent_paused": N_("{agent} is paused; its review goes on when you resume it."),
    "missing_agent_stopped": N_("{agent} is stopped or retired."),
    "missing_user_cancelled": N_("You ended the run of {agent}."),
    "missing_exhausted": N_("{agent} failed five times; see its runs."),
    "missing_incurable": N_(
        "{agent} cannot work, and trying again does not cure that; see its runs."
    ),
    "missing_malformed": N_("The wake of {agent} could not be read."),
    "missing_quarantined": N_("The wake of {agent} was set aside."),
    "missing_stale": N_("The wake of {agent} was no longer wanted."),
}

GATE_WORDS: Mapping[str, str] = {
    "review": N_("Review"),
    "approval": N_("Your approval"),
    "waiting": N_("not asked yet"),
    "asked": N_("asked"),
    "passed": N_("passed"),
    "returned": N_("sent back"),
    "dropped": N_("taken away"),
    "given": N_("given"),
    "missing": N_("none will come"),
    "withdrawn": N_("not wanted any more"),
    "approved": N_("approved"),
    "repaired": N_("it is mended"),
    "verified": N_("it is to be shown whether it is right"),
    "assessed": N_("its design is assessed"),
    "blocked": N_("somebody has to decide"),
    "waived": N_("it was let pass"),
    "skipped": N_("no reviewer was there"),
    "info": N_("to know"),
    "minor": N_("minor"),
    "major": N_("major"),
    "critical": N_("critical"),
}

VERDICT_WORDS: Mapping[str, str] = {
    "approve": N_("approves"),
    "approve_with_notes": N_("approves, with notes"),
    "revise": N_("asks for changes"),
    "reject": N_("rejects it"),
    "abstain": N_("has no opinion"),
    "veto": N_("vetoes it"),
}

REVIEWED: Mapping[str, str] = {
    "task_waits_for_review": N_("Review"),
    "task_gate_stuck": N_("Waits for you"),
    "task_gates_passed": N_("Passed its gates"),
}
"""Marks of a card on the board, by the code that says why it stands there."""

OF_REVIEWS: Mapping[str, str] = {
    "proposal.review_requested": N_("Reviewers were asked about {task}."),
    "gate.moved": N_("A gate of {task} went from “{before}” to “{after}”."),
    "verdict.cast": N_("{who} judged the work on {task}: {outcome}."),
    "verdict.moved": N_("A verdict on {task} went from “{before}” to “{after}”."),
}
"""Of the feed."""

"""What is said of a run: how it ended, how its conversation began, and what it left running."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

RUNS: Mapping[str, str] = {
    "run_starting": N_("It is being started."),
    "run_running": N_("It is running."),
    "run_done": N_("It ended well and left changes."),
    "run_no_changes": N_("It ended well and changed nothing."),
    "run_no_result_changes": N_("It ended without a result, but left changes. Look at them."),
    "run_no_result": N_("It ended without a word and without a change."),
    "run_report_unfit": N_(
        "It reported, but not in the form of a result, so that counts as no report: the run says "
        "what does not fit. It left no change."
    ),
    "run_report_unfit_changes": N_(
        "It reported, but not in the form of a result, so that counts as no report: the run says "
        "what does not fit. It left changes; look at them."
    ),
    "run_blocked": N_("The agent cannot go on without somebody's help."),
    "run_task_failed": N_("The agent could not do it (attempt {attempt}, exit code {exit_code})."),
    "run_limited": N_("The provider refused it for now. {error_kind}"),
    "run_crashed": N_("The agent broke off. {error_kind}"),
    "run_not_started": N_("The agent could not be started. {error_kind}"),
    "run_not_logged_in": N_("The agent is not logged in."),
    "run_no_network": N_("The agent could not reach its provider: the network did not work."),
    "run_no_model": N_(
        "The agent has not got the model that it needs; the error says which. Name one for the "
        "task (“roundtable task edit”), the agent (“roundtable agent edit”), or its project or "
        "workspace (“roundtable settings set --workspace”); then run the task again."
    ),
    "executor_default": N_("Nobody names a model for it: the agent's own default holds."),
    "run_uncollected": N_("It ended, but what it left could not be collected."),
    "run_lost": N_("It vanished without an end."),
    "run_timed_out": N_("It took too long, or stood still, and was ended."),
    "run_interrupted": N_("It was told to break off."),
    "run_cancelled": N_("It was cancelled."),
}

RUNNING: Mapping[str, str] = {
    "run_silent": N_(
        "Nothing came from it for {silence}, and it did nothing: it was ended, with all that it "
        "had started."
    ),
    "anew_copy_gone": N_(
        "Its working copy was gone, so it began a new conversation in a new copy, and was told "
        "everything again."
    ),
    "anew_load_failed": N_(
        "The run before it broke off while it opened the earlier conversation, so it began a new "
        "one and was told everything again."
    ),
    "anew": N_(
        "The earlier conversation could not be opened ({note}), so it began a new one and was told "
        "everything again."
    ),
    "report_unfit": N_("Its report was not taken. {pointer}: {sentence}"),
    "report_unfit_whole": N_("Its report was not taken. {sentence}"),
    "report_sent": N_("“roundtable runs show {run} --report” prints what it sent."),
    "memory_used": N_("Its processes used {used} MB at once, of {most} MB that they may."),
    "swept": N_("Processes that it left running and that were ended: {count}."),
}

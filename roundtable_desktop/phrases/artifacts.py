"""What is said of files that agents named in their reports."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

ARTIFACTS: Mapping[str, str] = {
    "unknown_artifact": N_("There is no such artifact."),
    "artifact_kept": N_("{path} was kept as it was when the run ended."),
    "artifact_absent": N_("{path} was not kept: there was no such file in the working copy."),
    "artifact_outside": N_("{path} was not kept: it is outside the working copy."),
    "artifact_no_file": N_("{path} was not kept: it is no plain file."),
    "artifact_too_large": N_(
        "{path} was not kept: a file may have 10 MiB, and all of a run 50 MiB."
    ),
    "artifact_too_many": N_("{path} was not kept: at most 20 files of a run are."),
    "artifact_unreadable": N_("{path} was not kept: it could not be read."),
}

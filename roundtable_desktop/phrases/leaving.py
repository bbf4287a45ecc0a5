"""Sentences about agents that are asked where they are before their person leaves."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

CHECKPOINTS: Mapping[str, str] = {
    "checkpoint_deaf": N_(
        "{agent} cannot be asked where it is: it is a program that gets one prompt. If it still "
        "runs then, it is broken off; what it has changed stays in its copy."
    ),
    "checkpoint_waits": N_("{agent} is asked where it is before that, at most a minute."),
    "checkpoint_told": N_("{agent} knows when you leave; it is asked where it is before that."),
    "checkpoint_asked": N_("{agent} is being asked where it is."),
    "checkpoint_given": N_("{agent} has said where it is, and gets it back when it goes on."),
}

"""What is said of a program of an agent that is on this machine."""

from collections.abc import Mapping

from roundtable_desktop.model.programs import Found, SignIn
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.marking import N_

SIGN_IN: Mapping[SignIn, str] = {
    SignIn.KEPT: N_("signed in"),
    SignIn.VARIABLE: N_("a key is set: {variable}"),
    SignIn.NONE: N_("no sign of a sign-in"),
    SignIn.UNKNOWN: N_("unknown"),
}


def sign_in(one: Found) -> str:
    return _(SIGN_IN[one.sign_in]).format(variable=one.variable)


def version(one: Found) -> str:
    return one.version or _("unknown")

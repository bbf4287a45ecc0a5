"""A word for a code where a line has room for no sentence."""

from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.foresight import WORDS


def word(code: object) -> object:
    """What is no code of ours is a name, and stays as it is."""
    known = WORDS.get(str(code))
    return _(known) if known else code

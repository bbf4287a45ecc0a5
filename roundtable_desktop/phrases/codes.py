"""A word for a code where a line has room for no sentence."""

from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.foresight import WORDS


def word(code: object) -> object:
    """What is no code of ours is a name, and stays as it is."""
    known = WORDS.get(str(code))
    return _(known) if known else code


def spelled(code: str) -> str:
    """A state's code as people write it; they may give it back so, too."""
    return code.replace("_", " ")


def as_typed(state: str) -> str:
    """The code of a state that was typed as it is shown, such as `in progress`; else as it is."""
    words = state.replace("-", " ").split()
    return "_".join(words).lower() if len(words) > 1 else state

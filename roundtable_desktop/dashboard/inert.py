"""Text that others wrote, made harmless for whoever looks at it or copies it (S-35)."""

import re

# Control characters but tab and line feed; what turns the direction of text; what separates lines
# or hides between letters. The joiner of emoji and the marks of scripts stay.
_ACTIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)

_COLOUR = re.compile("\x1b\\[[0-9;:]*m")
"""What chooses colours and weights in a terminal, and does nothing else."""

ESCAPE = 0x1B


def inert(value: object) -> object:
    """`value` as it is, but a text with every active character as a visible mark."""
    return _ACTIVE.sub(_mark, value) if isinstance(value, str) and _ACTIVE.search(value) else value


def uncoloured(text: str) -> str:
    """What a program printed, without its colours; all else is left to `inert`."""
    return _COLOUR.sub("", text)


def _mark(found: re.Match[str]) -> str:
    code = ord(found[0])
    return "⟨ESC⟩" if code == ESCAPE else f"⟨U+{code:04X}⟩"

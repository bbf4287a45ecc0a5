"""Text that others wrote, made harmless for whoever looks at it or copies it (S-35)."""

import re

from roundtable_desktop.model.printed import ACTIVE

ESCAPE = 0x1B


def inert(value: object) -> object:
    """`value` as it is, but a text with every active character as a visible mark."""
    return ACTIVE.sub(_mark, value) if isinstance(value, str) and ACTIVE.search(value) else value


def _mark(found: re.Match[str]) -> str:
    code = ord(found[0])
    return "⟨ESC⟩" if code == ESCAPE else f"⟨U+{code:04X}⟩"

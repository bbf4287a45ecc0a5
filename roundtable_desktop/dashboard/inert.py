"""Text that others wrote, made harmless for whoever looks at it or copies it (S-35)."""

import re

from markupsafe import Markup, escape

from roundtable_desktop.model.printed import ACTIVE

ESCAPE = 0x1B
_MARKED = re.compile(f"[&<>'\"]|{ACTIVE.pattern}")


def inert(value: object) -> object:
    """`value` as it is, but a text with every active character as a visible mark."""
    return ACTIVE.sub(_mark, value) if isinstance(value, str) and ACTIVE.search(value) else value


def shown(value: object) -> str:
    """`value` as a page has it: inert, and with what HTML would read as its own escaped. Most texts
    have neither, and a page shows hundreds."""
    if type(value) is str and not _MARKED.search(value):
        return value
    # No active character is printable; what macros made has lines.
    if type(value) is Markup and str.replace(value, "\n", "").isprintable():
        return value
    return str(escape(inert(value)))


def _mark(found: re.Match[str]) -> str:
    code = ord(found[0])
    return "⟨ESC⟩" if code == ESCAPE else f"⟨U+{code:04X}⟩"

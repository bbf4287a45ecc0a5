"""What a program printed for a terminal, as text that can be read and does nothing (B-137)."""

import re

ACTIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
"""Control characters but tab and line feed; what turns the direction of text; what separates lines
or hides between letters. The joiner of emoji and the marks of scripts stay."""

# No part can run over the beginning of another sequence: a hostile text too is read once.
_STRING_BEGUN = "(?:\x1b[\\]PX^_k]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9b-\x9f\n]{0,8192}"
_STRING = f"{_STRING_BEGUN}(?:\x07|\x9c|\x1b\\\\)"
_SHORT = "\x1b[ -/]{0,4}[0-OQ-WYZ\\\\`-jl-~]"
_CSI_BEGUN = "(?:\x1b\\[|\x9b)[0-?]{0,256}[ -/]{0,16}"
_BEGUN = f"(?:{_CSI_BEGUN}|{_STRING_BEGUN}\x1b?|\x1b[ -/]{{0,4}})(?=\n|\\Z)"
_NOISE = "[\x07\x0e\x0f]"
"""The bell, and the two that shift between sets of characters."""
_DRIVES = re.compile(f"{_CSI_BEGUN}[@-~]|{_STRING}|{_SHORT}|{_BEGUN}|{_NOISE}")
_DRIVES_AT_ALL = re.compile("[\x07\x0e\x0f\x1b\x90-\x9f]")
_STRUCK_OVER = re.compile("[^\n]\x08")
_RETURN = re.compile("\r+\n?")


def printed(text: str) -> str:
    """Without what drives a terminal: colours, moves, titles, links (their words stay), clipboard;
    a carriage return ends the line. What else is active is left for the face to mark."""
    if _DRIVES_AT_ALL.search(text):
        text = _DRIVES.sub("", text)
    if "\x08" in text:
        text = _STRUCK_OVER.sub("", text)
    return _RETURN.sub("\n", text) if "\r" in text else text

"""What is said of transcripts, and of sizes."""

from collections.abc import Mapping

from roundtable_desktop.phrases import _

KIB = 1024


def size(count: float | None) -> str:
    if count is None:
        return _("unknown")
    for unit in ("B", "KB", "MB"):
        if count < KIB:
            return f"{count:.0f} {unit}"
        count /= KIB
    return f"{count:.1f} GB"


def left_out(dropped: Mapping[str, int]) -> str:
    """Of the record that a transcript has in its middle."""
    return _(
        "Here {size} in {lines} lines were left out: a transcript keeps its first and its last "
        "20 MB."
    ).format(size=size(dropped["bytes"]), lines=dropped["lines"])

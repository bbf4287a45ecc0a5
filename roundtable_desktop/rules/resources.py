"""Names that a run keeps for itself: how they are written, and which of them lie in each other."""

MOST_BYTES = 512


def tidy(given: str) -> str | None:
    """A path in the repository, or any name of that form, as it is kept: `src/app` for `src/app/`.
    None: it is none."""
    parts = given.rstrip("/").split("/")
    if len(given.encode()) > MOST_BYTES or not given.isprintable():
        return None
    return "/".join(parts) if all(part.strip() not in ("", ".", "..") for part in parts) else None


def overlap(one: str, other: str) -> bool:
    """Whether they are the same or one is a folder that holds the other."""
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")

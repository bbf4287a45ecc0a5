"""Which of our variables an agent may see: an allow-list, never all of them (S-72, A6)."""

from collections.abc import Mapping

_NAMES = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"),
        *("TERM", "COLORTERM", "NO_COLOR"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"),
        "XDG_RUNTIME_DIR",
    )
)


def for_agents(environ: Mapping[str, str]) -> dict[str, str]:
    """The person's own settings of language, folders and programs; no key, no agent socket."""
    return {
        name: value for name, value in environ.items() if name in _NAMES or name.startswith("LC_")
    }

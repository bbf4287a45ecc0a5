"""Our own icons, drawn in lines on twenty by twenty."""

from collections.abc import Mapping

from markupsafe import Markup

DRAWN: Mapping[str, str] = {
    "overview": "M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM11.5 11.5h5v5h-5z",
    "inbox": "M3 11l2.2-7h9.6L17 11v5.5H3zM3 11h4l1 2.5h4l1-2.5h4",
    "board": "M3 3.5h3.6v13H3zM8.2 3.5h3.6v8H8.2zM13.4 3.5H17v10.5h-3.6z",
    "runs": "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM8.4 6.8v6.4l4.8-3.2z",
    "missions": "M5 17.5V3M5 3.5h10.5l-2.5 3.5 2.5 3.5H5",
    "proposals": (
        "M5.2 2.6a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8zM5.2 6.4v7.2M5.2 13.6a1.9 1.9 0 1 0 0"
        " 3.8 1.9 1.9 0 0 0 0-3.8zM14.8 13.6a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8zM14.8 13.6V8"
        ".2a2.8 2.8 0 0 0-2.8-2.8H9.2M11.5 2.9L9 5.4l2.5 2.5"
    ),
    "routines": "M16.8 10a6.8 6.8 0 1 1-2-4.8M16.8 2.6v3.4h-3.4M10 6.5V10l2.5 1.6",
    "agenda": "M3 4.5h14v12.5H3zM3 8.5h14M6.5 2.5v4M13.5 2.5v4M6.5 12h2M11.5 12h2",
    "agents": "M4 8h12v8.5H4zM10 8V4M10 3.6v.4M7.6 11.4v1.4M12.4 11.4v1.4M1.8 11v3M18.2 11v3",
    "wakeups": "M5 13.5V9a5 5 0 0 1 10 0v4.5l1.5 2h-13zM8.5 17.8h3",
    "usage": "M3 17h14M5 14.5V9M8.4 14.5V5M11.8 14.5V11M15.2 14.5V3",
    "activity": "M2.5 10.5H6l2-6 4 11 2-5h3.5",
    "set_up": (
        "M2.8 4.6l1.5 1.5 2.7-3M2.8 10.1l1.5 1.5 2.7-3M2.8 15.6l1.5 1.5 2.7-3M10 5h7.2M10 10.5h7.2"
        "M10 16h7.2"
    ),
    "doctor": "M8 3h4v5h5v4h-5v5H8v-5H3V8h5z",
    "settings": (
        "M3 6h6.5M14 6h3M3 14h3M10.5 14H17M11.8 3.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4"
        ".4zM8.2 11.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4z"
    ),
    "more": (
        "M4.2 9a1 1 0 1 0 0 2 1 1 0 0 0 0-2zM10 9a1 1 0 1 0 0 2 1 1 0 0 0 0-2zM15.8 9a1 1"
        " 0 1 0 0 2 1 1 0 0 0 0-2z"
    ),
    "search": "M8.5 3a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM12.6 12.6L17 17",
    "keys": "M2 5h16v10H2zM5 8.2h.01M8.3 8.2h.01M11.7 8.2h.01M15 8.2h.01M6 11.8h8",
    "leave": "M8 3H4v14h4M8.5 10H17M14 7l3 3-3 3",
    "light": (
        "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 1.8v1.8M10 16.4v1.8M1.8 10h1.8M1"
        "6.4 10h1.8M4.2 4.2l1.3 1.3M14.5 14.5l1.3 1.3M4.2 15.8l1.3-1.3M14.5 5.5l1.3-1.3"
    ),
    "dark": "M16.6 12A7 7 0 0 1 8 3.4a7 7 0 1 0 8.6 8.6z",
    "system": "M3 4h14v9H3zM7 17h6M10 13v4",
}

_ICON = Markup(
    '<svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">'
    '<path d="{}"></path></svg>'
)
_READY = {name: _ICON.format(lines) for name, lines in DRAWN.items()}


def icon(name: str) -> Markup:
    return _READY[name]

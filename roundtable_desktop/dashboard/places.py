"""Where the rail leads, each place with its icon and its key, and the keys of every page: the one
map that the rail, the sheet of keys, the palette and the pages' scripts are made of."""

from dataclasses import dataclass

from roundtable_desktop.phrases.marking import N_


@dataclass(frozen=True, slots=True)
class Place:
    """icon: a name of `icons`. key: what goes there, after `g`. often: it has a place of its
    own in the bar of a narrow window. low: it stands at the lower end of the rail."""

    path: str
    name: str
    icon: str
    key: str
    often: bool = False
    low: bool = False

    def holds(self, path: str) -> bool:
        """Whether a page of that address belongs here."""
        return path == self.path or (self.path != "/" and path.startswith(f"{self.path}/"))


@dataclass(frozen=True, slots=True)
class Shortcut:
    """keys: as `KeyboardEvent.key` names them, one after the other. act: a name of `keys.js`."""

    keys: str
    act: str
    what: str

    @property
    def shown(self) -> list[str]:
        return self.keys.replace("Control+k", "Ctrl+K").replace("Escape", "Esc").split(" ")


PLACES = (
    Place("/", N_("Overview"), "overview", "o", often=True),
    Place("/inbox", N_("Inbox"), "inbox", "i", often=True),
    Place("/board", N_("Board"), "board", "b", often=True),
    Place("/runs", N_("Runs"), "runs", "r", often=True),
    Place("/missions", N_("Missions"), "missions", "m"),
    Place("/proposals", N_("Proposals"), "proposals", "p"),
    Place("/routines", N_("Routines"), "routines", "t"),
    Place("/agenda", N_("Agenda"), "agenda", "n"),
    Place("/agents", N_("Agents"), "agents", "a"),
    Place("/usage", N_("Usage"), "usage", "c"),
    Place("/wakeups", N_("Wakeups"), "wakeups", "w"),
    Place("/activity", N_("Activity"), "activity", "y"),
    Place("/welcome", N_("Set up"), "set_up", "u", low=True),
    Place("/doctor", N_("Doctor"), "doctor", "d", low=True),
    Place("/settings", N_("Settings"), "settings", "s", low=True),
)

SHORTCUTS = (
    Shortcut("j", "down", N_("The next one in the list")),
    Shortcut("k", "up", N_("The one before in the list")),
    Shortcut("Enter", "open", N_("Open it")),
    Shortcut("x", "select", N_("Select it, where the list has boxes to tick")),
    Shortcut("]", "behind", N_("The next one of the list that you came from")),
    Shortcut("[", "before", N_("The one before, of that list")),
    Shortcut("Escape", "back", N_("Leave the field; else back to the list")),
    Shortcut("/", "search", N_("Search this page, or everything")),
    Shortcut("Control+k", "palette", N_("Search, or do something")),
    Shortcut("?", "sheet", N_("These keys")),
)

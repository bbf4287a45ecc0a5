"""The roles of agents by all the names that they may be given (C-66)."""

from collections.abc import Mapping

from roundtable_desktop.model.states import Role

ALIASES: Mapping[str, Role] = {
    "implementer": Role.WORKER,
    "chair": Role.COORDINATOR,
    "main_agent": Role.COORDINATOR,
    "ceo": Role.COORDINATOR,
}
"""Names that other systems have for them: taken, never stored and never shown."""


def by_own_name(given: object) -> object:
    """`Main Agent` and `main-agent` are `main_agent`; what is no role's name stays what it is."""
    if not isinstance(given, str):
        return given
    plain = given.strip().lower().replace(" ", "_").replace("-", "_")
    found = ALIASES.get(plain)
    return str(found) if found is not None else given

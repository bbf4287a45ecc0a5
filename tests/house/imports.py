"""Checks of what a room may import: floors, owners of libraries, circles."""

import sys
from collections.abc import Iterable, Iterator

from house.source import PACKAGE, ROOT, Finding, Source

# What a room may import of ours, besides itself; `*` is everything. `__main__` is watched by
# `early_runner` as well: the runner's process must not pay for the command line.
FLOORS: dict[str, tuple[str, ...]] = {
    "__init__": (),
    "model": (),
    "rules": ("model",),
    "store": ("model",),
    "adapters": ("model",),
    "runner": ("model.states", "rules.fitting", "rules.redact"),
    "engine": ("model", "rules", "store"),
    "phrases": ("model",),
    "dashboard": ("model", "engine.desk", "phrases", "store.db.Reader"),
    "mcp": ("model", "engine.desk", "phrases", "store.db.Reader"),
    "tray": ("model", "engine.desk", "rules.attention", "phrases"),
    "demo": (),
    "app": ("*",),
    "offline": ("*",),
    "surroundings": (
        *("adapters", "engine.desk", "model", "rules", "store"),
        "tray.autostart",
    ),
    "simulation": ("adapters", "engine", "model", "rules", "store"),
    "cli": (
        "app",
        "adapters.home",
        "adapters.system",
        "demo",
        "mcp.bridge",
        "model",
        "offline",
        "phrases",
        "rules.limits",
        "rules.preview",
        "rules.zones",
        "surroundings",
        "tray.autostart",
    ),
    "__main__": ("runner", "cli"),
}
HEAVY = ("app", "offline", "surroundings")
SPLIT = ("adapters",)  # rooms whose parts never meet; `app` hands one to another

OWNERS: dict[str, tuple[str, ...]] = {
    "PySide6": ("tray",),
    "asyncio": ("runner", "mcp"),
    "click": ("cli",),
    "cronsim": ("rules",),
    "desktop_notifier": ("tray",),
    "flask": ("dashboard",),
    "jeepney": ("tray",),
    "mcp": ("mcp",),
    "multiprocessing": ("adapters", "runner"),
    "peewee": ("store",),
    "playhouse": ("store",),
    "psutil": ("adapters",),
    "pydantic": ("model", "dashboard", "mcp"),
    "random": ("app", "simulation"),
    "schedule": ("engine",),
    "sqlite3": ("store",),
    "subprocess": ("adapters", "runner"),
    "waitress": ("dashboard",),
    "werkzeug": ("dashboard",),
    "yaml": ("adapters",),
}

BUILD_HOOK = "packaging/hatch_build.py"
STDLIB_ONLY = (
    "packaging/",
    f"{PACKAGE}/__init__.py",
    f"{PACKAGE}/demo/",
    f"{PACKAGE}/mcp/__init__.py",
    f"{PACKAGE}/mcp/bridge.py",
    f"{PACKAGE}/model/__init__.py",
    f"{PACKAGE}/model/states.py",
    f"{PACKAGE}/rules/__init__.py",
    f"{PACKAGE}/rules/fitting.py",
    f"{PACKAGE}/rules/redact.py",
    f"{PACKAGE}/rules/shapes.py",
    f"{PACKAGE}/runner/",
)


def floors(source: Source) -> Iterator[Finding]:
    """Imports only go down."""
    if source.room not in FLOORS:
        advice = f"no room {source.room!r} in the house; give it a floor in tests/house/imports.py"
        yield Finding(source.path, 1, advice)
        return
    own = ".".join(source.inner[: 2 if source.room in SPLIT else 1])
    allowed = (own, "__version__", *FLOORS[source.room])
    for line, target, _ in source.imports:
        inner = target.removeprefix(f"{PACKAGE}.")
        if inner in (target, PACKAGE) or "*" in allowed:
            continue  # the package itself holds its version and nothing else
        if not any(inner == door or inner.startswith(f"{door}.") for door in allowed):
            may = ", ".join(FLOORS[source.room]) or "nothing of ours"
            yield Finding(source.path, line, f"{own} may import {may}; not {inner}")


def early_runner(source: Source) -> Iterator[Finding]:
    """The entry imports a process's part only once it knows which part it is."""
    for line, target, late in source.imports:
        if source.room == "__main__" and target.startswith(f"{PACKAGE}.runner") and not late:
            yield Finding(source.path, line, "import the runner inside the function that runs it")


def light_clients(source: Source) -> Iterator[Finding]:
    """A command that only asks the owner does not wait for the owner's libraries."""
    for line, target, late in source.imports:
        heavy = target.startswith(tuple(f"{PACKAGE}.{one}" for one in HEAVY))
        if source.room == "cli" and heavy and not late:
            yield Finding(source.path, line, "import it inside the command that needs it")


def owners(source: Source) -> Iterator[Finding]:
    """A library is used by the room that owns it."""
    for line, target, _ in source.imports:
        library = target.split(".")[0]
        rooms = OWNERS.get(library)
        if rooms is not None and source.room not in rooms:
            advice = f"{library} belongs to {', '.join(rooms)}; ask that room through model.ports"
            yield Finding(source.path, line, advice)


def strangers(source: Source) -> Iterator[Finding]:
    """Some programs start without anything that is installed."""
    if not source.path.startswith(STDLIB_ONLY):
        return
    siblings = {path.stem for path in (ROOT / "packaging").glob("*.py")}
    ours = siblings if source.path.startswith("packaging/") else {PACKAGE}
    if source.path == BUILD_HOOK:
        ours = {*siblings, "hatchling"}  # which loads it
    for line, target, _ in source.imports:
        library = target.split(".")[0]
        if library not in sys.stdlib_module_names and library not in ours:
            yield Finding(source.path, line, f"standard library only here; not {library}")


def circles(sources: Iterable[Source]) -> Iterator[Finding]:
    """No module imports itself by way of others, not even late or for its types."""
    known = {source.module: source for source in sources}
    edges: dict[str, dict[str, int]] = {}
    for module, source in known.items():
        edges[module] = {}
        for line, target, _ in source.imports:
            meant = target if target in known else target.rpartition(".")[0]
            if meant in known:
                edges[module].setdefault(meant, line)
    done: set[str] = set()

    def walk(module: str, way: list[str]) -> Iterator[Finding]:
        if module in way:
            circle = [*way[way.index(module) :], module]
            line = edges[circle[-2]][module]
            yield Finding(
                known[circle[-2]].path, line, f"move what both need apart: {' > '.join(circle)}"
            )
        elif module not in done:
            for target in edges[module]:
                yield from walk(target, [*way, module])
            done.add(module)

    for module in known:
        yield from walk(module, [])

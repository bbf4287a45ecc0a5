"""Checks of what code does: threads, clocks, dangers, comparisons and queries."""

import ast
import re
from collections.abc import Iterator

from house.source import PACKAGE, Finding, Source

THREAD_ROOMS = ("engine", "app", "runner", "mcp")
THREADS = {
    "_thread.start_new_thread",
    "concurrent.futures.ThreadPoolExecutor",
    "http.server.ThreadingHTTPServer",
    "multiprocessing.pool.ThreadPool",
    "socketserver.ThreadingMixIn",
    "socketserver.ThreadingTCPServer",
    "threading.Thread",
    "threading.Timer",
}

CLOCK_PLACES = tuple(
    f"{PACKAGE}/{place}" for place in ("adapters/system.py", "runner/", "mcp/bridge.py", "demo/")
)
CLOCKS = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "time.time",
    "time.time_ns",
}
STOPWATCHES = {
    "time.monotonic",
    "time.monotonic_ns",
    "time.perf_counter",
    "time.perf_counter_ns",
}
STOPWATCH_PLACES = (
    *CLOCK_PLACES,
    *(f"{PACKAGE}/{place}" for place in ("adapters/", "cli/", "simulation.py")),
)
"""What waits for another program, and has nothing of ours but the time to wait with."""

DANGERS = {
    "builtins.eval",
    "builtins.exec",
    "eval",
    "exec",
    "os.popen",
    "os.system",
    "yaml.full_load",
    "yaml.load",
    "yaml.unsafe_load",
}
DANGEROUS_LIBRARIES = {"dill", "marshal", "pickle", "shelve"}

ASKERS = tuple(f"{PACKAGE}/{place}" for place in ("cli/client.py", "mcp/bridge.py"))
FETCHERS = ("urllib.request", "http.client", "requests", "httpx", "aiohttp", "urllib3", "ftplib")

# Rooms with a door to strangers: there a comparison of one of these is a guess at a secret.
DOORS = ("dashboard", "mcp", "runner")
WEBHOOKS = ("roundtable_desktop/rules/webhooks.py", "roundtable_desktop/engine/desk/webhooks.py")
"""What judges strangers elsewhere (S-55)."""
SECRET = re.compile(r"(^|_)(token|secret|csrf|fence|control_key|password|signature|digest|bearer)$")

QUERY_VERBS = {"where", "orwhere", "having", "filter"}


def threads(source: Source) -> Iterator[Finding]:
    """Threads start where the house says; a lock may live anywhere."""
    for line, name in source.references:
        if name in THREADS and source.room not in THREAD_ROOMS:
            advice = f"{name}: only {', '.join(THREAD_ROOMS)} start threads; move the work there"
            yield Finding(source.path, line, advice)


def clocks(source: Source) -> Iterator[Finding]:
    """The clock is handed in."""
    for line, name in source.references:
        if name in CLOCKS and not source.path.startswith(CLOCK_PLACES):
            yield Finding(source.path, line, f"{name}: take the time from a Clock or from tx.now")
        if name in STOPWATCHES and not source.path.startswith(STOPWATCH_PLACES):
            yield Finding(source.path, line, f"{name}: take `monotonic` of the Clock, handed in")


def dangers(source: Source) -> Iterator[Finding]:
    """Nothing turns data into code."""
    for line, name in source.references:
        if name in DANGERS:
            yield Finding(source.path, line, f"{name} turns data into code; do it another way")
    for line, target, _ in source.imports:
        if target.split(".")[0] in DANGEROUS_LIBRARIES:
            yield Finding(source.path, line, f"{target} turns data into code; use JSON")
    for node in source.nodes:
        shell = isinstance(node, ast.keyword) and node.arg == "shell"
        if shell and ast.unparse(node.value) != "False":
            yield Finding(source.path, node.value.lineno, "no shell; pass a list of arguments")


def fetches(source: Source) -> Iterator[Finding]:
    """S-64: no address that a user, an agent or a repository names is ever asked for; the two that
    ask anything ask our own owner."""
    for line, target, _ in source.imports:
        if target.startswith(FETCHERS) and not source.path.startswith(ASKERS):
            yield Finding(source.path, line, f"{target}: the product fetches nothing by an address")


def open_comparisons(source: Source) -> Iterator[Finding]:
    """At a door a secret is compared in constant time."""
    for node in source.nodes:
        door = source.room in DOORS or source.path in WEBHOOKS
        if not door or not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        plain = any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops)
        if plain and not any(isinstance(side, ast.Constant) for side in sides):
            for name in (ast.unparse(side).rpartition(".")[2] for side in sides):
                if SECRET.search(name):
                    advice = f"compare {name} with hmac.compare_digest"
                    yield Finding(source.path, node.lineno, advice)


def query_traps(source: Source) -> Iterator[Finding]:
    """peewee drops a condition silently when Python's own operator eats it."""
    for call in source.nodes:
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        conditions = list(call.args) if call.func.attr in QUERY_VERBS else []
        conditions += [word.value for word in call.keywords if word.arg == "on"]
        for node in (inner for condition in conditions for inner in ast.walk(condition)):
            if trap := query_trap(node):
                yield Finding(source.path, call.lineno, f"peewee drops `{trap}`; use its operator")


def query_trap(node: ast.AST) -> str | None:
    if isinstance(node, ast.BoolOp) and any(holds_field(value) for value in node.values):
        return "and` or `or"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and holds_field(node.operand):
        return "not"
    if isinstance(node, ast.Compare) and any(map(is_field, [node.left, *node.comparators])):
        if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            return "in"
        if any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            return "is"
        if len(node.ops) > 1:
            return "a < b < c"
    return None


def is_field(node: ast.AST) -> bool:
    """`Task.status`; a member of an enum is in capitals and is none."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id[:1].isupper()
        and node.attr.islower()
    )


def holds_field(node: ast.AST) -> bool:
    return any(map(is_field, ast.walk(node)))

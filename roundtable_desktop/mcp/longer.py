"""Calls that take longer than an agent is to wait: they go on, and the same call asks again."""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from roundtable_desktop.mcp.calls import Call, Told, Tool, perform, refusal_of

PATIENCE = 1.8
"""Seconds; with the rest of its way a call is answered within two."""
AT_ONCE = 4
"""Calls that go on unheard; more are not begun."""
KEPT = 64
"""Answers that nobody has asked for again yet."""

Name = tuple[str, str, str]


class Longer:
    """Lives in one loop. The handle of a call is the call itself, of the same run."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._begun: dict[Name, asyncio.Future[Told]] = {}

    async def perform(self, tool: Tool, call: Call, arguments: Mapping[str, object]) -> Told:
        name = (call.holder.run_id, tool.name, _digest(arguments))
        begun = self._begun.pop(name, None)
        if begun is None:
            if sum(not one.done() for one in self._begun.values()) >= AT_ONCE:
                return refusal_of("unavailable")
            loop = asyncio.get_running_loop()
            begun = loop.run_in_executor(self._pool, perform, tool, call, arguments)
        done, _ = await asyncio.wait({begun}, timeout=PATIENCE)
        if done:
            return begun.result()
        self._begun[name] = begun
        while len(self._begun) > KEPT:
            del self._begun[next(iter(self._begun))]
        return refusal_of("takes_longer")


def _digest(arguments: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()

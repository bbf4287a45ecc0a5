"""The SDK's application, alive in an asyncio loop: one request in, one answer out.

This is the only room that imports the SDK (0.5 s and 47 MB), and it is imported late.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

import roundtable_desktop
from roundtable_desktop.mcp.answers import Answer
from roundtable_desktop.mcp.calls import Call
from roundtable_desktop.mcp.longer import Longer
from roundtable_desktop.mcp.tools import TOOLS
from roundtable_desktop.model.errors import Busy

ANSWER_LIMIT = 30.0
"""Seconds until a web thread is given back; no tool of ours takes more than two."""

Context = ServerRequestContext[Any, Any]


class Exchange:
    """threads: how many calls reach the desk at once. They live as long as this does, since each
    opens a database connection of its own."""

    def __init__(self, threads: int) -> None:
        logging.getLogger("mcp").setLevel(logging.WARNING)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="mcp-call")
        self._longer = Longer(self._pool)
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        server: Server[Any] = Server(
            "roundtable",
            version=roundtable_desktop.__version__,
            on_list_tools=_list_tools,
            on_call_tool=self._call_tool,
        )
        server.middleware.clear()  # traces of what agents say would go wherever a plug-in sends
        self._sdk = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    # --- its own thread ------------------------------------------------------------------------

    def run(self, ready: Callable[[], None]) -> None:
        """Blocks until `stop`; `ready` is called once requests are taken."""
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner, self._pool:
            runner.run(self._live(ready))

    async def _live(self, ready: Callable[[], None]) -> None:
        async with self._sdk.run():
            ready()
            await self._over.wait()

    # --- from other threads --------------------------------------------------------------------

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)

    def answer(self, call: Call, headers: Iterable[tuple[str, str]], body: bytes) -> Answer:
        """headers: names in lower case. Raises Busy when there is no answer in time."""
        asked = asyncio.run_coroutine_threadsafe(self._post(call, headers, body), self._loop)
        try:
            return asked.result(ANSWER_LIMIT)
        except (TimeoutError, CancelledError):
            asked.cancel()
            raise Busy("unavailable") from None

    # --- in the loop ---------------------------------------------------------------------------

    async def _post(self, call: Call, headers: Iterable[tuple[str, str]], body: bytes) -> Answer:
        """One exchange by ASGI, as a web server would do it."""
        request = [{"type": "http.request", "body": body, "more_body": False}]
        answered = asyncio.Event()
        status, answer_headers, parts = 500, list[tuple[bytes, bytes]](), list[bytes]()

        async def receive() -> dict[str, Any]:
            if request:
                return request.pop()
            await answered.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal status, answer_headers
            if message["type"] == "http.response.start":
                status, answer_headers = message["status"], list(message.get("headers", ()))
            else:
                parts.append(message.get("body", b""))

        try:
            await self._sdk.handle_request(_scope(call, headers), receive, send)
        finally:
            answered.set()
        shown = [
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in answer_headers
        ]
        kept = [(name, value) for name, value in shown if name.lower() != "content-length"]
        return Answer(status, kept, b"".join(parts))

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name[:100]!r}.")
        assert context.request is not None, "every call comes over HTTP"
        call: Call = context.request.state.call
        told = await self._longer.perform(tool, call, params.arguments or {})
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=told.text)],
            structured_content=dict(told.body),
            is_error=told.refused,
        )


async def _list_tools(
    context: Context, params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=tool.name,
                description=tool.description,
                input_schema=tool.schema(),
                annotations=types.ToolAnnotations(
                    read_only_hint=tool.reads, destructive_hint=False, open_world_hint=False
                ),
            )
            for tool in TOOLS.values()
        ]
    )


def _scope(call: Call, headers: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Host and Origin were the guard's business; here the SDK is asked to look at neither."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 0),
        "state": {"call": call},
    }

"""`/mcp`: hands what agents send to the door that is handed in; its bearer is the run's own."""

from collections.abc import Callable, Iterable

from flask import Flask, Response, request

from roundtable_desktop.dashboard.opening import open_to_all

Answer = tuple[int, list[tuple[str, str]], bytes]
Ask = Callable[[str, Iterable[tuple[str, str]], bytes], Answer]
"""(method, headers, body) → (status, headers, body)."""


def pages(ask: Ask) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.route("/mcp", methods=["GET", "POST", "DELETE"])
        @app.route("/mcp/", methods=["GET", "POST", "DELETE"])
        @open_to_all
        def mcp() -> Response:
            status, headers, body = ask(request.method, request.headers, request.get_data())
            return Response(body, status, headers)

    return add

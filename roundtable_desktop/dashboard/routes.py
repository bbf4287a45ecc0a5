"""One decorator for the API's routes: what it checks is what the description says (C-110)."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from flask import Flask, Response
from pydantic import BaseModel

from roundtable_desktop.dashboard import describe
from roundtable_desktop.dashboard.declared import Auth, Route
from roundtable_desktop.dashboard.opening import open_to_all
from roundtable_desktop.dashboard.reading import (
    Answered,
    Nothing,
    Once,
    expected_revision,
    last_event_id,
    read_body,
    read_once,
    read_query,
    require_key,
)
from roundtable_desktop.dashboard.signin import current

Act = TypeVar("Act", bound=Callable[..., BaseModel | Response | None])
HANDED = frozenset({"caller", "once", "expected_revision", "last_event_id", "query", "body"})
"""Parameters that a route may name; every other one is a part of its path."""


class Api:
    """Collects routes, serves them, and describes them at /api/v1/openapi.json.

    A route is a function that names what it needs:

        caller             who asks (Caller)
        <name>             a part of the path (str)
        query              the query string, a subclass of Asked
        body               the JSON, a subclass of Words
        once               Once | None: the Idempotency-Key and the body's fingerprint
                           Once: the same, and it is required
        expected_revision  int | None, from If-Match
        last_event_id      int | None, from Last-Event-ID

    It answers a Words (with an ETag when it has a `revision`), None for 204, or a Response.
    """

    def __init__(self, title: str, version: str) -> None:
        self.title = title
        self.version = version
        self.routes: list[Route] = []

    def route(
        self,
        method: str,
        path: str,
        *,
        status: int = 200,
        auth: Auth = "person",
        errors: tuple[int, ...] = (),
        streams: type[BaseModel] | None = None,
        texts: tuple[str, ...] = (),
        signed: type[BaseModel] | None = None,
        also: tuple[int, ...] = (),
    ) -> Callable[[Act], Act]:
        """errors: numbers this route answers besides those that follow from what it takes.
        streams: what each event is, where the answer is a stream of them. texts: its media types,
        where it is a file. signed: what the body is that its sender signs; the route reads it
        itself. also: other numbers of a good answer; the answer is an `Answered` then.
        """

        def take(act: Act) -> Act:
            signature = inspect.signature(act, eval_str=True)
            asked = {name: p.annotation for name, p in signature.parameters.items()}
            if asked.keys() - HANDED != set(describe.PATH_PART.findall(path)):
                raise TypeError(f"{act.__name__} and its path {path} differ")
            self.routes.append(
                Route(
                    method=method,
                    path=path,
                    act=act,
                    query=asked.get("query", Nothing),
                    body=signed
                    or asked.get("body", None if method in ("GET", "DELETE") else Nothing),
                    answer=_model(signature.return_annotation),
                    streams=streams,
                    texts=texts,
                    status=status,
                    auth=auth,
                    errors=errors,
                    takes=frozenset(asked),
                    signed=signed is not None,
                    also=also,
                    needs_key=asked.get("once") is Once,
                )
            )
            return act

        return take

    def install(self, app: Flask) -> None:
        """Adds every route, and the description of them all, to the application."""
        for route in self.routes:
            app.add_url_rule(
                route.path,
                f"{route.method} {route.path}",
                _view(route),
                methods=[route.method],
                provide_automatic_options=False,
            )

        @app.get("/api/v1/openapi.json")
        @cache  # made when somebody asks: it would cost every start a little
        def openapi() -> dict[str, Any]:
            return describe.document(self.title, self.version, self.routes)


def _model(annotation: Any) -> type[BaseModel] | None:
    return annotation if inspect.isclass(annotation) and issubclass(annotation, BaseModel) else None


def _view(route: Route) -> Callable[..., Response]:
    def view(**path: str) -> Response:
        return _answer(route, route.act(**path, **_handed(route)))

    return open_to_all(view) if route.auth == "none" else view


def _handed(route: Route) -> dict[str, object]:
    """Reads, and so checks, all that the route says; hands over what it names."""
    given: dict[str, object] = {"query": read_query(route.query)}
    if route.needs_key:  # before the body: it is the first thing that a program forgets (C-74)
        require_key()
    if route.body is not None and not route.signed:
        given["body"] = read_body(route.body)
    if "once" in route.takes:
        given["once"] = read_once()
    if "expected_revision" in route.takes:
        given["expected_revision"] = expected_revision()
    if "last_event_id" in route.takes:
        given["last_event_id"] = last_event_id()
    if "caller" in route.takes:
        given["caller"] = current()
    return {name: value for name, value in given.items() if name in route.takes}


def _answer(route: Route, result: BaseModel | Response | None) -> Response:
    if isinstance(result, Response):
        return result
    if result is None:
        return Response(status=204)
    status = result.http_status if isinstance(result, Answered) else route.status
    response = Response(result.model_dump_json(), status, content_type="application/json")
    revision = getattr(result, "revision", None)
    if revision is not None:
        response.headers["ETag"] = f'"{revision}"'
    return response

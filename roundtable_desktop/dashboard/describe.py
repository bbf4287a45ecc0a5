"""The OpenAPI 3.1 description of the API, made of the same declarations that serve it."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from roundtable_desktop.dashboard.declared import Route
from roundtable_desktop.dashboard.problems import MEDIA_TYPE, title_of
from roundtable_desktop.dashboard.reading import Words

Json = dict[str, Any]
Mode = Literal["validation", "serialization"]

SCHEMA = "#/components/schemas/{model}"
PATH_PART = re.compile(r"<(?:\w+:)?(\w+)>")

ABOUT = """Programs send `Authorization: Bearer <contents of the token file in the home>`. Times are
RFC 3339 in UTC, ids may be shortened to any end of them that is unique and has 6 characters.
Refusals are `application/problem+json`. A POST that was repeated with the same `Idempotency-Key`
acts once; a change with `If-Match` is refused with 412 when the thing has another revision."""

REF: Json = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "The id, or an end of it that no other has, at least 6 characters long.",
    "examples": ["01k7m3zq8v"],
}
KEY: Json = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"}
EVERYWHERE = frozenset({400, 403, 413, 421, 431, 500, 503})
"""What any request may be answered: it cannot be read, comes from elsewhere or is too large; the
machine or the database does not do it now."""
ETAG: Json = {
    "description": "The revision, for `If-Match`.",
    "schema": {"type": "string", "examples": ['"7"']},
}
RETRY_AFTER: Json = {
    "description": "Seconds, where the same request may go through later.",
    "schema": {"type": "string", "pattern": "^[0-9]+$"},
}

SIGNS: Mapping[str, str] = {
    "X-Roundtable-Signature": "v1=<hex of the HMAC-SHA256 of timestamp, a dot and the body>",
    "X-Roundtable-Timestamp": "The second since 1970 at which it was signed.",
    "X-Roundtable-Delivery": "An id of the delivery; the same one again does nothing again.",
    "X-Hub-Signature-256": "Instead: sha256=<hex of the HMAC-SHA256 of the body>",
    "X-GitHub-Delivery": "An id of the delivery, likewise.",
}
"""Headers by which a sender shows that it may; which of them, its trigger's signing mode says."""

JSON = "application/json"
STREAM = "text/event-stream"


class FieldFault(Words):
    """One field at fault."""

    pointer: str
    message: str


class Problem(Words):
    """RFC 9457. `code` is stable; `detail` is for people."""

    type: str
    status: int
    title: str
    detail: str
    code: str
    request_id: str
    errors: list[FieldFault]


class Schemas:
    """All models in one naming, so that two of one name do not become one."""

    def __init__(self, wanted: Iterable[tuple[type[BaseModel], Mode]]) -> None:
        ordered = sorted(set(wanted), key=lambda pair: (pair[0].__qualname__, pair[1]))
        self._references, definitions = models_json_schema(ordered, ref_template=SCHEMA)
        self.definitions: Json = definitions.get("$defs", {})

    def reference(self, model: type[BaseModel], mode: Mode) -> Json:
        return self._references[model, mode]

    def inlined(self, model: type[BaseModel]) -> Json:
        schema = model.model_json_schema(ref_template=SCHEMA)
        self.definitions.update(schema.pop("$defs", {}))
        return schema


def document(title: str, version: str, routes: Iterable[Route]) -> Json:
    listed = list(routes)
    schemas = Schemas(_models(listed))
    paths: dict[str, Json] = {}
    for route in listed:
        place = paths.setdefault(PATH_PART.sub(r"{\1}", route.path), {})
        place[route.method.lower()] = _operation(route, schemas)
    paths["/api/v1/openapi.json"] = {"get": _own(schemas)}
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version, "description": ABOUT},
        "tags": [{"name": name} for name in sorted({_noun(route.path) for route in listed})],
        "paths": paths,
        "components": {
            "schemas": schemas.definitions,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _own(schemas: "Schemas") -> Json:
    content = _content(JSON, {"type": "object", "required": ["openapi", "paths"]})
    done = {"200": {"description": "Done", "content": content}}
    return {
        "operationId": "openapi",
        "summary": "This description.",
        "tags": ["openapi.json"],
        "parameters": [],
        "security": [{"bearer": []}],
        "responses": done | _failures(EVERYWHERE | {401}, schemas),
    }


def _noun(path: str) -> str:
    """What it is about: the first part that says it."""
    return next(part for part in path.split("/") if part not in ("", "api", "v1", "office"))


def _models(routes: Iterable[Route]) -> Iterable[tuple[type[BaseModel], Mode]]:
    yield Problem, "serialization"
    for route in routes:
        if route.body is not None:
            yield route.body, "validation"
        if route.answer is not None:
            yield route.answer, "serialization"
        if route.streams is not None:
            yield route.streams, "serialization"


def _operation(route: Route, schemas: Schemas) -> Json:
    operation: Json = {
        "operationId": getattr(route.act, "__name__", route.path),
        "summary": (route.act.__doc__ or "").strip().partition("\n")[0],
        "tags": [_noun(route.path)],
        "parameters": [*_path_parameters(route), *_query(route, schemas), *_headers(route)],
        "security": [] if route.auth == "none" else [{"bearer": []}],
        "responses": _responses(route, schemas),
    }
    if route.body is not None:
        operation["requestBody"] = {
            "required": any(f.is_required() for f in route.body.model_fields.values()),
            "content": _content(JSON, schemas.reference(route.body, "validation")),
        }
    return operation


def _path_parameters(route: Route) -> list[Json]:
    return [_parameter("path", name, REF, required=True) for name in PATH_PART.findall(route.path)]


def _query(route: Route, schemas: Schemas) -> list[Json]:
    schema = schemas.inlined(route.query)
    required = schema.get("required", ())
    return [
        _parameter("query", name, inner, required=name in required)
        for name, inner in schema.get("properties", {}).items()
    ]


def _headers(route: Route) -> list[Json]:
    known: Mapping[str, tuple[str, Json]] = {
        "once": ("Idempotency-Key", KEY),
        "expected_revision": ("If-Match", {"type": "string", "examples": ['"7"', "*"]}),
        "last_event_id": ("Last-Event-ID", {"type": "string", "pattern": "^[0-9]{0,18}$"}),
    }
    taken = [known[one] for one in known if one in route.takes]
    signs = [(name, {"type": "string", "description": said}) for name, said in SIGNS.items()]
    return [
        _parameter("header", name, schema, required=route.needs_key and schema is KEY)
        for name, schema in (*taken, *(signs if route.signed else ()))
    ]


def _parameter(place: str, name: str, schema: Json, *, required: bool) -> Json:
    return {"name": name, "in": place, "required": required, "schema": schema}


def _content(media_type: str, schema: Json) -> Json:
    return {media_type: {"schema": schema}}


def _responses(route: Route, schemas: Schemas) -> Json:
    done: Json = {"description": "Done"}
    if route.answer is not None:
        done["content"] = _content(JSON, schemas.reference(route.answer, "serialization"))
    if route.streams is not None:
        said = f"Server-Sent Events; the data of each is a {route.streams.__name__} in one line."
        done["content"] = _content(STREAM, {"type": "string", "description": said})
    for media_type in route.texts:
        done.setdefault("content", {}).update(_content(media_type, {"type": "string"}))
    if route.answer is not None and "revision" in route.answer.model_fields:
        done["headers"] = {"ETag": ETAG}
    failures = _failures(_statuses(route), schemas)
    with_body = route.answer or route.streams or route.texts
    good = (route.status, *route.also) if with_body else (204,)
    return {**{str(status): done for status in good}, **failures}


def _failures(statuses: Iterable[int], schemas: "Schemas") -> Json:
    problem = _content(MEDIA_TYPE, schemas.reference(Problem, "serialization"))
    failures: Json = {}
    for status in sorted(statuses):
        failures[str(status)] = told = {"description": title_of(status), "content": problem}
        if status in (429, 503):
            told["headers"] = {"Retry-After": RETRY_AFTER}
    return failures


def _statuses(route: Route) -> set[int]:
    """What can go wrong, told from what the route takes."""
    found = {*EVERYWHERE, 422, *route.errors}
    if route.method != "GET":
        found.add(507)  # what is written needs room
    if route.auth != "none":
        found.add(401)
    if "<" in route.path:
        found.add(404)
    if route.body is not None:
        found.add(415)
    if "once" in route.takes:
        found.add(409)
    if "expected_revision" in route.takes:
        found.add(412)
    return found

"""What comes in over HTTP, read strictly: bodies, queries, preconditions, cursors."""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar, get_origin

from flask import request
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from roundtable_desktop.dashboard.problems import Fault, Refusal
from roundtable_desktop.model import strict
from roundtable_desktop.model.misfits import MOST, escaped, misfits
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.misfits import unfit

ENTITY_TAG = re.compile(r'"(\d{1,18})"', re.ASCII)
EVENT_ID = re.compile(r"\d{1,18}", re.ASCII)
NO_REVISION = -1
"""What an `If-Match` that is none of our tags asks for: it matches nothing."""


class Words(BaseModel):
    """Every body and every answer: unknown fields refused, nothing coerced, no NaN.

    A hundred routes are mounted and few are asked: each is built when it first is (G12).
    """

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)


def example(**body: Any) -> ConfigDict:
    """A body as it could be sent, for the description."""
    return ConfigDict(json_schema_extra={"examples": [body]})


class Nothing(Words):
    """The body of a route that takes none: absent, or `{}`."""


class Answered(Words):
    """An answer whose number depends on what was done."""

    _http_status: int = PrivateAttr(default=200)

    @property
    def http_status(self) -> int:
        return self._http_status


class Asked(BaseModel):
    """Every query string: unknown names refused; text becomes numbers."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, defer_build=True)


# --- lists ---------------------------------------------------------------------------------------


Shown = TypeVar("Shown", bound=BaseModel)
Row = TypeVar("Row")
Query = TypeVar("Query", bound=BaseModel)
_ID: Callable[[Any], str] = attrgetter("id")


class Paging(Asked):
    """The two parameters of every list; a list's own filters are fields of a subclass."""

    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, max_length=200)

    @property
    def after(self) -> str | None:
        """The id after which the list goes on."""
        return None if self.cursor is None else _opened(self.cursor)


class Listed(Words, Generic[Shown]):
    """Newest first; `next_cursor` is null on the last page."""

    items: list[Shown]
    next_cursor: str | None


def listed(
    page: type[Listed[Shown]],
    query: Paging,
    read: Callable[..., Sequence[Row]],
    show: Callable[[Row], Shown],
    id_of: Callable[[Row], str] = _ID,
) -> Listed[Shown]:
    """The page that `query` asks for; its own filters are handed to `read` by their names."""
    filters = query.model_dump(exclude=set(Paging.model_fields))
    kept, cursor = cut(read(query.after, query.limit + 1, **filters), query.limit, id_of)
    return page(items=[show(one) for one in kept], next_cursor=cursor)


class Piece(Paging):
    """Of what belongs to one thing: mostly all of it, in one answer."""

    limit: int = Field(default=200, ge=1, le=200)


def piece(
    page: type[Listed[Shown]],
    query: Paging,
    rows: Sequence[Row],
    show: Callable[[Row], Shown],
    id_of: Callable[[Row], str] = _ID,
) -> Listed[Shown]:
    """Of `rows`, oldest first, those after the cursor."""
    ids = [id_of(row) for row in rows]
    at = ids.index(query.after) + 1 if query.after in ids else 0
    if query.after is not None and not at:
        raise _no_cursor()
    kept, cursor = cut(rows[at:], query.limit, id_of)
    return page(items=[show(one) for one in kept], next_cursor=cursor)


def cut(
    rows: Sequence[Row], limit: int, id_of: Callable[[Row], str] = _ID
) -> tuple[Sequence[Row], str | None]:
    """`rows` was read with `limit + 1`: the page, and the cursor when there is more."""
    kept = rows[:limit]
    more = len(rows) > limit
    return kept, _closed(id_of(kept[-1])) if more else None


def _closed(last_id: str) -> str:
    return base64.urlsafe_b64encode(last_id.encode()).decode().rstrip("=")


def _opened(cursor: str) -> str:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        last_id = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (ValueError, binascii.Error):
        last_id = ""
    if not last_id.isprintable() or not last_id:
        raise _no_cursor()
    return last_id


def _no_cursor() -> Refusal:
    return Refusal(422, "bad_cursor", [Fault("/cursor", _("This is no cursor of this list."))])


# --- JSON ----------------------------------------------------------------------------------------


def read_body(model: type[BaseModel]) -> BaseModel:
    """The request's JSON as `model`: 415 when it is no JSON, 400 unreadable, 422 with pointers."""
    raw = request.get_data(cache=True)
    if request.mimetype != "application/json" and (raw or request.content_type):
        raise Refusal(415, "json_only")
    raw = raw or b"{}"
    value = parse(raw)
    refuse_blemishes(value, "invalid_body")
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        raise Refusal(422, "invalid_body", faults_of(error, value)) from None


def parse(raw: bytes) -> object:
    try:
        return strict.parse(raw)
    except ValueError:
        raise Refusal(400, "unreadable_json") from None


def refuse_blemishes(value: object, code: str) -> None:
    """Text and numbers that no column can hold, wherever they are, keys included (S-58)."""
    faults = []
    for pointer, found in _leaves(value):
        message = _blemish(found)
        if message:
            faults.append(Fault(pointer, message))
    if faults:
        raise Refusal(422, code, faults[:MOST])


def _leaves(value: object) -> Iterator[tuple[str, object]]:
    """Every scalar and every key with its pointer; a stack of our own, so depth is no danger."""
    stack: list[tuple[str, int, object]] = [("", 0, value)]
    while stack:
        pointer, depth, here = stack.pop()
        if depth > strict.DEPTH_LIMIT:
            raise Refusal(400, "unreadable_json")
        if isinstance(here, Mapping):
            for name, inner in here.items():
                # An unclean name is not repeated in its pointer.
                yield pointer, name
                stack.append((f"{pointer}/{escaped(name)}", depth + 1, inner))
        elif isinstance(here, list):
            stack.extend((f"{pointer}/{i}", depth + 1, inner) for i, inner in enumerate(here))
        else:
            yield pointer, here


def _blemish(value: object) -> str:
    if isinstance(value, str):
        if "\0" in value:
            return _("Text cannot contain the NUL character.")
        if strict.has_half_pair(value):
            return _("Text cannot contain half of a surrogate pair.")
    elif strict.is_too_large(value):
        return _("This number is too large.")
    return ""


def faults_of(error: ValidationError, value: object) -> list[Fault]:
    """A sentence of ours for each, whatever the library says."""
    told = [Fault(one.pointer, unfit(one.code, one.values)) for one in misfits(error, value)]
    return list(dict.fromkeys(told))


# --- queries and headers -------------------------------------------------------------------------


def read_query(model: type[Query], *, unknown_too: bool = True) -> Query:
    """The query string as `model`; one name twice is a list, refused where none is expected.
    unknown_too: what `model` does not name is read as well, and refused."""
    given: dict[str, object] = {
        name: values if _is_list(model, name) or len(values) > 1 else values[0]
        for name, values in request.args.lists()
        if unknown_too or name in model.model_fields
    }
    refuse_blemishes(given, "invalid_query")
    try:
        read = model.model_validate(given)
    except ValidationError as error:
        raise Refusal(422, "invalid_query", faults_of(error, given)) from None
    refuse_blemishes(read.model_dump(), "invalid_query")  # digits have become numbers
    return read


def _is_list(model: type[BaseModel], name: str) -> bool:
    field = model.model_fields.get(name)
    return field is not None and get_origin(field.annotation) in (list, tuple, set, frozenset)


@dataclass(frozen=True, slots=True)
class Once:
    """An `Idempotency-Key`, and what it was sent with: the same key with another fingerprint is
    `key_reused` (W-30)."""

    key: str
    fingerprint: str


def require_key() -> None:
    if not request.headers.get("Idempotency-Key"):
        raise Refusal(400, "idempotency_key_required")


def read_once() -> Once | None:
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not strict.KEY.fullmatch(key):
        raise Refusal(400, "bad_idempotency_key")
    return Once(key, fingerprint(request.method, request.path, request.get_data(cache=True)))


def fingerprint(method: str, path: str, raw: bytes) -> str:
    """sha256 over method, path and the body with its spaces and the order of names taken out."""
    body = json.dumps(parse(raw or b"{}"), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{method}\n{path}\n{body}".encode()).hexdigest()


def expected_revision() -> int | None:
    """From `If-Match`; None when the caller asks for none (absent or `*`)."""
    given = request.headers.get("If-Match", "*").strip()
    if given == "*":
        return None
    tag = ENTITY_TAG.fullmatch(given)
    return int(tag[1]) if tag else NO_REVISION


def last_event_id() -> int | None:
    """What an interrupted stream had last; browsers send it by themselves."""
    given = request.headers.get("Last-Event-ID", "").strip()
    if not given:
        return None
    if not EVENT_ID.fullmatch(given):
        raise Refusal(400, "bad_last_event_id")
    return int(given)

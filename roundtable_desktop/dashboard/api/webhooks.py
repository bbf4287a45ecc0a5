"""The one route of the API that strangers may use, and what came there (K-21, C-68).

The order of its checks is its safety: no browser; then who signed; then how often; and only then
what the body says. Whoever may not gets one and the same answer, byte for byte (S-51).
"""

from collections.abc import Callable

from flask import Response, request
from pydantic import ConfigDict

from roundtable_desktop.dashboard import standstill
from roundtable_desktop.dashboard.api.routines import OFFICE
from roundtable_desktop.dashboard.api.routines_shown import Firing, firing
from roundtable_desktop.dashboard.api.shapes import Moment, Shown
from roundtable_desktop.dashboard.guard import WEBHOOKS
from roundtable_desktop.dashboard.problems import MEDIA_TYPE, Refusal, problem_json
from roundtable_desktop.dashboard.reading import (
    Listed,
    Paging,
    Words,
    listed,
    parse,
    refuse_blemishes,
)
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk import Desk, webhooks
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.webhooks import Call, Pace, Proven
from roundtable_desktop.model import webhooks as records
from roundtable_desktop.model.states import Health
from roundtable_desktop.model.strict import KEY
from roundtable_desktop.model.webhooks import Said
from roundtable_desktop.phrases import sentence

OF_BROWSERS = ("Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User")
"""Headers that every browser sends with what a page asks for, and no program."""
NAMES = ("X-Roundtable-Delivery", "X-GitHub-Delivery", "Idempotency-Key")
"""Where a sender names its delivery; the first that is there counts."""


class Sent(Words):
    """Any object: what the routine declares is taken, the rest is kept for a look."""

    model_config = ConfigDict(extra="allow")


class DeliveriesAsked(Paging):
    """Of one routine."""


class Delivery(Shown):
    """A call that was signed well. became: a code, sentence: the same in words. repeats: how often
    it came again, the last time at last_at. payload: its body, of the newest ones."""

    id: str
    trigger_id: str
    delivery_id: str | None
    signed_hash: str | None
    at: Moment
    last_at: Moment
    repeats: int
    became: str
    sentence: str
    firing_id: str | None
    payload: str | None


def delivery(one: records.Delivery) -> Delivery:
    return Delivery.of(one, sentence=sentence(f"delivery_{one.became}"))


def declare(api: Api, desk: Desk, look: Look, health: Callable[[], Health]) -> None:
    pace = Pace()

    @api.route(
        "POST",
        f"{WEBHOOKS}<public_id>/fire",
        status=202,
        auth="none",
        errors=(401, 409, 429),
        signed=Sent,
    )
    def fire_webhook(public_id: str) -> Firing | Response:
        """Sets its routine off: for whoever can sign, as the trigger's signing mode says."""
        if any(name in request.headers for name in OF_BROWSERS):
            raise Refusal(403, "webhook_from_browser")
        standstill.check(health().value)
        call = _call(public_id)
        proven = webhooks.proven(desk, look.webhooks, call)
        if proven is None:
            return _refused()
        if seconds := pace.wait(proven.trigger.id, look.webhooks.now()):
            raise Refusal(429, "webhook_too_often", headers={"Retry-After": str(seconds)})
        if call.delivery_id is not None and not KEY.fullmatch(call.delivery_id):
            raise Refusal(400, "bad_delivery_id")
        made = webhooks.receive(desk, proven, _body(desk, proven))
        return firing(made) if made is not None else _refused()

    @api.route("GET", f"{OFFICE}/<ref>/deliveries")
    def list_deliveries(query: DeliveriesAsked, ref: str) -> Listed[Delivery]:
        """What came to a routine's webhooks within 30 days, signed well; newest first."""
        routine = look.routines.one(ref).routine

        def read(after: str | None, limit: int) -> list[records.Delivery]:
            return look.webhooks.deliveries(routine, after, limit)

        return listed(Listed[Delivery], query, read, delivery)


def _call(public_id: str) -> Call:
    headers = request.headers
    said = Said(
        headers.get("Authorization"),
        headers.get("X-Roundtable-Signature"),
        headers.get("X-Roundtable-Timestamp"),
        headers.get("X-Hub-Signature-256"),
    )
    named = next((headers[name] for name in NAMES if name in headers), None)
    return Call(public_id, said, named, request.get_data(cache=True))


def _refused() -> Response:
    """Nothing of the request is in it, not even its number."""
    body = problem_json(Refusal(401, "webhook_refused"), "")
    return Response(body, 401, {"WWW-Authenticate": "Bearer"}, content_type=MEDIA_TYPE)


def _body(desk: Desk, call: Proven) -> dict[str, object]:
    """As strictly as any body. What cannot be read is told to its sender, and to the person."""
    raw = call.text
    try:
        if request.mimetype != "application/json" and (raw or request.content_type):
            raise Refusal(415, "json_only")
        value = parse(raw or b"{}")
        refuse_blemishes(value, "invalid_body")
        if not isinstance(value, dict):
            raise Refusal(422, "webhook_no_object")
    except Refusal as unread:
        webhooks.put_down(desk, call, unread.code)
        raise
    return value

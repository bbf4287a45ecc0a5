"""A stranger with a secret: signs calls as a sender does, and sends them."""

import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from outside_house import Answer, House, Room
from outside_routines import made
from outside_talk import office

SECRET = "s3cret-of-a-sender"


def seconds(house: House) -> int:
    """By the owner's clock, which a sender's must agree with."""
    standing = house.get("/status")["test_clock"]
    if standing is None:
        return int(time.time())
    return int(datetime.fromisoformat(standing).timestamp())


def digest(secret: str, message: bytes) -> str:
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class Hook:
    """One webhook trigger of a routine, and what its sender knows."""

    house: House
    routine: Any
    trigger: Any
    secret: str

    @property
    def path(self) -> str:
        return urlsplit(self.trigger["url"]).path

    def signed(self, body: bytes, at: int | None = None, secret: str = "") -> dict[str, str]:
        second = str(seconds(self.house) if at is None else at)
        found = digest(secret or self.secret, second.encode() + b"." + body)
        return {"X-Roundtable-Timestamp": second, "X-Roundtable-Signature": f"v1={found}"}

    def hub(self, body: bytes) -> dict[str, str]:
        return {"X-Hub-Signature-256": f"sha256={digest(self.secret, body)}"}

    def send(self, body: bytes, headers: dict[str, str], method: str = "POST") -> Answer:
        sent = {"Content-Type": "application/json", **headers}
        return self.house.ask(method, self.path, body, sent)

    def call(self, values: object, delivery: str = "", **more: str) -> Answer:
        """Rightly signed, by ours."""
        body = json.dumps(values, ensure_ascii=False).encode()
        named = {"X-Roundtable-Delivery": delivery} if delivery else {}
        sent = {name.replace("_", "-"): value for name, value in more.items()}
        return self.send(body, {**self.signed(body), **named, **sent})

    # --- what there is -------------------------------------------------------------------------

    def seen(self) -> Any:
        return office(self.house, "GET", f"/{self.routine['id']}").json

    def firings(self) -> list[Any]:
        """Newest first."""
        return list(self.seen()["recent_runs"])

    def deliveries(self) -> list[Any]:
        answer = office(self.house, "GET", f"/{self.routine['id']}/deliveries")
        return list(answer.json["items"])

    def patch(self, **changes: object) -> Answer:
        """Of its trigger; the routine has no other but the one by hand."""
        wanted = {"id": self.trigger["id"], **changes}
        body = {"triggers": [wanted]}
        return office(self.house, "PATCH", f"/{self.routine['id']}", body)


def hook(room: Room, agent: str, trigger: dict[str, object] | None = None, **more: object) -> Hook:
    """A new routine with one webhook, hmac_sha256 with SECRET unless `trigger` says another way."""
    wanted = {"kind": "webhook", "secret": SECRET, **(trigger or {})}
    routine = made(room, agent, triggers=[wanted], **more)
    found = next(one for one in routine["triggers"] if one["kind"] == "webhook")
    return Hook(room.house, routine, found, str(wanted["secret"]))

"""Webhooks: a sender that signs and sends until it is answered, and what became of what it sent."""

import hashlib
import hmac
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from kills.ledgers import Acked
from kills.owners import Owners
from kills.posting import Wish

SECRET = "what-only-the-sender-has"
TRIGGER = {"kind": "webhook", "secret": SECRET}
DECLARED = [{"name": "key", "required": True}]
WAYS = ("named", "bytes", "hub")
"""By which a delivery that comes again is known: its id, what was signed, GitHub's id."""
AGAIN = (0, 0, 1, 2)
"""How often one that was answered is sent again."""


class Sender:
    """Whoever knows address and secret of one webhook, and has no token."""

    def __init__(self, owners: Owners, url: str) -> None:
        self._owners, self._path = owners, urlsplit(url).path

    def wish(self, key: str, dice: random.Random) -> Wish:
        body = json.dumps({"key": key}).encode()
        way = dice.choice(WAYS)
        first = _ours(body)

        def send() -> Any:
            if way == "bytes":
                headers = first
            elif way == "hub":
                hub = {"X-Hub-Signature-256": f"sha256={_digest(body)}"}
                headers = {**hub, "X-GitHub-Delivery": key}
            else:
                headers = {**_ours(body), "X-Roundtable-Delivery": key}
            return self._owners.call(self._path, body, headers)

        return Wish("hook", self._path, None, send=send, again=dice.choice(AGAIN))


def _ours(body: bytes) -> dict[str, str]:
    second = str(int(time.time()))
    signature = f"v1={_digest(second.encode() + b'.' + body)}"
    return {"X-Roundtable-Timestamp": second, "X-Roundtable-Signature": signature}


def _digest(message: bytes) -> str:
    return hmac.new(SECRET.encode(), message, hashlib.sha256).hexdigest()


def judge(
    firings: Sequence[Mapping[str, Any]],
    deliveries: Sequence[Mapping[str, Any]],
    acks: Sequence[Acked],
) -> list[str]:
    """What was acknowledged has fired once, whatever often it came; nothing else has."""
    told: dict[str, set[str]] = defaultdict(set)
    for ack in acks:
        if ack.kind == "hook":
            told[ack.key].add(ack.task)
    there = {row["id"] for row in firings if row["source"] == "webhook"}
    kept = Counter(row["firing_id"] for row in deliveries)  # also of a firing that was skipped
    answered = Counter(one for ids in told.values() for one in ids)
    wrong = [f"{key} was told of {len(ids)} firings" for key, ids in told.items() if len(ids) > 1]
    wrong += [f"no firing {one}" for one in answered if one not in there]
    wrong += [f"nobody's firing {one}" for one in there if one not in answered]
    wrong += [f"one firing of {n} deliveries {one}" for one, n in answered.items() if n > 1]
    return wrong + [f"{kept[one]} rows of what fired {one}" for one in there if kept[one] != 1]

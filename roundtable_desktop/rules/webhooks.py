"""Whether a call to a webhook shows that its sender may (H1, C-68).

One way for all: an address that nobody has, one that is switched off and a wrong signature cost
the same, and every comparison takes constant time (S-51, S-55).
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from roundtable_desktop.model.webhooks import Said, SigningMode

TOLERANCE = timedelta(seconds=300)
"""By how much the clock of a sender may be off."""
OVERLAP = timedelta(hours=24)
"""For which the secret of before a rotation counts as well."""
MOST_SIGNATURES = 8
SHORTEST, LONGEST = 6, 256
"""Characters of a secret; a shorter one could not be taken out of logs."""

_SECOND = re.compile(r"\d{1,12}", re.ASCII)
_OURS = re.compile(r"v1=([0-9a-f]{64})", re.ASCII)
_HUB = re.compile(r"sha256=([0-9a-f]{64})", re.ASCII)
_VISIBLE = re.compile(r"[!-~]+", re.ASCII)
_NOBODYS = b"nobody's"


@dataclass(frozen=True, slots=True)
class Proof:
    """signed_hash: names what was signed, whatever the secret; None where nothing was."""

    signed_hash: str | None


def proof(
    mode: SigningMode | None, secrets: Sequence[str], said: Said, raw: bytes, now: datetime
) -> Proof | None:
    """None where it may not. mode: None of an address where nobody listens. secrets: those that
    count now. raw: the body, byte for byte as it came (B-050)."""
    keys = [one.encode() for one in secrets]
    bearer = _bears(keys, said.authorization)
    signed_hash = _signed(keys, said, raw, now)
    if mode is SigningMode.NONE:
        return Proof(None)
    if mode is SigningMode.BEARER:
        return Proof(None) if bearer else None
    if mode is SigningMode.HMAC_SHA256 and signed_hash is not None:
        return Proof(signed_hash)
    return None


def secret_fault(mode: SigningMode, secret: str) -> str | None:
    """Why it cannot be taken: a code."""
    if not secret.strip():
        return "webhook_secret_empty"
    if not SHORTEST <= len(secret) <= LONGEST:
        return "webhook_secret_length"
    if not secret.isprintable() or (mode is SigningMode.BEARER and not _VISIBLE.fullmatch(secret)):
        return "webhook_secret_characters"
    return None


def held_now(held: Mapping[str, str], trigger_id: str, previous: bool) -> list[str]:
    """Of all secrets of a routine those that count for one trigger. previous: whether the one of
    before still does."""
    names = [trigger_id, previous_name(trigger_id)] if previous else [trigger_id]
    return [held[name] for name in names if held.get(name)]


def previous_name(trigger_id: str) -> str:
    """Under which the secret of before a rotation is kept."""
    return f"{trigger_id}.previous"


def _bears(keys: Sequence[bytes], header: str | None) -> bool:
    scheme, _, given = (header or "").partition(" ")
    shown = given.encode("latin-1", "replace")
    found = [hmac.compare_digest(shown, key) for key in keys or [_NOBODYS]]
    return bool(keys) and scheme == "Bearer" and any(found)


def _signed(keys: Sequence[bytes], said: Said, raw: bytes, now: datetime) -> str | None:
    """Ours has a time in what is signed; that of others such as GitHub is over the body alone."""
    ours = said.signature is not None or said.timestamp is not None
    if ours:
        second = said.timestamp or ""
        message, given = second.encode("latin-1", "replace") + b"." + raw, _each(said.signature)
        fresh = _is_fresh(second, now)
    else:
        hub = _HUB.fullmatch(said.hub_signature or "")
        message, given, fresh = raw, [hub[1]] if hub else [], True
    right = [hmac.new(key, message, hashlib.sha256).hexdigest() for key in keys or [_NOBODYS]]
    found = [hmac.compare_digest(one, key) for one in given or ["0" * 64] for key in right]
    named = hashlib.sha256((b"v1\n" if ours else b"hub\n") + message).hexdigest()
    return named if keys and given and fresh and any(found) else None


def _each(header: str | None) -> list[str]:
    """Several may stand there, for a rotation; what is none of ours is passed over."""
    words = re.split(r"[,\s]+", header or "")[:MOST_SIGNATURES]
    return [found[1] for word in words if (found := _OURS.fullmatch(word))]


def _is_fresh(second: str, now: datetime) -> bool:
    if not _SECOND.fullmatch(second):
        return False
    return abs(now.timestamp() - int(second)) <= TOLERANCE.total_seconds()

"""Who may set a webhook off, judged on values alone."""

import hashlib
import hmac
from datetime import UTC, datetime

import pytest

from roundtable_desktop.model.webhooks import Said, SigningMode
from roundtable_desktop.rules.webhooks import Proof, held_now, previous_name, proof, secret_fault

NOW = datetime(2026, 4, 25, 3, 45, tzinfo=UTC)
KEY, BODY = "a-senders-secret", b'{"branch": "main"}'
NONE, BEARER, HMAC = SigningMode


def mac(message: bytes, key: str = KEY) -> str:
    return hmac.new(key.encode(), message, hashlib.sha256).hexdigest()


def ours(seconds: float = 0, key: str = KEY, body: bytes = BODY) -> Said:
    second = str(int(NOW.timestamp() + seconds))
    return Said(timestamp=second, signature="v1=" + mac(second.encode() + b"." + body, key))


def judge(said: Said, mode: SigningMode | None = HMAC, body: bytes = BODY) -> Proof | None:
    return proof(mode, [KEY], said, body, NOW)


@pytest.mark.proves("S-47", "C-68")
def test_a_senders_clock_may_be_five_minutes_off_and_not_a_second_more() -> None:
    for seconds in (0, 300, -300, 299):
        assert judge(ours(seconds)) is not None, seconds
    for seconds in (301, -301, 86_400):
        assert judge(ours(seconds)) is None, seconds


@pytest.mark.proves("S-46", "S-49", "S-51")
def test_only_the_bytes_that_were_signed_by_who_has_the_secret() -> None:
    right = ours()
    assert right.signature is not None and right.timestamp is not None
    assert judge(right) is not None
    assert judge(right, body=BODY + b" ") is None
    assert judge(ours(key="another-secret")) is None
    hub = Said(hub_signature="sha256=" + mac(BODY))
    assert judge(hub) is not None
    for given in (mac(BODY), "sha1=" + mac(BODY), "sha256=", "sha256=" + mac(BODY).upper()):
        assert judge(Said(hub_signature=given)) is None
    both = Said(timestamp=right.timestamp, hub_signature="sha256=" + mac(BODY))
    assert judge(both) is None, "with a time of ours our signature is wanted"
    assert judge(Said(signature=right.signature)) is None
    many = ", ".join(["v1=" + "0" * 64] * 8 + [right.signature])
    assert judge(Said(timestamp=right.timestamp, signature=many)) is None, "eight at most"


@pytest.mark.proves("S-50", "S-51", "B-055")
def test_each_mode_wants_its_own_and_no_secret_opens_nothing() -> None:
    bears = Said(authorization=f"Bearer {KEY}")
    assert judge(bears, BEARER) is not None and judge(bears, HMAC) is None
    assert judge(ours(), BEARER) is None
    for given in (KEY, f"bearer {KEY}", f"Bearer  {KEY}", f"Bearer {KEY} ", "Bearer ", "Bearer é"):
        assert judge(Said(authorization=given), BEARER) is None, given
    assert judge(Said(), NONE) == Proof(None)
    for mode in (None, BEARER, HMAC):
        assert proof(mode, [], bears, BODY, NOW) is None
        assert proof(mode, [], ours(key=""), BODY, NOW) is None
        assert proof(mode, [], ours(key="nobody's"), BODY, NOW) is None
        assert proof(None, [KEY], ours(), BODY, NOW) is None


@pytest.mark.proves("C-68", "S-48")
def test_what_was_signed_has_one_name_whichever_secret_signed_it() -> None:
    secrets = [KEY, "the-one-before"]
    first = proof(HMAC, secrets, ours(), BODY, NOW)
    second = proof(HMAC, secrets, ours(key="the-one-before"), BODY, NOW)
    assert first is not None and first == second
    assert first != proof(HMAC, secrets, ours(1), BODY, NOW)
    hub = proof(HMAC, secrets, Said(hub_signature="sha256=" + mac(BODY)), BODY, NOW)
    assert hub not in (None, first)


@pytest.mark.proves("C-68")
def test_the_secret_of_before_counts_for_its_time_alone() -> None:
    held = {"t": "new", previous_name("t"): "old", "u": "other"}
    assert held_now(held, "t", True) == ["new", "old"]
    assert held_now(held, "t", False) == ["new"]
    assert held_now(held, "v", True) == held_now({"v": ""}, "v", True) == []


@pytest.mark.proves("S-50", "C-80 webhooks")
def test_which_secrets_can_be_taken() -> None:
    told = {
        "": "webhook_secret_empty",
        "   ": "webhook_secret_empty",
        "short": "webhook_secret_length",
        "x" * 257: "webhook_secret_length",
        "line\nbreak": "webhook_secret_characters",
    }
    for secret, code in told.items():
        assert secret_fault(HMAC, secret) == code == secret_fault(BEARER, secret)
    assert secret_fault(HMAC, "with a blank é") is None
    assert secret_fault(BEARER, "with a blank é") == "webhook_secret_characters"
    assert secret_fault(BEARER, "s3cret") is None

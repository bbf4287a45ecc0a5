"""What has the shape of a secret does not get through either, though nobody told us its value."""

import json
import random
import time

import pytest

from roundtable_desktop.model.printed import printed
from roundtable_desktop.rules.redact import Redactor, redact
from roundtable_desktop.rules.shapes import without_lookalikes

KEYS = {
    "openai": "sk-proj-" + "aB3xY9_-" * 6,
    "anthropic": "sk-ant-api03-" + "Qw7rT5yU" * 8,
    "stripe": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "github": "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "github-app": "ghs_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "github-fine": "github_pat_11ABCDEFG0aBcDeFgHiJkL_" + "m0Nop" * 10,
    "gitlab": "glpat-" + "Zx9Yw8Vu7Ts6Rq5Po4Nm",
    "slack": "xoxb-" + "123456789012-1234567890123-AbCdEfGh",
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "google": "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
}
LETTERS = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS * 20}-----END RSA PRIVATE KEY-----"
BEARER = "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N"
SIZES = (1, 7, 50, 100_000)


def in_pieces(text: str, size: int, *known: str) -> str:
    stream, raw = Redactor(known).stream(), text.encode()
    pieces = [stream.feed(raw[start : start + size]) for start in range(0, len(raw), size)]
    return (b"".join(pieces) + stream.flush()).decode()


@pytest.mark.proves("S-71 shapes")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", KEYS)
def test_a_key_is_known_by_its_shape(name: str, size: int) -> None:
    key = KEYS[name]
    assert in_pieces(f"key={key} end\n{key}", size) == "key=[redacted] end\n[redacted]"
    told = json.dumps({"out": f"the key:\n{key}\n", "list": [key]})
    clean = json.dumps({"out": "the key:\n[redacted]\n", "list": ["[redacted]"]})
    assert in_pieces(told, size) == clean
    coloured = "\x1b[1;31m".join(key)
    assert printed(in_pieces(f"<{coloured}>", size)) == "<[redacted]>"


@pytest.mark.proves("S-71 shapes")
@pytest.mark.parametrize("size", SIZES)
def test_a_bearer_and_a_private_key_are_taken_out_whole(size: int) -> None:
    assert in_pieces(f"> {BEARER}\n> x", size) == "> Authorization: Bearer [redacted]\n> x"
    assert in_pieces(f"a\n{PEM}\nb", size) == "a\n[redacted]\nb"
    escaped = json.dumps({"key": PEM})
    assert in_pieces(escaped, size) == '{"key": "[redacted]"}'
    begun = PEM[: len(PEM) // 2]
    assert in_pieces(f"a {begun}", size) == "a [redacted]", "the end that never came is no reason"


@pytest.mark.proves("S-71 shapes")
@pytest.mark.parametrize("size", SIZES)
def test_what_only_looks_alike_stays(size: int) -> None:
    text = (
        "task-1234567890abcdefghijABC disk-ABCDEFGHIJKLMNOPQRSTUVWX sk-fading-circle-spinner-large "
        "sk-1 the bearer of responsibilities AKIA ghp_short -----BEGIN CERTIFICATE----- MIIE "
        "-----BEGIN PUBLIC KEY-----\n----- s sk gh -- ---------------- Bearer token\n"
    )
    assert in_pieces(text, size) == text


@pytest.mark.proves("S-71 shapes", "S-75")
def test_what_is_shown_to_strangers_has_nothing_that_begins_like_a_key() -> None:
    """The same list, and a few more beginnings; what the strict shapes know, this knows too."""
    for key in (
        *KEYS.values(),
        "sk-1234567890",
        "pk_live_abcdefgh12",
        "xoxp-1-2-3-4567890",
        "ghu_" + "a" * 12,
    ):
        assert without_lookalikes(f"key={key} end", "…") == "key=… end", key
    innocent = "skip_idle_wakeups workspace_events task-1234567890abcdef sk-1 risk-1234567890abcd"
    assert without_lookalikes(innocent, "…") == innocent


@pytest.mark.proves("S-71 shapes")
def test_a_private_key_without_an_end_hides_no_more_than_a_key_may_have() -> None:
    endless = f"-----BEGIN PRIVATE KEY-----\n{'a' * 40_000}\n" + "and then the tests ran\n" * 3000
    assert in_pieces(endless, 4096).endswith("and then the tests ran\n" * 2000)


@pytest.mark.proves("S-71 shapes")
def test_values_and_shapes_are_taken_out_together() -> None:
    key = KEYS["openai"]
    for size in SIZES:
        assert in_pieces(f"Bearer {key}. {key}", size, key) == "Bearer [redacted]. [redacted]"
        assert in_pieces(f"a {key[:12]}hunter22 b", size, "hunter22").count("hunter22") == 0
    assert redact(f"it said {BEARER}", []) == "it said Authorization: Bearer [redacted]"


@pytest.mark.slow
@pytest.mark.proves("S-71 shapes")
def test_random_pieces_of_random_text_give_the_same() -> None:
    dice = random.Random(11)
    parts = [
        "sk-",
        "s",
        "k",
        "-----",
        "BEGIN ",
        "PRIVATE KEY",
        "END ",
        "aB3",
        "Bearer ",
        "gh",
        "p_",
    ]
    parts += ["\n", " ", "\x1b[1m", "\x1b[", "AKIA", "ABCDEFGH12345678", *KEYS.values(), PEM]
    for _ in range(20):
        text = "".join(dice.choice(parts) for _ in range(60))
        whole = printed(in_pieces(text, len(text)))
        for size in (1, 3, 41):
            assert printed(in_pieces(text, size)) == whole, "but for colours"


@pytest.mark.slow
@pytest.mark.proves("F-39")
@pytest.mark.parametrize("noise", ["sk-", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "Bearer a"])
def test_many_beginnings_cost_what_their_length_says(noise: str) -> None:
    """Processor time; twice the bytes, twice the work."""

    def spent(times: int) -> float:
        raw = noise.encode() * (65536 // len(noise))
        stream = Redactor([]).stream()
        began = time.process_time()
        for _ in range(times):
            stream.feed(raw)
        return time.process_time() - began

    spent(2)
    assert spent(20) < 8 * spent(10)
    whole = time.process_time()
    redact(noise * (2_000_000 // len(noise)), [])
    assert time.process_time() - whole < 10

"""Secrets do not get through, in whatever form and in whatever pieces they come."""

import base64
import json
import random
import time
from urllib.parse import quote, quote_plus

import pytest

from roundtable_desktop.rules.redact import MARK, Redactor, clip, redact

SECRET = 'sk-CANARY/a"b c+d=ü?12345'
RAW = SECRET.encode()
FORMS = {
    "plain": RAW,
    "json": json.dumps(SECRET)[1:-1].encode(),
    "hex": RAW.hex().encode(),
    "HEX": RAW.hex().upper().encode(),
    "url": quote(SECRET, safe="").encode(),
    "url-path": quote(SECRET).encode(),
    "url-form": quote_plus(SECRET).encode(),
    "url-lower": quote(SECRET, safe="").lower().replace("canary", "CANARY").encode(),
    "base64": base64.b64encode(RAW),
    "base64-url": base64.urlsafe_b64encode(RAW).rstrip(b"="),
    "coloured": b"\x1b[1;31m".join(RAW[i : i + 1] for i in range(len(RAW))),
    "grep": RAW[:4] + b"\x1b[m\x1b[K" + RAW[4:],
}


def in_pieces(redactor: Redactor, raw: bytes, size: int) -> bytes:
    stream = redactor.stream()
    pieces = (raw[start : start + size] for start in range(0, len(raw), size))
    return b"".join(stream.feed(piece) for piece in pieces) + stream.flush()


@pytest.mark.proves("S-71")
@pytest.mark.parametrize("size", [1, 2, 7, 10_000])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_in_every_piece_size(form: str, size: int) -> None:
    raw = b"before " + FORMS[form] + b" after " + FORMS[form]
    assert in_pieces(Redactor([SECRET]), raw, size) == b"before [redacted] after [redacted]"


@pytest.mark.proves("S-71")
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("lead", range(6))
def test_a_secret_within_longer_base64(lead: int, encode: object) -> None:
    assert callable(encode)
    raw = encode(b"x" * lead + RAW + b"tail")
    assert in_pieces(Redactor([SECRET]), raw, 5).count(MARK.encode()) == 1


def test_random_text_passes_unchanged_in_random_pieces() -> None:
    dice = random.Random(7)
    redactor = Redactor(["secret-1", "secret-12", "aaaaaa", "s\x1b[0mecret"])
    raw = b"".join(dice.choice([b"secret-", b"a", b"\x1b[", b"0m", b"x\n"]) for _ in range(3000))
    raw = raw.replace(b"aaaaaa", b"b").replace(b"aaaaaa", b"b")
    whole = in_pieces(redactor, raw, len(raw))
    for size in (1, 3, 64):
        assert in_pieces(redactor, raw, size) == whole


def test_a_longer_secret_wins_over_the_one_that_it_begins_with() -> None:
    redactor = Redactor(["hunter22", "hunter22-and-more"])
    assert in_pieces(redactor, b"hunter22-and-more|hunter22-and-|hunter22", 4) == (
        b"[redacted]|[redacted]-and-|[redacted]"
    )


def test_no_more_is_held_back_than_must_be() -> None:
    stream = Redactor(["hunter22"]).stream()
    assert stream.feed(b"see the hunt") == b"see the "
    assert stream.feed(b" begin") == b"hunt begin"


def test_colour_codes_without_end_are_not_held_for_ever() -> None:
    stream = Redactor(["hunter22"]).stream()
    given = sum(len(stream.feed(b"h" + b"\x1b[0m" * 1000)) for _ in range(50))
    given += sum(len(stream.feed(b"\x1b[0m" * 1000)) for _ in range(50))
    assert given > 100 * 4000 - 80_000


def test_short_values_and_no_values_change_nothing() -> None:
    assert redact("a short key", ["short", ""]) == "a short key"
    assert redact("any text", []) == "any text"
    assert redact(f"x{SECRET}y", {SECRET}) == "x[redacted]y"


def test_text_that_is_no_utf_8_survives() -> None:
    assert redact("\ud800 hunter22", ["hunter22"]) == "\ud800 [redacted]"


@pytest.mark.proves("F-39")
def test_a_flood_costs_what_its_length_says() -> None:
    """Processor time, so that a busy machine does not count; twice the bytes, twice the work."""

    def spent(times: int) -> float:
        stream = Redactor([f"{SECRET}{number}" for number in range(5)]).stream()
        began = time.process_time()
        for _ in range(times):
            stream.feed(raw)
        return time.process_time() - began

    raw = b"2026-11-29 12:00:01 INFO roundtable.engine fired routine nightly\n" * 1000
    spent(20)
    assert spent(200) < 8 * spent(100)


def test_clip_cuts_between_characters() -> None:
    assert clip("aäöü", 5) == "öü"
    assert clip("aäöü", 4, keep="start") == "aä"
    assert clip("short", 5) == "short"

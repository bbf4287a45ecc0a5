"""What providers really say, word for word, and what only looks like it."""

import csv
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from roundtable_desktop.rules.limits import Channel, Meaning, Said, Verdict, limit_verdict
from roundtable_desktop.rules.limits.claims import CLAIMS, KEYWORDS, Claim
from roundtable_desktop.rules.limits.hearing import heard
from roundtable_desktop.rules.limits.mentions import LINES, SENTENCES, Shape
from roundtable_desktop.rules.limits.resets import LEADS, Lead

DATA = Path(__file__).parents[1] / "data"
TEXTS = ("limit_texts.csv", "limit_texts_own.csv", "limit_texts_blind.csv")
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def read(text: str, channel: Channel = Channel.ERROR, now: datetime = NOW) -> Verdict:
    return limit_verdict(Said(text, channel), now, ZoneInfo("Europe/Berlin"))


def told(file: str) -> list[Any]:
    """limit_texts.csv: as they were reported. limit_texts_own.csv: made up, untried.

    limit_texts_blind.csv: twenty whose answers were written before a look at the parser.
    """
    with (DATA / file).open(encoding="utf-8", newline="") as lines:
        return [pytest.param(row, id=row["id"]) for row in csv.DictReader(lines)]


@pytest.mark.proves("K-31", "K-32", "C-12")
@pytest.mark.parametrize("row", [row for file in TEXTS for row in told(file)])
def test_a_text_means_what_its_provider_meant(row: dict[str, str]) -> None:
    now = datetime.fromisoformat(row["now"])
    verdict = limit_verdict(Said(row["text"]), now, ZoneInfo(row["zone"]))
    assert verdict.meaning == row["kind"]
    if not row["reset_at"]:
        assert verdict.reset_at is verdict.retry_at is None
        return
    reset = datetime.fromisoformat(row["reset_at"])
    assert verdict.reset_at is not None and abs(verdict.reset_at - reset) < SECOND
    due = verdict.reset_at + timedelta(seconds=30)
    assert verdict.retry_at == (due if due > now else None)


EVENTS = [json.loads(line) for line in (DATA / "limit_events.ndjson").read_text().splitlines()]


@pytest.mark.proves("C-12", "C-36 rule", "C-37 scope")
@pytest.mark.parametrize("event", EVENTS, ids=[f"{one['agent']} {one['case']}" for one in EVENTS])
def test_a_captured_end_of_a_real_agent(event: dict[str, Any]) -> None:
    """The structured reset wins to the second; the prose alone says the same minute."""
    text = event.get("result") or event["lines"][-1]
    fields = event.get("rate_limit_event") or event.get("api_retry")
    case = dict(word.split("=") for word in event["case"].split())
    now = datetime(2026, 11, 29, 11, 53, tzinfo=UTC)
    whole = Said(text, Channel.RESULT, event.get("api_error_status"), fields)
    verdicts = [limit_verdict(said, now, UTC) for said in (whole, Said(text))]
    for verdict in verdicts:
        wanted = {"401": "not_a_limit", "402": "incurable", "429": "limit", "502": "not_a_limit"}
        assert verdict.meaning == wanted[case["status"]]
        family = case.get("claim", "").rpartition("_")[2]
        assert verdict.model == (family if family in ("opus", "sonnet") else None)
    told_at = (fields or {}).get("resetsAt")
    if told_at is not None:
        exact = datetime.fromtimestamp(told_at, UTC)
        assert [one.reset_at for one in verdicts] == [exact, exact.replace(second=0)]


@pytest.mark.proves("K-31", "K-32")
@pytest.mark.parametrize(
    "text",
    ["rate limit", "Rate_Limit", "429", "Too Many Requests", "QUOTA EXCEEDED", "Error: 429"],
)
def test_each_word_of_the_seed_is_a_limit(text: str) -> None:
    verdict = read(text)
    assert (verdict.meaning, verdict.reset_at, verdict.matched) == ("limit", None, text)


@pytest.mark.proves("K-32")
@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("rate_limit_error: resets at 4:00 AM UTC", 15 * 60 + 30),
        ("Retry-After: 3600", 3630),
        ("try again in 5 minutes", 330),
        ("try again in 5 seconds", 35),
        ("rate limit exceeded, reset_time: 1777089600", 15 * 60 + 30),
    ],
)
def test_the_seeds_examples_are_tried_again_half_a_minute_after_the_reset(
    text: str, seconds: int
) -> None:
    """GIVEN a wakeup fails with TEXT, WHEN it is handled at 3:45 AM UTC, THEN it is scheduled for
    the parsed time + 30 s; the backoff table is not consulted."""
    now = datetime(2026, 4, 25, 3, 45, tzinfo=UTC)
    assert read(text, now=now).retry_at == now + timedelta(seconds=seconds)


MENTIONS = [
    "error at line 429 of foo.py",
    "429 files changed, 12 insertions(+)",
    "thread 'main' panicked at src/rate_limit.rs:429:5",
    "Error: listen EADDRINUSE: address already in use :::4290",
    'Traceback (most recent call last):\n  File "x.py", line 429, in rate_limit\nValueError: bad',
    "def test_rate_limit_retry():",
    "    if e.status_code == 429:",
    'raise RateLimitError("429 Too Many Requests")',
    "rate_limit = 5",
    "// 429 Too Many Requests",
    '+    "try again in 5 minutes",',
    "-You've hit your limit · resets 8pm",
    "tests/test_client.py::test_rate_limit PASSED [ 4%]",
    "E   AssertionError: expected 'rate limit exceeded' got ''",
    "assert parse('resets 4am') == 1",
    " ✓ waits after 429 Too Many Requests (12 ms)",
    "PASS [   0.229s] (3552/3639) orch quota exceeded",
    "FAIL src/rate_limit.test.ts > waits after 429 Too Many Requests",
    'level=info msg="rate limit reached, try again in 5 seconds"',
    "handle(429, 'too many requests')",
    '    .mockRejectedValue(new Error("429 Too Many Requests"));',
    "Calls over the rate limit are now retried.",
    "feat(client): wait after HTTP 429",
    "It tells apart HTTP 502 and a retry on HTTP 429.",
    "src/limits.ts:12:  throw new Error('quota exceeded')",
    "I added rate limit handling to the client.",
    "The client now retries on 429 Too Many Requests.",
    "Fix #429: handle rate limits",
    "The test returns 429 when rate limited and passes",
    "* 429: Too Many Requests means the client should back off",
    "try again in 5 minutes if the tests fail with 429",
    "```\nHTTP 429\nRetry-After: 30\n```\nSegmentation fault",
    "Rate limiting enabled (60 requests per minute)",
    "2026-05-01T12:00:00Z INFO rate limit reached for 10.0.0.7",
    "Approaching usage limit · resets at 7pm",
    "You have used 93% of your weekly limit",
    "The button resets at every click",
    "You can use this page after 5 minutes of setup",
    "Model output limit reached: max_tokens",
    "You have reached the context limit of this model",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "Time limit exceeded",
    "maximum recursion limit reached",
    "Disk quota exceeded",
    "exceeded retry limit, last status: 401 Unauthorized",
    "Not logged in · Please run /login",
    "",
]


@pytest.mark.proves("C-12", "C-36 rule")
@pytest.mark.parametrize("text", MENTIONS)
@pytest.mark.parametrize("channel", Channel)
def test_what_only_mentions_limits_is_none(text: str, channel: Channel) -> None:
    assert read(text, channel).meaning is Meaning.NOT_A_LIMIT


SHAPES = [
    pytest.param(shape, id=f"{place} {shape.name}")
    for place, shape in enumerate([*LINES, *SENTENCES])
]


@pytest.mark.proves("C-12")
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_a_mention_is_met(shape: Shape) -> None:
    """A pattern that no text needs is a guess."""
    lines = [line.strip() for text in MENTIONS for line in text.splitlines()]
    assert any(shape.pattern.search(line) for line in lines)


STILL = [
    "Detected rate limit, waiting",
    "Rate limit exceeded. If you need a higher quota, contact sales.",
    "429 Too Many Requests: you can go on when your rate limit resets at 5pm",
    "An error occurred when calling the API: 429 Too Many Requests",
    "ERROR [codex] https://api.example.org/v1/responses: 429 Too Many Requests",
    "FAILED: HTTP 429 from https://api.example.org/v1",
    "You have used 80% of your week. You've hit your session limit, it resets 9pm.",
    "src/client.py:12: in call\nopenai.RateLimitError: Error code: 429",
    "1 passed\nERROR rate limit exceeded",
]


@pytest.mark.proves("C-12")
@pytest.mark.parametrize("text", STILL)
def test_a_limit_among_other_words_is_still_one(text: str) -> None:
    assert read(text).meaning is Meaning.LIMIT


LINE = "You've hit your weekly limit · resets May 9 at 9pm (America/Chicago)"


@pytest.mark.proves("C-36 rule", "B-065 rule", "B-066 rule", "B-067 rule")
@pytest.mark.parametrize(
    ("channel", "text", "meaning"),
    [
        (Channel.ERROR, f"Reading files\n{LINE}", "limit"),
        (Channel.STDERR, f"Reading files\n{LINE}", "limit"),
        (Channel.RESULT, LINE, "limit"),
        (Channel.RESULT, "API Error: Request rejected (429) · slow down", "limit"),
        (Channel.RESULT, f"The parser now knows: {LINE}", "not_a_limit"),
        (Channel.RESULT, f"{LINE}\n" + "and much more of a report. " * 30, "not_a_limit"),
        (Channel.RESULT, "Rate limits are five a minute here.", "not_a_limit"),
        (Channel.TRANSCRIPT, f"Reading files\n{LINE}\n\n", "limit"),
        (Channel.TRANSCRIPT, f"Reading files\n{LINE}\n/login to switch your account", "limit"),
        (Channel.TRANSCRIPT, f"{LINE}\nDone." + "\nReading files" * 4, "not_a_limit"),
        (Channel.TRANSCRIPT, "", "not_a_limit"),
    ],
)
def test_the_channel_decides_what_is_believed(channel: Channel, text: str, meaning: str) -> None:
    assert read(text, channel).meaning == meaning


INCURABLE = [
    ("Credit balance is too low", "billing"),
    ("Quota exceeded. Check your plan and billing details.", "billing"),
    ('402 {"error":{"message":"This request requires more credits"}}', "billing"),
    ("HTTP 413", "context_full"),
    ("API Error: 404 model not found", "model_unavailable"),
    (
        'API Error: 404 {"type":"error","error":{"type":"not_found_error",'
        '"message":"model: claude-opus-9"}}',
        "model_unavailable",
    ),
    (
        "The model `gpt-9` does not exist or you do not have access to it.",
        "model_unavailable",
    ),
    (
        "[404 Not Found] models/gemini-9-pro is not found for API version v1beta, or is not "
        "supported for generateContent.",
        "model_unavailable",
    ),
    ("Your team has used all available credits or reached its monthly limit.", "billing"),
    ("You are out of credits.", "billing"),
    ("billing hard limit has been reached", "billing"),
    ("429 insufficient_quota", "billing"),
    (
        "Request too large for gpt-4 in organization o on tokens per min (TPM): Limit 10000, "
        "Requested 15000. The input or output tokens must be reduced.",
        "context_full",
    ),
    ('413 {"error":{"type":"request_too_large"}}', "context_full"),
    (
        "Quota exceeded for metric: free_tier_requests, limit: 0, model: gemini-2.5-pro\n"
        "Please retry in 34s",
        "model_unavailable",
    ),
]


@pytest.mark.proves("C-38 rule")
@pytest.mark.parametrize(("text", "error"), INCURABLE)
def test_what_waiting_cannot_cure_is_told_apart(text: str, error: str) -> None:
    verdict = read(text)
    assert (verdict.meaning, verdict.error) == ("incurable", error)
    assert verdict.reset_at is verdict.retry_at is None and verdict.source == "backoff"


OVERLOADED = [
    "API Error: 529 Overloaded. This is a server-side issue, usually temporary",
    "We're currently experiencing high demand, which may cause temporary errors.",
    "No capacity available for model gemini-2.5-pro on the server",
]


@pytest.mark.proves("C-12")
@pytest.mark.parametrize("text", OVERLOADED)
def test_an_overloaded_server_is_no_limit_of_the_account(text: str) -> None:
    assert (read(text).meaning, read(text).error) == ("overloaded", "overloaded")


@pytest.mark.proves("C-37 scope")
@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("You've hit your Opus limit · resets 8pm", "opus"),
        ("Rate limit reached for gpt-5.6 in organization o", "gpt-5.6"),
        ("Rate limit reached for model `llama3-70b-8192` in organization o", "llama3-70b-8192"),
        ("Quota exceeded for metric: m, limit: 10, model: gemini-2.5-flash", "gemini-2.5-flash"),
        ("You've hit your daily limit of requests with Gemini 2.5 Pro.", "gemini-2.5-pro"),
        ("You have exhausted your capacity on this model.", "*"),
        ("Rate limit reached for tokens. Limit: 150000 / min.", None),
        ("You've hit your weekly limit · resets 8pm", None),
    ],
)
def test_a_limit_is_the_accounts_unless_the_text_names_a_model(
    text: str, model: str | None
) -> None:
    assert read(text).model == model


FIELD = {
    "B-058": (
        *("2026-04-14T17:49:16Z", "Europe/Warsaw"),
        *("You've hit your limit · resets 10pm (Europe/Warsaw)", "2026-04-14T20:00:30Z"),
    ),
    "B-059": ("2026-07-07T08:03:00Z", "Europe/Zurich", "resets 10am (Europe/Zurich)", None),
    "B-060": (
        *("2026-07-02T03:00:00Z", "America/New_York"),
        *("resets 2:30am (America/New_York)", "2026-07-02T06:30:30Z"),
    ),
    "B-062": (
        *("2026-07-02T03:00:00Z", "UTC"),
        *("Your quota will reset after 25h20m26s", "2026-07-03T04:20:56Z"),
    ),
    "B-067": (
        *("2026-07-06T12:00:00Z", "Europe/London"),
        "You've hit your weekly limit · resets Jul 9 at 9pm (America/Chicago)",
        "2026-07-10T02:00:30Z",
    ),
}


@pytest.mark.proves("B-058 rule", "B-059 rule", "B-060 rule", "B-062 rule", "B-067 rule")
@pytest.mark.parametrize(("now", "zone", "text", "retried"), FIELD.values(), ids=FIELD)
def test_a_case_from_the_field(now: str, zone: str, text: str, retried: str | None) -> None:
    verdict = limit_verdict(Said(text), datetime.fromisoformat(now), ZoneInfo(zone))
    assert verdict.meaning is Meaning.LIMIT
    assert verdict.retry_at == (datetime.fromisoformat(retried) if retried else None)


ENDS = [
    ("Usage limit reached. Available again at 8pm tomorrow (Asia/Tokyo)", "2026-05-02T11:00:00Z"),
    ("You are rate limited until 2026-05-01T13:00:00Z", "2026-05-01T13:00:00Z"),
    ("Rate limit exceeded. Please wait for about 90 seconds.", "2026-05-01T12:01:30Z"),
]


@pytest.mark.proves("K-32")
@pytest.mark.parametrize(("text", "reset"), ENDS)
def test_other_words_for_the_end_of_a_limit(text: str, reset: str) -> None:
    assert read(text).reset_at == datetime.fromisoformat(reset)


SAID = [row.values[0]["text"] for file in TEXTS for row in told(file)]
SAID += [text for text, _ in INCURABLE + ENDS] + OVERLOADED
SAID += [event.get("result", "") for event in EVENTS]
TABLES = [*CLAIMS, *KEYWORDS, *LEADS]


@pytest.mark.proves("C-12")
@pytest.mark.parametrize(
    "one", [pytest.param(one, id=f"{one.name}: {one.source}") for one in TABLES]
)
def test_every_pattern_is_met_by_a_text(one: Claim | Lead) -> None:
    """A pattern that no text needs is a guess."""
    assert any(one.pattern.search(heard(text)) for text in SAID)

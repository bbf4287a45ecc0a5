"""What providers say of limits: one named pattern for each kind of sentence, the hardest first."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from roundtable_desktop.model.states import ErrorKind

_ANY = re.ASCII | re.IGNORECASE

RATE, QUOTA, BUSY = ErrorKind.RATE_LIMITED, ErrorKind.QUOTA_LIMITED, ErrorKind.OVERLOADED
BILLING, LARGE = ErrorKind.BILLING, ErrorKind.CONTEXT_FULL
UNAVAILABLE = ErrorKind.MODEL_UNAVAILABLE


@dataclass(frozen=True, slots=True)
class Claim:
    """source: the agent with its version, or the provider, that says so.

    lifts: only where a time is told at which it goes on (True), or where none is (False).
    """

    name: str
    source: str
    kind: ErrorKind
    pattern: re.Pattern[str]
    lifts: bool | None = None


def _claim(
    name: str, source: str, kind: ErrorKind, pattern: str, *, lifts: bool | None = None
) -> Claim:
    return Claim(name, source, kind, re.compile(pattern, _ANY), lifts)


_OTHER_LIMITS = (
    r"(?:context|output|input|token|file|memory|size|time|turn|step|iteration|recursion|retry"
    r"|storage|disk|depth|length|character|line)"
)
_WINDOW = (
    r"(?:usage|rate|session|weekly|daily|monthly|hourly|\d+[- ]?(?:hour|day|week)|request|requests"
    r"|message|messages|opus|sonnet|haiku|api|free|premium|capacity)"
)
_HTTP = (
    r"(?:\bHTTP(?:/[\d.]{1,3})?|\bstatus(?: ?code)?|\berror(?: code)?|\bcode)[\"']?\s?[:=(]{0,2}\s?"
)

_COUNTED = (
    r"(?:files?|tests?|lines?|passed|failed|items?|packages?|warnings?|commits?|insertions?"
    r"|deletions?|objects?|bytes|[kmg]b|ms|s|seconds|x|px)\b|[%./]|:\d"
)

CLAIMS = (
    # Waiting does not cure these (C-38).
    _claim("limit of zero", "gemini 0.61", UNAVAILABLE, r"\bquota\b[^|]{0,300}\blimit: 0(?![\d.])"),
    _claim(
        "no such model",
        "claude 2.1, anthropic-api",
        UNAVAILABLE,
        r"\b404 model not found\b|\bnot_found_error\b[^|]{0,60}\bmodel: ?[\w.:/@-]+",
    ),
    _claim(
        "no such model",
        "openai, opencode",
        UNAVAILABLE,
        r"\bmodel_not_found\b|\bProviderModelNotFoundError\b"
        r"|^\W*the model [`'\"][\w.:/@-]{1,100}[`'\"] does not exist\b",
    ),
    _claim("no such model", "gemini", UNAVAILABLE, r"\bmodels/[\w.:@-]{1,100} is not found for\b"),
    _claim("too large", "openai, groq", LARGE, r"\brequest too large for\b|\brequest_too_large\b"),
    _claim("too large", "HTTP", LARGE, _HTTP + r"413\b|\b413 (?:Payload|Content|Request)\b"),
    _claim("balance", "claude 2.1", BILLING, r"\bcredit balance is too low\b"),
    _claim("balance", "deepseek, any", BILLING, r"\binsufficient[_ ](?:balance|funds|credits?)\b"),
    _claim(
        "payment",
        "HTTP, openrouter",
        BILLING,
        _HTTP + r"402\b|\b402 payment required\b|^\W*402\b|\brequires more credits\b",
    ),
    _claim("hard limit", "openai", BILLING, r"\bbilling hard limit\b|\bbilling_error\b"),
    _claim("spent", "xai", BILLING, r"\bused all (?:the )?available credits\b"),
    _claim(
        "no quota",
        "openai, codex 0.171",
        BILLING,
        r"\binsufficient_quota\b"
        r"|\bquota(?: exceeded)?[.,] (?:please )?check your plan and billing details"
        r"(?![^|]{0,400}\blimit: [1-9])",
        lifts=False,
    ),
    _claim("out of credits", "any", BILLING, r"\bout of credits\b", lifts=False),
    # The server's trouble, of nobody's account.
    _claim(
        "529, 503",
        "claude 2.1, anthropic-api",
        BUSY,
        _HTTP + r"(?:529|503)\b|\b529 overloaded\b|\b503 service",
    ),
    _claim("overloaded", "anthropic-api", BUSY, r"\boverloaded_error\b|^\W*overloaded\b"),
    _claim(
        "overloaded",
        "gemini, kimi",
        BUSY,
        r"\b(?:model|server|service|engine|api|is|are) (?:is |are )?(?:currently |temporarily )?"
        r"overloaded\b",
    ),
    _claim("high demand", "codex 0.171", BUSY, r"\bexperiencing high demand\b"),
    _claim(
        "capacity",
        "gemini, codex",
        BUSY,
        r"\bmodel_capacity_exhausted\b|\bno capacity available\b|\bis at (?:full )?capacity\b",
    ),
    # The account's share of a window.
    _claim(
        "you've hit your limit",
        "claude 2.1, codex 0.171, copilot, cursor, anthropic-api",
        QUOTA,
        rf"\byou(?:'ve| have) (?:just )?(?:hit|reached|exceeded|used up) (?:your|the|a)\s"
        rf"(?!(?:[\w'-]+ ){{0,3}}{_OTHER_LIMITS} )(?:[\w'-]+ ){{0,5}}(?:limits?|quota|allowance)\b",
    ),
    _claim(
        "limit reached",
        "claude 1.0, z.ai, opencode, codex 0.171",
        QUOTA,
        rf"\b{_WINDOW} limit (?:has been |was |is )?(?:reached|exceeded|hit|exhausted)\b"
        r"|\busage_limit_(?:reached|exceeded)\b|\busageLimitExceeded\b",
    ),
    _claim("out of usage", "claude 2.1, amp", QUOTA, r"\bout of (?:\w+ )?(?:usage|requests)\b"),
    _claim(
        "used up", "freebuff", QUOTA, r"\byou(?:'ve| have) used (?:up )?all\b[^.]{0,60}\busage\b"
    ),
    _claim(
        "will reset",
        "claude, copilot",
        QUOTA,
        r"\b(?:limits?|quota|allowance) (?:will )?(?:resets?|refresh)\b",
    ),
    _claim(
        "quota used up",
        "gemini 0.61, qwen",
        QUOTA,
        r"\bquota (?:has been |was |is )?(?:reached|exhausted)\b|\bquota_exhausted\b"
        r"|\bexhausted your (?:\w+ )?(?:quota|capacity)\b|\bexceeded your (?:\w+ )?quota\b",
    ),
    # So much in so short a time.
    _claim("error type", "anthropic-api, openai", RATE, r"\brate_limit_(?:error|exceeded)\b"),
    _claim("limiting", "claude 2.1", RATE, r"\b(?:server is )?temporarily limiting requests\b"),
    _claim(
        "would exceed",
        "anthropic-api, azure",
        RATE,
        r"\b(?:would exceed|exceeded?|has exceeded)\b(?: \S+){0,5} rate limit\b",
    ),
    _claim("reached for", "openai, groq", RATE, r"\brate limit reached for\b"),
    _claim("RESOURCE_EXHAUSTED", "gemini", RATE, r"\bresource (?:has been )?exhausted\b"),
    _claim(
        "RESOURCE_EXHAUSTED",
        "gemini",
        RATE,
        r"\bresource_exhausted\b(?!.{0,40}larger than max)",
    ),
    _claim("throttled", "bedrock", RATE, r"\bThrottlingException\b|\b(?:been|was|is) throttled\b"),
)

KEYWORDS = (
    # The seed's list (K-31), as words of their own and not of a name, a path or a place (C-12).
    _claim(
        "429",
        "seed 001",
        RATE,
        _HTTP + rf"429\b|^\W*429\b(?!\s*(?:{_COUNTED}))|(?<![\w#])429 too many requests\b|\(429\)",
    ),
    _claim(
        "too many requests", "seed 001", RATE, r"(?<![\w.'`/-])too[ _]many[ _]requests(?![\w(`])"
    ),
    _claim(
        "quota exceeded",
        "seed 001, codex 0.171, gemini",
        QUOTA,
        r"(?<!disk )(?<!storage )(?<![\w.'`/-])quota (?:has been )?exceeded(?![\w(`])",
    ),
    _claim(
        "rate limit",
        "seed 001",
        RATE,
        r"(?<![\w.'`/-])rate[ _-]?limit(?:s|ed|_?error)?(?![\w(`/-])"
        r"(?!\s*(?:enabled|disabled|config\w*|settings?|of \d|is set|set to|=))",
    ),
    _claim("Retry-After", "HTTP, seed 001", RATE, r"(?<![\w.'`-])retry-after[\"']?\s?[:=]"),
    _claim("try again in", "seed 001", RATE, r"\b(?:try again|please retry) in -?\d"),
    _claim("resets", "claude 2.1, z.ai", QUOTA, r"\bresets\b", lifts=True),
)


def claim(text: str, *, lifts: bool) -> tuple[ErrorKind, re.Match[str]] | None:
    """The hardest that the text makes. lifts: a time is told at which it goes on."""
    for one in (*CLAIMS, *KEYWORDS):
        found = one.pattern.search(text)
        if found is not None and one.lifts in (None, lifts):
            return one.kind, found
    return None


_ALONE = (*CLAIMS, *KEYWORDS[:2])
"""The other keywords are too weak to be a whole answer."""

_LONGEST_ALONE = 600
_BEFORE = re.compile(
    r"(?:\W|(?:api|internal|model|provider|request|rejected|error|failed|fatal|warning|sorry|http"
    r"|status|code|\d{3}|\w{1,40}(?:Error|Exception))\b)*",
    _ANY,
)


def alone(text: str) -> bool:
    """Whether the text is a claim from its first word, but for `API Error:` and the like."""
    return len(text) <= _LONGEST_ALONE and any(
        _BEFORE.fullmatch(text, 0, found.start())
        for one in _ALONE
        for found in one.pattern.finditer(text)
    )


# --- the protocol's own words ------------------------------------------------------------------

STATUSES = {402: BILLING, 413: LARGE, 429: RATE, 503: BUSY, 529: BUSY}
SIGNED_OUT = 401
"""Whatever such an answer says, it is of no limit (B-074)."""

_STATUS_KEYS = ("status", "errorstatus", "apierrorstatus", "httpstatus", "httpstatuscode", "code")
_CODES = {
    "rejected": QUOTA,  # claude 2.1 rate_limit_info.status
    "usagelimitexceeded": QUOTA,  # codex-acp 2.6 codexErrorInfo
    "usagelimitreached": QUOTA,  # codex
    "ratelimit": RATE,  # claude 2.1 api_retry, claude-agent-acp errorKind
    "ratelimited": RATE,  # vibe 3.0 category
    "ratelimiterror": RATE,  # anthropic-api
    "ratelimitexceeded": RATE,  # openai
    "resourceexhausted": RATE,  # gemini
    "overloaded": BUSY,  # claude 2.1 api_retry
    "overloadederror": BUSY,  # anthropic-api
    "billingerror": BILLING,  # claude-agent-acp errorKind
    "insufficientquota": BILLING,  # openai
    "requesttoolarge": LARGE,  # anthropic-api
}
_ALLOWED = ("allowed", "allowedwarning")


def allowed(fields: list[tuple[str, object]]) -> bool:
    """A warning on a good answer carries a reset, and is no limit."""
    return any(key == "status" and _code(value) in _ALLOWED for key, value in fields)


def coded(fields: list[tuple[str, object]]) -> ErrorKind | None:
    """What a status or a code among the fields of the protocol stands for; codes say more."""
    codes = (_CODES.get(_code(value)) for _, value in fields)
    return next((one for one in (*codes, *_statuses(fields)) if one is not None), None)


def _statuses(fields: list[tuple[str, object]]) -> Iterator[ErrorKind | None]:
    for key, value in fields:
        if key in _STATUS_KEYS and isinstance(value, int):
            yield STATUSES.get(value)


def _code(value: object) -> str:
    return str(value).replace("_", "").lower()


# --- the scope ---------------------------------------------------------------------------------

RUNNING_MODEL = "*"
"""The text says "this model": the one that the run was using."""

_MODELS = (
    re.compile(r"\bmodel[\"'`:\s]{1,4}(?=[\w.:/-]{0,80}\d)([a-z][\w.:/-]{0,80}\w)", _ANY),
    re.compile(r"\b(?:reached|exceeded|large) for (?:model )?([a-z]\w*-[\w.:-]{0,60}\w)", _ANY),
    re.compile(r"\b(opus|sonnet|haiku)(?: [\d.]+)? limit\b", _ANY),
    re.compile(r"\b(gemini \d(?:\.\d)? (?:pro|flash(?:[- ]lite)?))\b", _ANY),
)
_THIS = re.compile(r"\b(?:on|for) this model\b", _ANY)


def model(text: str, fields: list[tuple[str, object]]) -> str | None:
    """None: the limit is the account's (C-37)."""
    told = dict(fields)
    window = re.fullmatch(r"seven_day_(opus|sonnet|haiku)", str(told.get("ratelimittype", "")))
    named = next((found[1] for one in _MODELS if (found := one.search(text))), None)
    if window or named:
        return (window[1] if window else str(named)).lower().replace(" ", "-")
    return RUNNING_MODEL if _THIS.search(text) else None

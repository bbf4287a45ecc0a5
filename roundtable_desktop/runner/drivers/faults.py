"""Says what kind of failure an agent's error is, where its protocol's fields tell."""

import json
import re
from collections.abc import Mapping

from roundtable_desktop.model.states import ErrorKind
from roundtable_desktop.runner.agent import StartFailed
from roundtable_desktop.runner.wire import Refused, text, words

AUTH_REQUIRED = -32000
_CODES: Mapping[int, ErrorKind] = {
    401: ErrorKind.AUTH_REQUIRED,  # gemini answers with the status of HTTP
    402: ErrorKind.BILLING,
    -31002: ErrorKind.AUTH_REQUIRED,  # vibe
}
_WORDS: Mapping[str, ErrorKind] = {  # claude: data.errorKind
    "authentication_failed": ErrorKind.AUTH_REQUIRED,
    "billing_error": ErrorKind.BILLING,
    "rate_limit": ErrorKind.RATE_LIMITED,
}
_STATUS = re.compile(r"(\d{3})\b")  # qwen: data.details


def kind_of(fault: Refused) -> ErrorKind:
    """What the fields do not tell is told apart by its text, on the reading side."""
    if fault.code == AUTH_REQUIRED and "auth" in fault.text.lower():
        return ErrorKind.AUTH_REQUIRED
    data = words(fault.data)
    status = _STATUS.match(text(data.get("details")))
    named = _WORDS.get(text(data.get("errorKind"))) or _CODES.get(fault.code)
    return named or _CODES.get(int(status[1]) if status else 0, ErrorKind.CRASHED)


def told_of(fault: Refused | StartFailed) -> str:
    """All that was said of it: agents hide the reason in `data`, or in a code as HTTP has it."""
    if isinstance(fault, StartFailed):
        return str(fault)
    code = str(fault.code) if 100 <= fault.code < 600 else ""
    data = fault.data if isinstance(fault.data, str) else json.dumps(fault.data)
    return " ".join(part for part in (code, fault.text, data if fault.data else "") if part)

"""A network that does not work is told apart from work that failed, by the last words only."""

import pytest

from roundtable_desktop.model.messages import End, Fault
from roundtable_desktop.rules.network import SIGNS, Sign, unreachable

API = "https://api.example.org/v1"
SAID = [
    "fatal: unable to access 'https://example.org/r.git/': Could not resolve host: example.org",
    "ssh: connect to host example.org port 22: Network is unreachable",
    "socket.gaierror: [Errno -3] Temporary failure in name resolution",
    "gaierror: [Errno 8] nodename nor servname provided, or not known",
    "TypeError: fetch failed: getaddrinfo ENOTFOUND api.example.org",
    "API Error: Unable to connect to API (EAI_AGAIN)",
    "Error: connect ENETUNREACH 203.0.113.7:443",
    "fetch failed: ECONNREFUSED",
    "Error: connect ETIMEDOUT 203.0.113.7:443",
    f"stream error: error sending request for url ({API}): dns error",
    "API Error: Connection error.",
    "openai.APIConnectionError: Connection error.",
    "net::ERR_INTERNET_DISCONNECTED",
]


def ended(text: str, code: int | None = 1, **more: object) -> End:
    words = {"seq": 1, "at": 0, "kind": "end", "why": "exited", "exit_code": code, "tail": text}
    return End.model_validate({**words, **more})


@pytest.mark.proves("B-026")
@pytest.mark.parametrize("text", SAID)
def test_an_agent_that_reaches_nothing_says_so(text: str) -> None:
    assert unreachable(ended(f"Reading files\n{text}\n"))
    assert unreachable(ended("Reading files", stderr=text))
    assert unreachable(ended("", None, error=Fault(kind="crashed", text=text).model_dump()))


NEARBY = [
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
    "Error: connect ETIMEDOUT 127.0.0.1:443",
    f"{SAID[0]}\n" + "went on without it\n" * 5 + "2 checks are red",
    "FAILED tests/test_dns.py::test_none - gaierror: Name or service not known",
    'raise ConnectionError("could not resolve host")',
    "psycopg.OperationalError: connection error in the test database",
    "",
]


@pytest.mark.proves("B-026")
@pytest.mark.parametrize("text", NEARBY)
def test_what_failed_nearby_or_long_ago_is_no_such_thing(text: str) -> None:
    assert not unreachable(ended(text))


@pytest.mark.proves("B-026")
def test_a_turn_that_ended_well_tells_of_the_network_in_its_programs_own_words_only() -> None:
    assert unreachable(ended("API Error: Connection error.", 0))
    assert not unreachable(ended("The client now retries when it could not resolve host.", 0))


@pytest.mark.proves("B-026")
@pytest.mark.parametrize("sign", [pytest.param(one, id=one.source) for one in SIGNS])
def test_every_sign_is_met_by_a_text(sign: Sign) -> None:
    """A pattern that no text needs is a guess."""
    assert any(sign.pattern.search(text) for text in SAID)

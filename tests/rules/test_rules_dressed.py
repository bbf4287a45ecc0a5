"""Which answers with exit code 0 are none: errors, and requests to be let work."""

import pytest

from roundtable_desktop.rules.dressed import LONGEST, SHORT, asks_leave, is_error

ERRORS = [
    "Error when talking to Gemini API",
    "\nError when talking to Gemini API: fetch failed\n",
    "[API Error: 401 Incorrect API key provided]",
    "API Error: 529 Overloaded. This is a server-side issue, usually temporary",
    "litellm.AuthenticationError: AuthenticationError: OpenAIException - no key",
    "Error: 500 Internal Server Error",
]
ANSWERS = [
    "",
    "I fixed the API error handling.",
    "The log says: API Error: 500. I added a retry for it.",
    "Error handling is now in one place.",
    "Error: the test expects 3 and gets 4; see test_sum.py.",
    "api errors are counted since yesterday",
    "API Error: " + "x" * LONGEST,
]


@pytest.mark.proves("B-081")
@pytest.mark.parametrize("answer", ERRORS)
def test_an_answer_that_is_an_error_is_told_apart(answer: str) -> None:
    assert is_error(answer)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_about_errors_is_one(answer: str) -> None:
    assert not is_error(answer)


ASKING = [
    "I need permission to run these commands.",
    "I\u2019d need your approval for the edit before I can go on.",
    "Claude requested permissions to write to a.py, but you haven't granted it yet.",
    "I don't have permission to use Bash here.",
    "Please approve the command and I will continue.",
    "This command requires approval.",
    "Please give me permission to write to a.py.",
    "Could you grant me write access to the folder?",
    "I am waiting for your approval to run npm install.",
]
DONE = [
    "",
    "Done. 3 files looked at, nothing to change.",
    "The endpoint requires the admin permission, as the tests show.",
    "Permission denied is what the server answers to guests; that is right.",
    "All 14 tests pass.",
    "The approval flow has no fault that I can find.",
    "All checks passed. Please give it a try.",
    "Fixed. Please allow a minute for the cache. The access list is in the docs.",
    "I need permission to do it. " + "x" * SHORT,
]


@pytest.mark.proves("B-081")
@pytest.mark.parametrize("answer", ASKING)
def test_an_agent_that_says_that_it_may_not_is_heard(answer: str) -> None:
    assert asks_leave(answer)


@pytest.mark.proves("B-081")
@pytest.mark.parametrize("answer", DONE)
def test_an_answer_that_is_about_permissions_is_one(answer: str) -> None:
    assert not asks_leave(answer)

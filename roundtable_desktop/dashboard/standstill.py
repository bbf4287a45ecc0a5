"""While the scheduler stands still, the dashboard can only be read (F-09)."""

from flask import request

from roundtable_desktop.dashboard.guard import SAFE_METHODS
from roundtable_desktop.dashboard.problems import Refusal

STILL_DONE = frozenset({"/logout", "/control", "/api/v1/control", "/api/v1/sign-in-links"})
"""Signing in and out, and what pauses or ends agents: none of it needs the scheduler."""


def check(health: str) -> None:
    """Nothing is taken that nobody would carry out."""
    if health != "dead" or request.method in SAFE_METHODS or request.path in STILL_DONE:
        return
    raise Refusal(503, "scheduler_stands_still")

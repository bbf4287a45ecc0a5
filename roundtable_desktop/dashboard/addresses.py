"""Addresses that programs use: on the loopback by number, never by the browsers' name."""

from flask import request

from roundtable_desktop.dashboard.guard import WEBHOOKS


def address(public_id: str) -> str:
    """Of a webhook."""
    port = request.host.rpartition(":")[2]
    return f"http://127.0.0.1:{port}{WEBHOOKS}{public_id}/fire"

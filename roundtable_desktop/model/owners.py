"""Who may be named as the one that a blocked task waits for; the faces load this alone (C-24)."""

BLOCKED_OWNER = r"^(user|coordinator|architect|debugger|agent:.+)$"
"""The person, whoever has that role, or one agent by its id or name."""

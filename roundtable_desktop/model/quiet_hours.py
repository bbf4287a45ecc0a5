"""How quiet hours are written; apart, so that who only says it loads no model."""

_DAYS = r"(?:daily|(?:mon|tue|wed|thu|fri|sat|sun)(?:-(?:mon|tue|wed|thu|fri|sat|sun))?)"
_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d"
_SPAN = rf"{_DAYS} {_CLOCK}-(?:{_CLOCK}|24:00)"
QUIET_HOURS = rf"^(?:{_SPAN}(?:, ?{_SPAN})*)?$"
"""Days with a beginning and an end: `mon-fri 22:00-07:00, sat 23:30-09:00`."""

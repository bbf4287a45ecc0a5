"""That the desktop session ends, so that nothing takes the place of what is broken off (C-101)."""

from datetime import datetime, timedelta

GOES_ON = timedelta(minutes=2)
"""Who is still here after so long is in a session that somebody kept from ending."""


class Parting:
    """In memory alone: a session that has ended took it along, and the intake stays as it is."""

    def __init__(self) -> None:
        self._until: datetime | None = None

    def begin(self, now: datetime) -> None:
        self._until = now + GOES_ON

    def over(self) -> None:
        self._until = None

    @property
    def begun(self) -> bool:
        """Whether what was decided before is not to be started any more."""
        return self._until is not None

    @property
    def stands(self) -> str | None:
        """The same as `View.stands` says it."""
        return "session_ends" if self.begun else None

    def lasts(self, now: datetime) -> bool:
        """Whether nothing may be taken up. Asked within a transaction, as `begin` is called."""
        if self._until is not None and now >= self._until:
            self._until = None
        return self.begun

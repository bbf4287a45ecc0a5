"""Names an object of another program on the desktop's bus."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    name: str
    path: str
    interface: str

"""What the engine refuses, as codes and values; the faces make sentences and numbers of them."""

from collections.abc import Mapping, Sequence


class Refused(Exception):
    """A request that is not done. Nothing was changed.

    code: dotted-free snake_case word, stable, known to `phrases`.
    values: what the sentence needs (names, numbers, paths), JSON values only.
    pointer: JSON pointer to the field of the body that is at fault, or "".
    """

    def __init__(self, code: str, pointer: str = "", /, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.pointer = pointer
        self.values: Mapping[str, object] = values

    def __str__(self) -> str:
        shown = " ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"{self.code} {shown}".strip()


class Absent(Refused):
    """No such thing, or none that the caller may see."""


class Illegal(Refused):
    """The machine's table does not have this move."""


class Conflict(Refused):
    """Somebody was faster, or the thing exists already."""


class Invalid(Refused):
    """A field's value cannot be taken."""


class InvalidFields(Invalid):
    """Several fields at once. fields: (pointer, code, values) of each."""

    def __init__(
        self, code: str, fields: Sequence[tuple[str, str, Mapping[str, object]]], **values: object
    ) -> None:
        super().__init__(code, **values)
        self.fields = tuple(fields)


class Blocked(Refused):
    """Something that must come first has not happened."""


class Busy(Refused):
    """Not now; the same request may go through later."""


class Full(Refused):
    """There is no room on the disk; the same request goes through once there is."""


class Broken(Refused):
    """Our own fault, or the machine's; kept and logged."""


PASSING = (Broken, Busy, Full)
"""Faults of the machine or the database: nobody's, and the same act may go through later."""

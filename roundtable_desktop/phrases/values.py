"""Values as a sentence takes them in: as they are, or as one word of a command."""

import shlex


class Value(str):
    """`{agent:word}` in a command that a person may copy: one word of it, whatever it holds."""

    def __format__(self, how: str) -> str:
        return shlex.quote(self) if how == "word" else super().__format__(how)


class Values(dict[str, str]):
    """What is not there is said by an ellipsis."""

    def __missing__(self, name: str) -> str:
        return Value("…")

"""What a program loads for as long as it lives is not looked through for garbage, again and again
while it works and several times over when it ends: that is a third of an idle owner's life."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def for_good() -> Iterator[None]:
    """What is made in here stays: the collector rests, and passes over it from then on."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()

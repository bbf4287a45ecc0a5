"""What is said of one field that cannot be taken."""

from collections.abc import Mapping

from roundtable_desktop.phrases import SENTENCES, sentence
from roundtable_desktop.phrases.fields import template


def unfit(code: str, values: Mapping[str, object]) -> str:
    """One that has no words says that it cannot be taken, and nothing of a library's."""
    if not code.startswith("field_"):
        return sentence(code if code in SENTENCES else "field_unfit", values)
    return sentence(code, values, {code: template(code, values)})

"""What the tray relies on in Qt's binding, because it lives for weeks."""

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage


@pytest.mark.proves("D-04")
def test_calls_that_answer_nothing_take_nothing_from_none() -> None:
    """6.12.0 did: the process was ended by `none_dealloc` after some thousand calls."""
    image = QImage(4, 4, QImage.Format.Format_ARGB32_Premultiplied)
    before = sys.getrefcount(None)
    for _ in range(1000):
        image.fill(Qt.GlobalColor.transparent)
    assert sys.getrefcount(None) > before - 500

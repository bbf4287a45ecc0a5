"""The painted icon: every state is told from every other without colour, at every size."""

import itertools

import pytest
from PySide6.QtGui import QImage, qAlpha, qBlue, qGray, qGreen, qRed

from roundtable_desktop.tray.icon import SIZES, icon, paint
from roundtable_desktop.tray.shown import Face, Shape

pytestmark = [pytest.mark.proves("D-04"), pytest.mark.usefixtures("application")]

FACES = [Face(shape, badge) for shape in Shape for badge in ("", "1", "!", "9+")]


def outline(image: QImage) -> list[int]:
    """Of each pixel: nothing there, dark, or light."""
    side = range(image.width())
    pixels = [image.pixel(x, y) for y in side for x in side]
    return [0 if qAlpha(one) < 128 else 1 + (qGray(one) > 127) for one in pixels]


@pytest.mark.parametrize("size", SIZES)
def test_no_two_states_have_the_same_shape(size: int) -> None:
    drawn = {face: outline(paint(face, size, on_dark=True)) for face in FACES}
    for one, other in itertools.combinations(FACES, 2):
        differ = sum(a != b for a, b in zip(drawn[one], drawn[other], strict=True))
        assert differ >= 0.01 * size * size, (one, other, differ)


@pytest.mark.parametrize("shape", Shape)
def test_the_shape_is_the_same_on_light_and_dark_in_opposite_ink(shape: Shape) -> None:
    dark, light = (paint(Face(shape), 64, on_dark=on_dark) for on_dark in (True, False))
    seen = zip(outline(dark), outline(light), strict=True)
    opposite = [{a, b} == {1, 2} for a, b in seen if a or b]
    assert sum(opposite) > 0.95 * len(opposite)


@pytest.mark.proves("F-52")
@pytest.mark.parametrize("on_dark", [True, False])
def test_a_dead_scheduler_is_red_as_well(on_dark: bool) -> None:
    image = paint(Face(Shape.DEAD), 64, on_dark=on_dark)
    middle, ring = image.pixel(32, 32), image.pixel(32, 9)
    assert middle == ring and qAlpha(middle) == 255
    assert qRed(middle) > 1.5 * max(qGreen(middle), qBlue(middle))


def test_every_size_of_a_panel_is_there() -> None:
    sizes = icon(Face(Shape.IDLE), True).availableSizes()
    assert [one.width() for one in sizes] == list(SIZES)

"""Paints the icon: one vector drawing for every state, size and background."""

from collections.abc import Callable
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QIcon,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
)

from roundtable_desktop.tray.shown import Face, Shape

SIZES = (16, 22, 24, 32, 48, 64)
_GRID = 64.0
_CENTRE = QPointF(32, 32)
_RADIUS = 23.0
_STROKE = 8.0
_HALO = 5.0  # on each side, so that the shape is seen on any panel
_SMALL = 24  # pixels; below, a badge takes more of the room

_LIGHT, _DARK = QColor("#f4f6f8"), QColor("#1b1f24")
_ASKING, _FAILING = QColor("#c62828"), QColor("#8a5a00")
_DEAD_ON_DARK = QColor("#ff7b72")


@cache
def icon(face: Face, on_dark: bool) -> QIcon:
    """on_dark: the panel is dark, or nobody knows: most are."""
    made = QIcon()
    for size in SIZES:
        made.addPixmap(QPixmap.fromImage(paint(face, size, on_dark)))
    return made


def paint(face: Face, size: int, on_dark: bool) -> QImage:
    """A square of `size` pixels with a transparent ground."""
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / _GRID, size / _GRID)
    ink, halo = (_LIGHT, QColor(_DARK)) if on_dark else (_DARK, QColor(_LIGHT))
    if face.shape is Shape.DEAD:
        ink = _DEAD_ON_DARK if on_dark else _ASKING
    halo.setAlpha(150)
    draw = _SHAPES[face.shape]
    draw(painter, halo, 2 * _HALO)
    draw(painter, ink, 0.0)
    if face.badge:
        _badge(painter, face.badge, large=size < _SMALL)
    painter.end()
    return image


def _pen(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)


def _ring(painter: QPainter, colour: QColor, more: float) -> None:
    painter.setPen(_pen(colour, _STROKE + more))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(_CENTRE, _RADIUS, _RADIUS)


def _dots(painter: QPainter, colour: QColor, more: float) -> None:
    painter.setPen(_pen(colour, _STROKE + more))
    box = QRectF(32 - _RADIUS, 32 - _RADIUS, 2 * _RADIUS, 2 * _RADIUS)
    for part in range(6):  # in sixteenths of a degree
        painter.drawArc(box, part * 960, 160)


def _running(painter: QPainter, colour: QColor, more: float) -> None:
    _ring(painter, colour, more)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(_CENTRE, 11 + more / 4, 11 + more / 4)


def _waiting(painter: QPainter, colour: QColor, more: float) -> None:
    _ring(painter, colour, more)
    painter.drawLine(QPointF(32, 32), QPointF(32, 20))
    painter.drawLine(QPointF(32, 32), QPointF(40, 37))


def _paused(painter: QPainter, colour: QColor, more: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for left in (12.0, 38.0):
        bar = QRectF(left, 10, 14, 44).adjusted(-more / 2, -more / 2, more / 2, more / 2)
        painter.drawRoundedRect(bar, 3, 3)


def _dead(painter: QPainter, colour: QColor, more: float) -> None:
    _ring(painter, colour, more)
    painter.drawLine(QPointF(16, 48), QPointF(48, 16))


_SHAPES: dict[Shape, Callable[[QPainter, QColor, float], None]] = {
    Shape.STARTING: _dots,
    Shape.IDLE: _ring,
    Shape.WAITING: _waiting,
    Shape.RUNNING: _running,
    Shape.PAUSED: _paused,
    Shape.DEAD: _dead,
}


def _badge(painter: QPainter, text: str, *, large: bool) -> None:
    """In the lower right corner, cut out of what is below it, so that it is seen without colour."""
    radius = 21.0 if large else 17.0
    centre = QPointF(_GRID - radius, _GRID - radius)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.drawEllipse(centre, radius + 4, radius + 4)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    painter.setBrush(_FAILING if text == "!" else _ASKING)
    painter.drawEllipse(centre, radius, radius)
    font = QFont("sans-serif")
    font.setBold(True)
    font.setPixelSize(64)
    written = QPainterPath()
    written.addText(0, 0, font, text)
    room, used = 1.45 * radius, written.boundingRect()
    if used.isEmpty():
        return  # a machine without any font
    scale = min(room / used.height(), room / used.width())
    painter.translate(centre)
    painter.scale(scale, scale)
    painter.translate(-used.center())
    painter.setBrush(QColor("white"))
    painter.drawPath(written)

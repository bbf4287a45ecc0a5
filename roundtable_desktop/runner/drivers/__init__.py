"""Chooses the driver that knows how an adapter's agents are spoken to."""

from collections.abc import Callable

from roundtable_desktop.model.states import Adapter
from roundtable_desktop.runner.agent import Plan
from roundtable_desktop.runner.drivers.acp import AcpTalk
from roundtable_desktop.runner.drivers.command import CommandTalk
from roundtable_desktop.runner.order import Order
from roundtable_desktop.runner.record import Record
from roundtable_desktop.runner.talk import Talk

TAIL_BYTES = 8 * 1024


def begin(
    order: Order,
    plan: Plan,
    record: Record,
    over: Callable[[], None],
) -> Talk:
    """over: called when the agent has nothing more to do."""
    out = record.stream("out", tail_bytes=TAIL_BYTES)
    if order.adapter == Adapter.COMMAND:
        return CommandTalk(out, record)
    return AcpTalk(order, plan.environment, record, out, over)

"""Chooses the driver that knows how an adapter's agents are spoken to."""

from collections.abc import Callable, Mapping

from roundtable_desktop.model.states import Adapter, ErrorKind
from roundtable_desktop.runner.agent import Plan, StartFailed
from roundtable_desktop.runner.drivers import command
from roundtable_desktop.runner.order import Order

_PLANS: Mapping[str, Callable[[Order], Plan]] = {Adapter.COMMAND: command.plan}


def plan(order: Order) -> Plan:
    """Raises StartFailed for an adapter that this version does not know."""
    if order.adapter not in _PLANS:
        raise StartFailed(ErrorKind.SPAWN_FAILED, f"no driver for {order.adapter}")
    return _PLANS[order.adapter](order)

"""How many tasks may be at work at once on this machine (A-33).

Less room means that less is begun: what runs is never ended for it.
"""

from roundtable_desktop.model.resources import Gauge, Resources, Room

FEW = 4
"""At least so many on a machine with fewer processors: agents wait for their providers most of
the time."""
BUSY_FEW = 3
"""So many all the same where the processors are merely busy, or the battery is in use."""
MEMORY_FULL, MEMORY_TIGHT = 0.95, 0.85
AGENT_BYTES = 512 << 20
"""What an agent's programs take, as a rule; so much is free before another one is begun."""
CPU_BUSY = 0.95
DISK_FULL, DISK_TIGHT = 512 << 20, 2 << 30
BATTERY_LOW = 0.2


def room(resources: Resources, live: int) -> Room:
    """live: tasks at work, of whatever mission. The tightest limit is the one that is named; the
    first of equals.

    A machine that is merely short of something leaves room for one, so that work goes on when
    somebody else keeps it so for ever; one that is full leaves none beside what is at work.
    """
    return min(_limits(resources, live), key=lambda one: one.most)


def _limits(resources: Resources, live: int) -> list[Room]:
    gauge, most = resources.gauge, resources.most
    at_once = max(FEW, gauge.cores or 0) if most is None else max(0, most)
    limits = [
        Room(most=at_once, code="cores", values={"cores": gauge.cores})
        if most is None
        else Room(most=at_once, code="user")
    ]
    limits += [*_memory(gauge, live), *_disk(gauge, live), *_power(gauge, at_once)]
    if gauge.cpu is not None and gauge.cpu >= CPU_BUSY:
        fewer = max(live, BUSY_FEW, at_once // 2)
        limits.append(Room(most=fewer, code="cpu", values={"used": round(gauge.cpu, 2)}))
    if resources.active_commands:
        left = max(1, at_once - resources.active_commands)
        commands = {"commands": resources.active_commands}
        limits.append(Room(most=left, code="commands", values=commands))
    return limits


def _memory(gauge: Gauge, live: int) -> list[Room]:
    found = []
    if gauge.memory is not None:
        values: dict[str, object] = {"used": round(gauge.memory, 2)}
        if gauge.memory >= MEMORY_FULL:
            found.append(Room(most=live, code="memory", values=values))
        elif gauge.memory >= MEMORY_TIGHT:
            found.append(Room(most=max(1, live), code="memory", values=values))
    if gauge.memory_free is not None:
        fit = max(1, live + gauge.memory_free // AGENT_BYTES)
        found.append(Room(most=fit, code="memory", values={"free": gauge.memory_free}))
    return found


def _disk(gauge: Gauge, live: int) -> list[Room]:
    if gauge.disk_free is None or gauge.disk_free >= DISK_TIGHT:
        return []
    most = live if gauge.disk_free < DISK_FULL else max(1, live)
    return [Room(most=most, code="disk", values={"free": gauge.disk_free})]


def _power(gauge: Gauge, at_once: int) -> list[Room]:
    if not gauge.on_battery:
        return []
    low = gauge.battery is not None and gauge.battery < BATTERY_LOW
    most = 1 if low else max(BUSY_FEW, at_once // 2)
    return [Room(most=most, code="battery", values={"left": gauge.battery})]

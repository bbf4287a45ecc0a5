"""How many tasks may be at work at once on this machine (A-33).

Less room means that less is begun: what runs is never ended for it.
"""

from roundtable_desktop.model.resources import Gauge, Resources, Room

UNKNOWN_CORES = 4
MEMORY_FULL, MEMORY_TIGHT = 0.95, 0.85
AGENT_BYTES = 512 << 20
"""What an agent's programs take, as a rule; so much is free before another one is begun."""
CPU_BUSY = 0.95
DISK_FULL, DISK_TIGHT = 512 << 20, 2 << 30
BATTERY_LOW = 0.2


def room(resources: Resources, live: int) -> Room:
    """live: tasks at work. The tightest limit is the one that is named; the first of equals.

    A machine that is merely busy leaves room for one, so that work goes on when somebody else
    keeps it busy for ever; one that is full leaves none beside what is at work.
    """
    return min(_limits(resources, live), key=lambda one: one.most)


def _limits(resources: Resources, live: int) -> list[Room]:
    gauge = resources.gauge
    cores = gauge.cores or UNKNOWN_CORES
    limits = []
    if resources.most is not None:
        limits.append(Room(most=max(0, resources.most), code="user"))
    else:
        limits.append(Room(most=cores, code="cores", values={"cores": cores}))
    limits += [*_memory(gauge, live), *_disk(gauge, live), *_power(gauge, cores)]
    if gauge.cpu is not None and gauge.cpu >= CPU_BUSY:
        limits.append(Room(most=max(1, live), code="cpu", values={"used": round(gauge.cpu, 2)}))
    if resources.active_commands:
        left = max(1, cores - resources.active_commands)
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
        fit = gauge.memory_free // AGENT_BYTES
        found.append(
            Room(most=max(1, live + fit), code="memory", values={"free": gauge.memory_free})
        )
    return found


def _disk(gauge: Gauge, live: int) -> list[Room]:
    if gauge.disk_free is None or gauge.disk_free >= DISK_TIGHT:
        return []
    most = live if gauge.disk_free < DISK_FULL else max(1, live)
    return [Room(most=most, code="disk", values={"free": gauge.disk_free})]


def _power(gauge: Gauge, cores: int) -> list[Room]:
    if not gauge.on_battery:
        return []
    low = gauge.battery is not None and gauge.battery < BATTERY_LOW
    values: dict[str, object] = {"left": gauge.battery}
    return [Room(most=1 if low else max(1, cores // 2), code="battery", values=values)]

"""The runner program: one run of one agent, from the birth of its spool to the last line."""

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from roundtable_desktop.model.states import ErrorKind
from roundtable_desktop.rules.redact import Redactor, clip
from roundtable_desktop.runner import bounds, identity, tree
from roundtable_desktop.runner.agent import Plan, StartFailed, start
from roundtable_desktop.runner.kernel_group import KernelGroup
from roundtable_desktop.runner.order import (
    MCP_TOKEN,
    PROTOCOL,
    Order,
    agent_environment,
    read_order,
    take_hidden,
    take_secrets,
)
from roundtable_desktop.runner.plans import plan
from roundtable_desktop.runner.spool import Spool

ERROR_BYTES = 1000
NOT_BORN = 75
"""EX_TEMPFAIL: somebody else created the spool; nothing was started."""


def main(arguments: Sequence[str]) -> int:
    """`--part runner RUN_DIR`.

    1. read the order  2. create the spool, or leave  3. take the secrets off the disk
    4. be the one to whom orphans and signals come  5. start the agent  6. live through it

    What we write is private; the agent works with the umask that we were started with.

    The agent starts before asyncio is imported, and nothing is imported after that: the program
    may be replaced by an update while the run goes on.
    """
    users_umask = os.umask(0o077)
    order = read_order(Path(arguments[0]))
    try:
        spool = _born(order)
    except FileExistsError:
        return NOT_BORN
    secrets = take_secrets(order.folder)
    environment = agent_environment(order, secrets)
    own = (order.control_key, order.fence, environment.get(MCP_TOKEN, ""))
    redactor = Redactor([*secrets.values(), *own, *take_hidden(order.folder)])
    tree.become_subreaper()
    interrupted = _answer_signals()
    group = KernelGroup.made(order.folder)
    try:
        planned = plan(order, environment)
        agent = start(planned, order.cwd, users_umask, _first(group))
    except (StartFailed, OSError) as fault:
        group.remove()
        _never_ran(spool, fault, redactor)
        return 0
    everything = tree.Tree(order.run, agent.pid, group)
    try:
        spool.put("agent", pid=agent.pid, ticks=identity.ticks(agent.pid))
        _live(order, spool, agent, everything, planned, redactor, interrupted)
    except BaseException:  # a fault of ours must not leave the agent running without a runner
        everything.strike()
        everything.send(everything.members(), signal.SIGKILL)
        everything.take_leave()
        raise
    return 0


def _first(group: KernelGroup) -> Callable[[], None]:
    """Of the agent: into its group while it is nothing but a copy of us, then behind the walls."""
    walls = bounds.walls()

    def first() -> None:
        group.enter()
        walls()

    return first


def _born(order: Order) -> Spool:
    return Spool.born(
        order.folder,
        protocol=PROTOCOL,
        pid=os.getpid(),
        boot=identity.boot(),
        ticks=identity.ticks(os.getpid()),
        fence=order.fence,
        control=order.control_address,
    )


def _answer_signals() -> Callable[[], bool]:
    """SIGTERM is an interruption, a lost terminal and Ctrl-C are none of ours.

    Handlers, not SIG_IGN: an ignored signal would stay ignored in the agent.
    """
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: asked.append(number))
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, frame: None)
    return lambda: bool(asked)


def _never_ran(spool: Spool, fault: Exception, redactor: Redactor) -> None:
    kind = fault.kind if isinstance(fault, StartFailed) else ErrorKind.SPAWN_FAILED
    error = {"kind": kind, "text": clip(redactor.redact(str(fault)), ERROR_BYTES, keep="start")}
    spool.put("end", why="spawn_failed", exit_code=None, error=error)


def _live(
    order: Order,
    spool: Spool,
    agent: subprocess.Popen[bytes],
    everything: tree.Tree,
    planned: Plan,
    redactor: Redactor,
    interrupted: Callable[[], bool],
) -> None:
    import asyncio

    from roundtable_desktop.runner.session import Session

    async def live() -> None:
        await Session(order, spool, agent, everything, redactor, interrupted).run(planned)

    asyncio.run(live())

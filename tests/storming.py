"""An agent that never stops forking: chains whose links start the next one and go."""

STORM = """
import os, signal, sys, time
seconds, chains, life = float(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + seconds
for number in range(chains):
    if os.fork() == 0:
        while time.monotonic() < end:
            time.sleep(life)
            try:
                if os.fork(): os._exit(0)
            except OSError:
                continue
            if number % 2: os.setsid()
        os._exit(0)
print("up", flush=True)
time.sleep(seconds)
"""
"""Deaf to SIGTERM; every second chain takes a session of its own with each link. Ends by itself:
seconds, chains and the seconds that a link lives are its arguments."""


def storm(seconds: float, chains: int, life: float = 0.02) -> tuple[str, ...]:
    """The words after `python -c`."""
    return (STORM, str(seconds), str(chains), str(life))

"""One example for the help of each command; each is a line that a person could type."""

import click

EXAMPLES = """
demo --headless
start --port 7117
status --json
run --goal "Make the search fast" --headless --max-iterations 20
open --print
explain task T-3
init ~/src/app --name app
backup ~/app-before.db
restore ~/app-before.db
doctor --fix
export ~/roundtable-set-up --redacted
import ~/roundtable-set-up --dry-run
pause --until 2h
resume
stop --wait
leave --wait
force-stop
watch --follow --json
agenda --days 2 --workspace app
simulate --days 3 --workspace app
cron "0 9 * * 1-5" --tz Europe/Berlin --count 3
parse-limit --tz Europe/Berlin < limit.txt
completion bash > ~/.local/share/bash-completion/completions/roundtable
mcp stdio
mcp inspect --json
runs artifacts 3k9x0q --save 1 report.pdf
memory list --workspace app
memory forget 3k9x0q
workspace list
workspace show app
workspace add ~/src/app --timezone Europe/Berlin
workspace edit app --delivery auto
workspace remove app
workspace copies app
workspace config app --keep
agent list --workspace app
agent show worker
agent add --adapter command --name worker -- sh -c "cat > NOTE.md"
agent edit worker --hard-timeout 7200
agent pause worker
agent resume worker
agent stop worker --now
agent wake chair --text "See what failed tonight." --at 8h
agent test worker
agent try-now worker
task list --status in_review --text login
task show T-3
task add "Mend the login" --agent worker --after T-2
task edit T-3 --title "Mend the login page"
task assign T-3 worker
task comment T-3 "The test is in tests/login."
task comments T-3
task depend T-3 --after T-2 --not-after T-1
task move T-3 in_review --note "Please look."
task cancel T-3 --note "Not needed any more."
task restore T-3
task block T-3 --action "Give it a test account."
task run T-3 --text "Try it without the cache."
routine list
routine show Deps
routine add Deps --cron "0 9 * * 1-5" --tz Europe/Berlin --task-title "Update on {{date}}"
routine edit Deps --cron "0 7 * * *" --preview
routine pause Deps
routine resume Deps
routine archive Deps
routine remove Deps
routine fire Deps --var branch=main
routine explain Deps
routine install-heartbeat chair
routine webhook add Deps --mode bearer
routine webhook list Deps
routine webhook call Deps
routine webhook rotate Deps
routine webhook edit Deps --mode hmac_sha256
routine webhook on Deps
routine webhook off Deps
routine webhook remove Deps
routine webhook deliveries Deps
wakeup list --source routine --status queued
wakeup show 3f9k2m7q
wakeup cancel 3f9k2m7q
runs list --agent worker --since 2026-03-08T06:30:00Z
runs show 3f9k2m7q --prompt
runs transcript 3f9k2m7q --find warning
runs diff 3f9k2m7q
runs events 3f9k2m7q
runs message 3f9k2m7q "Leave the tests as they are."
runs cancel 3f9k2m7q
runs recover 3f9k2m7q
proposal list --task T-3
proposal show 3f9k2m7q
proposal deliver 3f9k2m7q
proposal reject 3f9k2m7q --note "The test is missing."
proposal rebase 3f9k2m7q
proposal verdict 3f9k2m7q revise --finding "src/app.py:12(major) off by one"
approval list --all
approval show 3f9k2m7q
approval approve 3f9k2m7q --note "Well done."
approval reject 3f9k2m7q --note "Not before Monday."
budget list --workspace app
budget show 3f9k2m7q
budget add --meter money --period day --limit 5
budget edit 3f9k2m7q --limit 8
budget remove 3f9k2m7q
usage --by day
mission list --state active
mission show make-search-fast --wave 2
mission add "Make the search fast" --coordinator chair
mission pause make-search-fast
mission resume make-search-fast
mission stop make-search-fast
mission force-stop make-search-fast
mission reopen make-search-fast
mission require make-search-fast "It must find misspelt names too." --task T-3
mission assess make-search-fast implementation
inbox list --severity critical
inbox show 3f9k2m7q
inbox act 3f9k2m7q allow_once
inbox ack 3f9k2m7q
inbox snooze 3f9k2m7q --until 2h
inbox resolve 3f9k2m7q
settings list --workspace app
settings show coalescing_window_sec
settings set coalescing_window_sec 30
settings edit --workspace app projects.web.model opus
settings clear coalescing_window_sec
"""


def attach(words: str, command: click.Command) -> None:
    """Gives the command, or each below it, the example that begins with its words."""
    if isinstance(command, click.Group):
        for name, one in command.commands.items():
            attach(f"{words} {name}", one)
    elif example := _of(words):
        command.epilog = f"\b\nExample:\n  roundtable {example}"


def _of(words: str) -> str:
    lines = EXAMPLES.strip().splitlines()
    return next((line for line in lines if f"{line} ".startswith(f"{words} ")), "")

"""Small ACP agents for tests: each test writes what its agent does with a prompt."""

from runner_bench import PYTHON

LOOP = """
import json, os, sys, time
S = 's1'
def send(**message):
    sys.stdout.write(json.dumps({'jsonrpc': '2.0', **message}) + '\\n'); sys.stdout.flush()
def update(kind, **more):
    params = {'sessionId': S, 'update': {'sessionUpdate': kind, **more}}
    send(method='session/update', params=params)
def say(text, **more):
    update('agent_message_chunk', content={'type': 'text', 'text': text}, **more)
def read():
    line = sys.stdin.readline()
    if not line: sys.exit(0)
    return json.loads(line)
def ask(title, *kinds, number=7):
    options = [{'optionId': 'o-' + kind, 'name': kind, 'kind': kind} for kind in kinds]
    params = {'sessionId': S, 'toolCall': {'toolCallId': 'c', 'title': title}, 'options': options}
    send(id=number, method='session/request_permission', params=params)
    while 'result' not in (answer := read()): pass
    return answer['result']['outcome']
def report(status='completed', **more):
    say('\\n```roundtable-result\\n' + json.dumps({'status': status, **more}) + '\\n```\\n')
hello = {'protocolVersion': 1, 'agentCapabilities': {'loadSession': True}}
def load(params): return {}
def new(params): return {'sessionId': S}
"""
SERVE = """
turn = 0
while True:
    message = read()
    method, number, params = message.get('method'), message.get('id'), message.get('params')
    if number is None or method is None: continue
    if method == 'session/prompt': turn += 1
    done = {'initialize': lambda p: hello, 'session/new': new, 'session/load': load,
            'session/prompt': lambda p: prompt(p['prompt'][0]['text'], turn)}[method](params)
    if 'error' in (done or {}): send(id=number, **done)
    else: send(id=number, result=done or {'stopReason': 'end_turn'})
"""


def agent(does: str) -> tuple[str, ...]:
    """does: defines `prompt(text, turn)`, and whatever else is special."""
    return (*PYTHON, LOOP + does + SERVE)


def prompt(*lines: str) -> tuple[str, ...]:
    body = "".join(f"    {line}\n" for line in lines)
    return agent(f"def prompt(text, turn):\n{body}")

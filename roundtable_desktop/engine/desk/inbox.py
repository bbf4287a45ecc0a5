"""Commands about inbox items."""

from roundtable_desktop.engine.desk import Asked, Desk, check_revision, done_before, remember
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.ports import RunnerGone
from roundtable_desktop.model.records import InboxItem, Subject
from roundtable_desktop.model.states import InboxStatus
from roundtable_desktop.store import inbox


def act(desk: Desk, asked: Asked, item_id: str, action: str) -> InboxItem:
    """Answers a permission ask with one of its options, by id or by kind.

    The runner is told first and writes what it did into its spool; the item resolves from there,
    so what the item says is what the agent got. Asking twice does nothing twice: the second
    answer finds the question closed.
    """
    with desk.store.transaction() as tx:
        item = inbox.get(tx, item_id)
        if item is not None and done_before(tx, asked) is not None:
            return item
    if item is None:
        raise Absent("unknown_inbox_item")
    check_revision(asked, item.revision)
    if item.status is InboxStatus.RESOLVED:
        raise Conflict("already_resolved")
    options = item.data.get("options")
    known = options if isinstance(options, list) else []
    if not any(action in (option["id"], option["kind"]) for option in known):
        offered = [option["kind"] for option in known]
        raise Invalid("unknown_action", "/action", action=action, offered=offered)
    request = {"do": "reply", "ask": item.data["ask"], "option": action}
    try:
        answer = desk.launcher.control(str(item.data["run_id"]), request)
    except RunnerGone:
        raise Conflict("run_is_over") from None
    if not answer.get("ok"):
        raise Conflict("already_resolved")
    with desk.store.transaction() as tx:
        remember(tx, asked, Subject("inbox", item.id))
    return item

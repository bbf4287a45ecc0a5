"""Comments: what people and agents say about a task."""

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Actor, Comment, Subject, Task
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.tables import Comments


def add(tx: Tx, task: Task, comment_id: str, actor: Actor, text: str, run_id: str | None) -> None:
    tx.write(
        Comments.insert(
            id=comment_id,
            task_id=task.id,
            author_type=actor.type,
            author_id=actor.id,
            run_id=run_id,
            text=text,
            created_at=tx.now,
        )
    )
    journal.tell(
        tx,
        Kind.TASK_COMMENTED,
        Subject("task", task.id),
        workspace_id=task.workspace_id,
        actor=actor,
        data={"comment_id": comment_id, "number": task.number},
    )


def get(view: View, comment_id: str) -> Comment | None:
    return view.one(Comment, Comments.select().where(Comments.id == comment_id))


def of_task(view: View, task_id: str, after: str = "") -> list[Comment]:
    """Oldest first, those later than the comment `after`."""
    here = (Comments.task_id == task_id) & (Comments.id > after)
    return view.all(Comment, Comments.select().where(here).order_by(Comments.id))

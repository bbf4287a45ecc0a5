"""The only list of settings: key, default, range and a sentence for each, one model per scope."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from roundtable_desktop.model.own_prices import OWN_PRICES
from roundtable_desktop.model.quiet_hours import QUIET_HOURS

Model = Annotated[str, Field(pattern=r"^[^\s\x00-\x20\x7f-][^\s\x00-\x20\x7f]{0,199}$")]
"""A model by its provider's own name. It becomes an argument of a command: never an option."""
Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
"""What tasks of one project have in common (C-67)."""


QuietHours = Annotated[str, Field(pattern=QUIET_HOURS, max_length=400)]
"""`rules.quiet` reads it."""
Prices = Annotated[str, Field(pattern=OWN_PRICES, max_length=4000)]
"""`rules.prices` reads it."""


class Scope(BaseModel):
    """name: as the rows have it. own: keys that the product's own acts write; nobody sets them by
    name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: ClassVar[str]
    own: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def persons_keys(cls) -> list[str]:
        """What a person may set, in the order of the list."""
        return [key for key in cls.model_fields if key not in cls.own]

    @classmethod
    def clamped(cls, values: Mapping[str, object]) -> dict[str, object]:
        """Numbers brought into the range of their key (the house, Settings)."""
        return {key: cls._clamped(key, value) for key, value in values.items()}

    @classmethod
    def _clamped(cls, key: str, value: object) -> object:
        if not isinstance(value, int):
            return value
        for bound in cls.model_fields[key].metadata:
            value = max(value, getattr(bound, "ge", value))
            value = min(value, getattr(bound, "le", value))
        return value


class GlobalSettings(Scope):
    """Scope `global`: one value for the whole home."""

    name = "global"
    own = frozenset(
        {
            *("installation", "intake", "intake_until", "intake_asks_at", "muted_until"),
            *("welcome_skipped", "notification_pressed_at"),
        }
    )

    port: Annotated[int, Field(ge=0, le=65535)] = Field(
        default=7117, description="The port of the dashboard; a restart takes the last one."
    )
    browser_host: Literal["name", "address"] = Field(
        default="name",
        description=(
            "Where browsers go: `name` is rt-….localhost, whose cookie no other port can read; "
            "`address` is 127.0.0.1, for browsers that cannot resolve that name."
        ),
    )
    intake: Literal["open", "paused", "stopped", "leaving"] = Field(
        default="open",
        description=(
            "Whether waiting wakeups are taken up; pause, stop, force-stop and leave close it, "
            "resume opens it."
        ),
    )
    intake_until: int | None = Field(
        default=None,
        description=(
            "When a pause ends by itself, or a leave breaks off what still runs (microseconds)."
        ),
    )
    intake_asks_at: int | None = Field(
        default=None,
        description=(
            "Before a leave breaks off what still runs, from when on agents are asked where they "
            "are (microseconds)."
        ),
    )
    stop_agents_with_app: bool = Field(
        default=False,
        description=(
            "Whether agents are ended when Roundtable ends or dies and does not come back within "
            "seconds. Off: they go on and are found again at the next start."
        ),
    )
    coalescing_window_sec: Annotated[int, Field(ge=0, le=300)] = Field(
        default=5,
        description=(
            "Seconds that a wake which can repeat (a comment, an approval, an error) waits for "
            "others like it, so that they become one run."
        ),
    )
    backup_hours: Annotated[int, Field(ge=1, le=168)] = Field(
        default=24,
        description="Hours between two backups of the database; seven, and 2 GB, are kept.",
    )
    notifications: Literal["all", "needed"] = Field(
        default="all",
        description=(
            "What the tray tells by notifications. all: what needs you, and what happened by "
            "itself: fires missed while the machine slept, a scheduler that began anew. needed: "
            "only what needs you."
        ),
    )
    quiet_hours: QuietHours = Field(
        default="",
        description=(
            "When the tray is silent, in this machine's time: days with a beginning and an end, "
            "such as `mon-fri 22:00-07:00, sat 23:30-09:00` or `daily 22:00-07:00`. What was held "
            "back is told at the end, in one notification; the number at the icon counts on."
        ),
    )
    quiet_critical_passes: bool = Field(
        default=True,
        description="Whether what is critical is told in quiet hours, too.",
    )
    muted_until: int | None = Field(
        default=None,
        description="Until when the tray's menu has muted notifications (microseconds).",
    )
    welcome_skipped: list[str] = Field(
        default=[], description="The steps of the page Set up that were passed over."
    )
    notification_pressed_at: int | None = Field(
        default=None,
        description="When the button of a test notification was pressed first (microseconds).",
    )
    installation: Annotated[str, Field(pattern=r"^([0-9a-z]{12})?$")] = Field(
        default="", description="The random part of this installation's name; made once."
    )


class Project(BaseModel):
    """What holds for the tasks of one label."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: Model | None = None


class WorkspaceSettings(Scope):
    """Scope `workspace`: one value for each registered repository."""

    name = "workspace"

    default_model: Model | None = Field(
        default=None,
        description=(
            "The model that agents of this workspace use where neither the task nor the agent nor "
            "the task's project names one. None: each agent's own default."
        ),
    )
    workspace_strategy: Literal["isolated_copy", "worktree"] = Field(
        default="isolated_copy",
        description=(
            "Where agents work on new tasks. isolated_copy: in a clone of their own, where no "
            "branch, hook or setting of yours can be reached. worktree: in a linked working tree "
            "of your repository; it is made faster and sees your branches, but an agent there can "
            "move your branches, tags and stashes, change your hooks and git's configuration, and "
            "push. That is compared before and after each run and told; nothing is put back."
        ),
    )
    mission_max_parallel: Annotated[int, Field(ge=1, le=32)] = Field(
        default=3,
        description=(
            "How many tasks of missions are at work at once, at most. Less are where the machine, "
            "the agents or a provider's limit have no room for more."
        ),
    )
    keep_copies_days: Annotated[int, Field(ge=0, le=3650)] = Field(
        default=7,
        description=(
            "Days that the working copy of a task stays when the task is done or cancelled. One "
            "that holds work which is nowhere else stays longer."
        ),
    )
    mission_review: Literal["off", "risky", "always"] = Field(
        default="off",
        description=(
            "Whether reviewers look at what was merged into a mission's branch, besides the gates "
            "of its tasks. off: never. risky: when many files were changed, or one that decides "
            "what runs or who may do what, or when nobody said by what a task is judged. always: "
            "after each wave."
        ),
    )
    projects: dict[Label, Project] = Field(
        default={},
        description="For tasks with the label `project`: the model for each such label.",
    )
    prices: Prices = Field(
        default="",
        description=(
            "What a million tokens of a model cost here, in US dollars: model, input, output, and "
            "those from a cache, such as `my-model 1.25 10 0.125, other 3 15`. `within` at the end "
            "says that the cached ones are among the input. They count where an agent does not say "
            "what it cost, before the list of this version."
        ),
    )

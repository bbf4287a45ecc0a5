"""The page of settings: of the whole home and of each workspace, made from the one list of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, cast

from flask import Flask, g, render_template, request
from pydantic import Field as Of
from pydantic import create_model

from roundtable_desktop.dashboard.api.shapes import Line, Ref
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages import fields, filtering
from roundtable_desktop.dashboard.pages.fields import Field, Unfit
from roundtable_desktop.dashboard.pages.filtering import Choice
from roundtable_desktop.dashboard.pages.frame import back_to, from_form, page_query
from roundtable_desktop.dashboard.problems import refusal_of
from roundtable_desktop.dashboard.reading import Asked, Nothing, Words
from roundtable_desktop.engine.desk import Asked as By
from roundtable_desktop.engine.desk import Desk, settings, workspaces
from roundtable_desktop.engine.desk.doctor import Doctor
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.errors import Broken, Refused
from roundtable_desktop.model.records import Workspace
from roundtable_desktop.model.settings import GlobalSettings, Scope, WorkspaceSettings
from roundtable_desktop.model.states import DeliveryMode
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.phrases.on_pages import ON_PAGES
from roundtable_desktop.phrases.settings import CHOICES, PAGE, ROW

ADVANCED = ("recovery_lookback_hours",)
LOOKBACK_DEFAULT = 24
Typed = Annotated[str, Of(max_length=16_384)]


class SettingsShown(Asked):
    workspace: Ref | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form of the page, which is saved as a whole. revision: of what it shows."""

    name: str
    title: str
    action: str
    revision: int
    fields: Sequence[Field]
    refused: str = ""


def pages(desk: Desk, look: Look, doctor: Doctor) -> Callable[[Flask], None]:
    here = _Pages(look, doctor)

    def add(app: Flask) -> None:
        @app.get("/settings")
        def show_settings() -> str:
            wanted = page_query(SettingsShown).workspace
            return here.page(look.workspace(wanted) if wanted else None)

        @app.post("/settings")
        def change_settings() -> Any:
            return here.save(
                here.of_home,
                GlobalSettings,
                lambda by, values: settings.change(desk, by, values),
            )

        @app.post("/settings/workspaces/<ref>")
        def change_workspace_settings(ref: str) -> Any:
            one = look.workspace(ref)
            return here.save(
                lambda: here.of_workspace(one),
                WorkspaceSettings,
                lambda by, values: settings.change_in(desk, by, one.id, values),
                one,
            )

        @app.post("/settings/workspaces/<ref>/row")
        def change_workspace(ref: str) -> Any:
            one = look.workspace(ref)
            return here.save(
                lambda: here.row_of(look.workspace(one.id)),
                None,
                lambda by, values: workspaces.edit(desk, by, one.id, **_row_values(values)),
                one,
            )

        @app.post("/settings/backup")
        def make_backup() -> Any:
            read_form(Nothing)
            from_form()
            try:
                doctor.backups.make()
            except Broken as failed:
                refusal = refusal_of(failed)
                return here.page(None, refused=sentence(refusal.code, refusal.values)), 507
            return back_to("/settings", "backup_made")

    return add


def _row_values(values: Mapping[str, object]) -> dict[str, Any]:
    given: dict[str, Any] = dict(values)
    if "delivery" in given:
        given["delivery"] = DeliveryMode(given["delivery"])
    return given


class _Pages:
    def __init__(self, look: Look, doctor: Doctor) -> None:
        self._look, self._doctor = look, doctor

    # --- its forms -----------------------------------------------------------------------------

    def of_home(self) -> Form:
        now, revision = self._look.settings()
        made = fields.of(now)
        title = _("The whole home")
        return Form(name="home", title=title, action="/settings", revision=revision, fields=made)

    def of_workspace(self, one: Workspace) -> Form:
        now, revision = self._look.workspace_settings(one)
        action = f"/settings/workspaces/{one.id}"
        title = _("Its agents' work")
        return Form(
            name="work", title=title, action=action, revision=revision, fields=fields.of(now)
        )

    def row_of(self, one: Workspace) -> Form:
        """What the workspace's own row has."""
        modes = [Choice(str(mode), _(CHOICES[f"delivery.{mode}"])) for mode in DeliveryMode]
        least, most = workspaces.LOOKBACK_HOURS
        hours = one.recovery_lookback_hours
        made = [
            _row_field("name", one.name),
            _row_field("timezone", one.timezone),
            _row_field("delivery", str(one.delivery), kind="choice", choices=modes),
            _row_field(
                "recovery_lookback_hours",
                str(hours),
                kind="number",
                least=least,
                most=most,
                default=str(LOOKBACK_DEFAULT),
                is_set=hours != LOOKBACK_DEFAULT,
            ),
        ]
        action = f"/settings/workspaces/{one.id}/row"
        return Form(name="row", title=one.name, action=action, revision=one.revision, fields=made)

    # --- saving --------------------------------------------------------------------------------

    def save(
        self,
        make: Callable[[], Form],
        scope: type[Scope] | None,
        change: Callable[[By, Mapping[str, object]], object],
        workspace: Workspace | None = None,
    ) -> Any:
        """What was typed stays where it cannot be saved, and each field says what is wrong."""
        form = make()
        given = cast(Any, read_form(_form_of(form.fields))).model_dump()
        reset = given.pop("reset")
        typed = _typed(form, given, but=reset)
        done = filtering.address("/settings", {"workspace": workspace.id} if workspace else {})
        g.here = done
        values, notes = _reset(form, scope, reset) if reset else _read(form, scope, typed, given)
        if notes:
            other = any(fields.is_stale(one, given) for one in form.fields if one.key in notes)
            code, status = (
                ("settings_changed_meanwhile", 412) if other else ("settings_faulty", 422)
            )
            return self._again(form, typed, notes, sentence(code, {}, PAGE), workspace), status
        before = from_form()
        try:
            # Of this very moment: what a program changes while this is read is not overwritten.
            change(By(before.actor, before.key, before.fingerprint, form.revision), values)
        except Broken:
            raise
        except Refused as refused:
            refusal = refusal_of(refused)
            why = sentence(refusal.code, refusal.values, ON_PAGES)
            at = {fault.pointer.split("/")[1]: fault.message for fault in refusal.faults}
            return self._again(make(), typed, at, why, workspace), refusal.status
        if reset and typed:
            return self._again(make(), typed, {}, sentence("settings_others", {}, PAGE), workspace)
        return back_to(done, "settings_reset" if reset else "settings_saved")

    def _again(
        self,
        form: Form,
        typed: Mapping[str, str],
        notes: Mapping[str, str],
        why: str,
        workspace: Workspace | None,
    ) -> str:
        shown = fields.with_typed(form.fields, typed, notes)
        return self.page(workspace, replace(form, fields=shown, refused=why))

    # --- the page ------------------------------------------------------------------------------

    def page(
        self, workspace: Workspace | None, again: Form | None = None, refused: str = ""
    ) -> str:
        if workspace is None:
            forms = [self.of_home()]
        else:
            forms = [self.row_of(workspace), self.of_workspace(workspace)]
        return render_template(
            "settings.html",
            forms=[again if again and again.name == one.name else one for one in forms],
            workspace=workspace,
            workspaces=self._look.workspaces(None, filtering.MOST),
            advanced=ADVANCED,
            backups=self._doctor.backups.kept() if workspace is None else (),
            browser_host=request.host,
            refused=refused,
        )


def _row_field(key: str, value: str, **more: Any) -> Field:
    words: dict[str, Any] = {"kind": "text", "sentence": _(ROW[key]), **more}
    return Field(key=key, value=value, stored=value, **words)


def _form_of(known: Sequence[Field]) -> type[Words]:
    """Each field as it was typed, and as it was when the page was made. reset: the one setting
    whose default is to hold again."""
    made: dict[str, Any] = {one.key: (Typed, "") for one in known}
    was: dict[str, Any] = {f"was_{one.key}": (Typed, "") for one in known}
    whole: dict[str, Any] = {"reset": (Typed, "")}
    return cast(type[Words], create_model("Settings", __base__=Words, **made, **was, **whole))


def _typed(form: Form, given: Mapping[str, str], but: str) -> dict[str, str]:
    """What the person changed on the page."""
    return {
        one.key: given[one.key]
        for one in form.fields
        if one.key != but and given[one.key].strip() != given[f"was_{one.key}"].strip()
    }


def _reset(
    form: Form, scope: type[Scope] | None, key: str
) -> tuple[dict[str, object], dict[str, str]]:
    found = [one for one in form.fields if one.key == key and one.default is not None]
    return {one.key: int(one.default or 0) if scope is None else None for one in found}, {}


def _read(
    form: Form, scope: type[Scope] | None, typed: Mapping[str, str], given: Mapping[str, str]
) -> tuple[dict[str, object], dict[str, str]]:
    """What is to be changed, and what is wrong at which field."""
    values: dict[str, object] = {}
    notes: dict[str, str] = {}
    for one in form.fields:
        if one.key not in typed:
            continue
        try:
            if fields.is_stale(one, given):
                raise Unfit(fields.say("field_changed", now=fields.word_of(one)))
            values[one.key] = _value(one, scope, typed[one.key])
        except Unfit as unfit:
            notes[one.key] = str(unfit)
    return values, notes


def _value(one: Field, scope: type[Scope] | None, typed: str) -> object:
    if scope is None and not typed.strip():
        raise Unfit(fields.say("field_empty"))
    if scope is None and one.kind == "text":
        fields.fit(Line, typed.strip(), typed)
    return fields.read(scope, one, typed)

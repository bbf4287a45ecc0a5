"""Links that sign a browser in, for programs that hold the token (`roundtable open`)."""

from typing import Annotated

from pydantic import Field

from roundtable_desktop.dashboard.problems import Refusal
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller, SignIn, local_path


class NewLink(Words):
    next: Annotated[str, Field(max_length=2000)] = "/"


class Link(Words):
    url: str


def declare(api: Api, signin: SignIn) -> None:
    @api.route("POST", "/api/v1/sign-in-links", status=201)
    def create_sign_in_link(caller: Caller, body: NewLink) -> Link:
        """A link that works once, within 60 s; each request gets a new one, whatever its key."""
        if caller.way != "bearer":
            raise Refusal(403, "token_only")
        return Link(url=signin.link(local_path(body.next)))

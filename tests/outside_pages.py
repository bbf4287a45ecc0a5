"""Pages as a browser without scripts meets them: their text, their links, and forms to send."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode

from outside_house import Answer, Browser

OWN_TAGS = frozenset(
    [
        "html",
        "head",
        "meta",
        "title",
        "link",
        "script",
        "body",
        "header",
        "nav",
        "main",
        "meter",
        "footer",
        "section",
        "article",
        "aside",
        "h1",
        "h2",
        "h3",
        "p",
        "ul",
        "ol",
        "li",
        "div",
        "span",
        "a",
        "form",
        "input",
        "button",
        "label",
        "fieldset",
        "legend",
        "textarea",
        "select",
        "option",
        "strong",
        "code",
        "pre",
        "small",
        "time",
        "dl",
        "dt",
        "dd",
        "details",
        "summary",
        "table",
        "colgroup",
        "col",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "img",
        "svg",
        "use",
        "path",
        "dialog",
        "fieldset",
        "kbd",
        "legend",
    ]
)
BLOCKS = frozenset(
    ["p", "li", "div", "dt", "dd", "td", "pre", "h1", "h2", "h3", "button", "option", "summary"]
)
FORM = "application/x-www-form-urlencoded"


@dataclass
class Form:
    """fields: what it sends by itself; choices: (name, value) of its buttons, in their order."""

    method: str
    action: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: list[tuple[str, str]] = field(default_factory=list)
    id: str = ""


class Page(HTMLParser):
    """Every tag of a page with its attributes, its text, its forms; printed: all its `pre`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.raw = text
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.forms: list[Form] = []
        self.said = ""
        self.printed = ""
        self._in_pre = False
        self._elsewhere: list[tuple[str, str, str]] = []
        self.feed(text)
        for owner, name, value in self._elsewhere:
            next(one for one in self.forms if one.id == owner).fields[name] = value

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        name, value = found.get("name"), found.get("value") or ""
        if tag in BLOCKS:
            self.said += " "
        self._in_pre = tag == "pre"
        if tag == "form":
            where = found.get("method") or "get", found.get("action") or ""
            self.forms.append(Form(*where, id=found.get("id") or ""))
        elif tag == "input" and name and found.get("type") == "hidden" and found.get("form"):
            self._elsewhere.append((found["form"] or "", name, value))
        elif tag == "input" and name and found.get("type") == "hidden":
            self.forms[-1].fields[name] = value
        elif tag == "button" and self.forms:
            self.forms[-1].choices.append((name or "", value))

    def handle_data(self, data: str) -> None:
        self.said += data
        if self._in_pre:
            self.printed += data

    def handle_endtag(self, tag: str) -> None:
        self._in_pre = self._in_pre and tag != "pre"

    @property
    def text(self) -> str:
        """What is read, with single spaces."""
        return " ".join(self.said.split())

    @property
    def links(self) -> list[str]:
        return [found["href"] or "" for tag, found in self.tags if tag == "a" and "href" in found]

    def form(self, action: str) -> Form:
        """The last one that leads there: before it stands the frame's own."""
        return [form for form in self.forms if form.action == action][-1]

    def has_form(self, action: str) -> bool:
        return any(form.action == action for form in self.forms)


def got(browser: Browser, path: str, status: int = 200) -> Page:
    """The page at `path`, checked: nothing in it can act."""
    answer = browser.ask("GET", path)
    assert answer.status == status, answer.text
    return check_inert(answer.text)


def send(browser: Browser, form: Form, **more: str) -> Answer:
    """As a browser does when a button is pressed; `more` is what the person filled in."""
    assert form.method == "post"
    body = urlencode(form.fields | more)
    return browser.ask("POST", form.action, body, Content_Type=FORM)


def sent(browser: Browser, form: Form, **more: str) -> Page:
    """Sent, and led on to a page that loading again does not send again."""
    answer = send(browser, form, **more)
    assert answer.status == 303, answer.text
    return got(browser, answer["Location"])


def check_inert(text: str) -> Page:
    """S-33, S-34: only tags of ours, no handler, no style, no way out, no script within."""
    page = Page(text)
    for tag, attributes in page.tags:
        assert tag in OWN_TAGS, tag
        assert not any(name.startswith("on") or name == "style" for name in attributes), attributes
        for name in ("href", "src", "action", "xlink:href", "hx-get"):
            value = attributes.get(name)
            assert value is None or (value.startswith(("/", "#")) and value[:2] != "//"), value
        assert tag != "script" or attributes.get("src")
    return page

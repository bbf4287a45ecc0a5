"""What the route decorator lets through, and that it describes just that."""

import json

import pytest

from roundtable_desktop.dashboard.routes import Api

PATH = "/api/v1/notes"


def unreadable(depth=100_000):
    return {
        "depth": "[" * depth + "]" * depth,
        "deep objects": '{"parts":' * depth + "1" + "}" * depth,
        "deep within bounds of the parser": '{"parts":[' * 100 + "]}" * 100,
        "NaN": '{"title": "x", "weight": NaN}',
        "Infinity": '{"title": "x", "weight": -Infinity}',
        "one name twice": '{"title": "x", "title": "y"}',
        "5000 digits": '{"title": "x", "size": ' + "9" * 5000 + "}",
        "no JSON": "title=x",
        "nothing but space": "  ",
        "half": '{"title": "x"',
        "more": '{"title": "x"} {}',
        "no UTF-8": b'{"title": "\xff"}',
        "UTF-16": '{"title": "x"}'.encode("utf-16"),
        "a mark at the start": b'\xef\xbb\xbf{"title": "x"}',
    }


@pytest.mark.proves("S-57", "S-58")
@pytest.mark.parametrize("case", unreadable(1))
def test_what_is_no_json_is_unreadable(house, case):
    answer = house.program("POST", PATH, unreadable()[case])
    assert (answer.status, answer.json["code"]) == (400, "unreadable_json")
    assert house.notes == []


@pytest.mark.proves("S-57")
def test_a_depth_bomb_at_a_webhook_is_unreadable(house):
    typed = {"Content-Type": "application/json"}
    bomb = unreadable()["depth"]
    assert house.ask("POST", "/api/routine-triggers/x/fire", typed, bomb).status == 400


NOT_VALID = {
    "2**70": ('{"title": "x", "size": 1180591620717411303424}', "/size"),
    "2**63": ('{"title": "x", "size": 9223372036854775808}', "/size"),
    "1e999": ('{"title": "x", "weight": 1e999}', "/weight"),
    "lone surrogate": ('{"title": "\\ud800"}', "/title"),
    "lone surrogate as a name": ('{"title": "x", "\\udfff": 1}', ""),
    "NUL": ('{"title": "a\\u0000b"}', "/title"),
    "NUL inside": ('{"title": "x", "parts": [{"title": "\\u0000"}]}', "/parts/0/title"),
    "text for a number": ('{"title": "x", "size": "1"}', "/size"),
    "truth for a number": ('{"title": "x", "size": true}', "/size"),
    "fraction for a number": ('{"title": "x", "size": 1.0}', "/size"),
    "number for a text": ('{"title": 1}', "/title"),
    "null": ('{"title": null}', "/title"),
    "no such kind": ('{"title": "x", "kind": "<b>"}', "/kind"),
    "missing": ("{}", "/title"),
    "unknown": ('{"title": "x", "a/b~c": 1}', "/a~1b~0c"),
    "unknown inside": ('{"title": "x", "parts": [{"title": "y", "z": 1}]}', "/parts/0/z"),
    "a list": ("[]", ""),
    "neither of several": ('{"title": "x", "about": "y"}', "/about"),
    "inside of one of several": ('{"title": "x", "about": [1, "y"]}', "/about/1"),
    "missing in one of several": ('{"title": "x", "about": {}}', "/about/title"),
    "a text": ('"x"', ""),
}


@pytest.mark.proves("S-58")
@pytest.mark.parametrize("case", NOT_VALID)
def test_what_no_field_can_hold_is_pointed_at(house, case):
    body, pointer = NOT_VALID[case]
    answer = house.program("POST", PATH, body)
    assert (answer.status, answer.json["code"]) == (422, "invalid_body")
    pointers = [fault["pointer"] for fault in answer.json["errors"]]
    if case.endswith("several"):
        assert pointer in pointers and set(pointers) <= {pointer, "/about"}
    else:
        assert pointers == [pointer]
    assert answer.json["errors"][0]["message"]
    assert house.notes == []


@pytest.mark.proves("S-58")
def test_what_every_field_can_hold_is_kept(house):
    body = {"title": "Ünïcode 🪑\n", "size": 2**63 - 1, "weight": 1e300}
    body["parts"] = [{"title": "inside"}]
    answer = house.program("POST", PATH, body)
    assert answer.status == 201
    assert answer["Content-Type"] == "application/json"
    assert answer["Cache-Control"] == "no-store"
    assert answer.json["title"] == body["title"] and answer.json["size"] == 2**63 - 1


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_may_say_how_it_is_encoded(house, media_type):
    assert house.program("POST", PATH, {"title": "x"}, Content_Type=media_type).status == 201


def test_a_route_without_a_body_takes_none_or_an_empty_object(house):
    house.program("POST", PATH, {"title": "x"})
    drop = f"{PATH}/n0/drop"
    assert house.program("POST", drop, {"x": 1}).status == 422
    assert house.notes
    for body in (None, {}):
        answer = house.program("POST", drop, body)
        assert (answer.status, answer.body) == (204, b"")
    assert house.notes == []


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/limit"),
        ("limit=201", "/limit"),
        ("limit=x", "/limit"),
        ("limit=" + "9" * 5000, "/limit"),
        ("limit=1&limit=2", "/limit"),
        ("cursor=%00", "/cursor"),
        ("cursor=*", "/cursor"),
        ("cursor=A", "/cursor"),
        ("cursor=", "/cursor"),
        ("nothing=1", "/nothing"),
    ],
)
def test_a_query_is_read_as_strictly(house, query, pointer):
    answer = house.program("GET", f"{PATH}?{query}")
    assert answer.status == 422
    assert [fault["pointer"] for fault in answer.json["errors"]] == [pointer]


def test_a_list_of_values_is_a_name_several_times(house):
    assert house.program("GET", f"{PATH}?kind=a").status == 200
    assert house.program("GET", f"{PATH}?kind=a&kind=b").status == 200


def test_a_list_is_read_page_by_page(house):
    for number in range(5):
        house.program("POST", PATH, {"title": str(number)})
    seen, cursor = [], ""
    while cursor is not None:
        page = house.program("GET", f"{PATH}?limit=2{cursor and '&cursor='}{cursor}").json
        assert set(page) == {"items", "next_cursor"}
        seen += [note["title"] for note in page["items"]]
        cursor = page["next_cursor"]
    assert seen == ["0", "1", "2", "3", "4"]


def test_the_revision_is_the_etag_and_if_match_asks_for_one(house):
    def created(**headers):
        return house.program("POST", PATH, {"title": "x"}, **headers)

    assert created()["ETag"] == '"1"'
    assert created().json["expected"] is None
    assert created(If_Match="*").json["expected"] is None
    assert created(If_Match='"12"').json["expected"] == 12
    for foreign in ("12", 'W/"12"', '"1", "2"', '"x"', "", '"' + "9" * 30 + '"'):
        assert created(If_Match=foreign).json["expected"] == -1


def test_the_same_request_has_the_same_fingerprint(house):
    def print_of(body, key="k"):
        return house.program("POST", PATH, body, Idempotency_Key=key).json["once"]

    first = print_of('{"title": "x", "size": 1}')
    assert print_of('{ "size":1,"title":"\\u0078" }', "another") == first
    assert print_of('{"title": "x", "size": 2}') != first
    assert house.program("POST", PATH, {"title": "x"}).json["once"] is None


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 201])
def test_a_key_is_visible_ascii(house, key):
    answer = house.program("POST", PATH, {"title": "x"}, Idempotency_Key=key)
    assert (answer.status, answer.json["code"]) == (400, "bad_idempotency_key")
    assert house.program("POST", PATH, {"title": "x"}, Idempotency_Key="x" * 200).status == 201


def test_the_description_is_made_of_the_same_declarations(house):
    document = house.program("GET", "/api/v1/openapi.json").json
    assert document["openapi"] == "3.1.0"
    create = document["paths"][PATH]["post"]
    assert create["summary"] == "Keeps a note."
    assert create["security"] == [{"bearer": []}]
    assert {"201", "400", "401", "403", "409", "412", "413", "415", "422"} <= set(
        create["responses"]
    )
    assert {p["name"] for p in create["parameters"]} == {"Idempotency-Key", "If-Match"}
    listed = document["paths"][PATH]["get"]
    assert {p["name"] for p in listed["parameters"]} == {"limit", "cursor", "kind", "after_size"}
    drop = document["paths"][PATH + "/{id}/drop"]["post"]
    assert "204" in drop["responses"] and drop["parameters"][0]["in"] == "path"
    fire = document["paths"]["/api/routine-triggers/{public_id}/fire"]["post"]
    assert fire["security"] == [] and "401" not in fire["responses"]


def test_every_reference_of_the_description_leads_somewhere(house):
    document = house.program("GET", "/api/v1/openapi.json").json
    text = json.dumps(document)
    schemas = document["components"]["schemas"]
    wanted = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert wanted and wanted <= set(schemas)


def test_a_route_that_forgets_a_part_of_its_path_is_refused_at_the_start():
    api = Api("x", "0")
    for path in ("/x", "/x/<id>/<other>"):
        with pytest.raises(TypeError):
            api.route("GET", path)(lambda id: None)
    api.route("GET", "/x/<id>")(lambda id: None)


def test_slashes_are_taken_as_they_are(house):
    for path in ("/api/v1//notes", "/api/v1/notes/"):
        answer = house.program("GET", path)
        assert answer.status == 404 and answer["Location"] == ""

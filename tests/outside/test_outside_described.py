"""The description of the API is valid, whole, and what the routes really do (C-110)."""

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from outside_house import House, Room

from roundtable_desktop.dashboard.guard import SAFE_METHODS


@pytest.mark.slow
@pytest.mark.proves("C-110")
def test_the_description_is_valid_and_names_each_operation_once(shared: House) -> None:
    document = shared.get("/openapi.json")
    OpenAPIV31SpecValidator(document).validate()
    operations = [
        (method, path, told)
        for path, methods in document["paths"].items()
        for method, told in methods.items()
    ]
    names = [told["operationId"] for _, _, told in operations]
    assert len(names) == len(set(names)) > 80
    for method, path, told in operations:
        answers = told["responses"]
        assert {"400", "401", "403", "413", "421", "500", "503"} <= set(answers), path
        if method.upper() not in SAFE_METHODS and method != "delete":
            assert {"415", "422"} <= set(answers) and "requestBody" in told, path
        for status, answer in answers.items():
            if status >= "400":
                schema = answer["content"]["application/problem+json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Problem"}, path
        heads = {one["name"] for one in told["parameters"] if one["in"] == "header"}
        assert ("412" in answers) == ("If-Match" in heads), path
        if "If-Match" in heads and method != "delete":
            done = next(answer for status, answer in answers.items() if status < "300")
            assert "ETag" in done["headers"], path


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.proves("C-110", "W-27")
def test_no_route_answers_what_its_description_does_not_say(running: House) -> None:
    from api_walk import things, walk  # what it loads costs each worker a second, and one needs it

    room: Room = running.room()
    # Of what is not there each route is asked in test_outside_api.py, and here by `dev.py faults`.
    found = walk(running, things(room), examples=2, about_none=False)
    assert not found.wrong, "\n\n".join(f"{kind}: {told}" for kind, told in found.wrong.items())
    assert found.asked > 300 and {200, 404, 422} <= set(found.statuses)
    assert running.ask("GET", "/healthz").json == {"status": "ok"}

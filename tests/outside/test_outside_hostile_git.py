"""Every trick with git that an agent can plant in its copy, and names that git could take wrong."""

import os
from pathlib import Path

import pytest
from outside_house import House, Room

# $P: a file that only code run outside the agent makes. Each is run in the agent's copy.
EVIL = (
    'printf "#!/bin/sh\\ntouch $P\\ncat 2>/dev/null\\nexit 0\\n" > evil.sh; '
    "chmod +x evil.sh; E=$PWD/evil.sh; "
)
TRICKS = {
    "hooks": "for h in post-checkout pre-commit post-commit pre-merge-commit post-merge commit-msg "
    "prepare-commit-msg reference-transaction post-rewrite pre-auto-gc post-index-change; "
    "do mkdir -p .git/hooks; cp evil.sh .git/hooks/$h; done",
    "fsmonitor": "git config core.fsmonitor $E; git config core.fsmonitorHookVersion 2",
    "hooks path": "mkdir h; for h in post-checkout pre-commit reference-transaction post-merge; "
    "do cp evil.sh h/$h; done; git config core.hooksPath $PWD/h",
    "filter": "git config filter.ev.smudge $E; git config filter.ev.clean $E; git config "
    'filter.ev.process $E; git config filter.ev.required true; echo "* filter=ev" > .gitattributes',
    "merge driver": 'git config merge.ev.driver "$E %A %O %B"; echo "* merge=ev" > .gitattributes',
    "textconv": "git config diff.ev.textconv $E; git config diff.ev.command $E; "
    'git config diff.external $E; echo "* diff=ev" > .gitattributes',
    "include": 'printf "[core]\\n\\tfsmonitor = $E\\n[diff]\\n\\texternal = $E\\n" > inc; '
    "git config include.path $PWD/inc",
    "own git folder": "mv .git real; mkdir other; git init -q other; cp evil.sh "
    "other/.git/hooks/post-checkout; git -C other config core.fsmonitor $E; "
    'echo "gitdir: $PWD/other/.git" > .git',
    "git link": "mv .git /tmp/moved-$$; ln -s /tmp/moved-$$ .git; git config core.fsmonitor $E; "
    "rm -rf /tmp/moved-$$",
    "pager and editor": "git config core.pager $E; git config core.editor $E; git config "
    "core.sshCommand $E; git config core.askPass $E; git config gpg.program $E; "
    "git config commit.gpgSign true; git config sequence.editor $E; git config core.gitProxy $E",
    "alternates and upload": "git config uploadpack.packObjectsHook $E; git config "
    "remote.origin.uploadpack $E; git config remote.origin.receivepack $E; "
    "git config credential.helper $E; git config core.alternateRefsCommand $E",
    "submodule": 'printf "[submodule \\"s\\"]\\n\\tpath = s\\n\\turl = ext::$E\\n" > .gitmodules; '
    "git config submodule.s.update !$E; git config submodule.recurse true",
    "no git at all": "rm -rf .git",
    "worktree": "git config core.worktree /; git config core.bare true",
    "lock": "touch .git/index.lock .git/HEAD.lock .git/config.lock",
    "attributes in the copy": "mkdir -p .git/info; echo '* filter=ev diff=ev merge=ev' > "
    ".git/info/attributes; git config filter.ev.clean $E; git config diff.ev.textconv $E",
}


@pytest.fixture(scope="module")
def tricked(shared: House) -> Room:
    return shared.room("tricked")


@pytest.mark.slow
@pytest.mark.proves("S-65", "C-108")
@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_in_an_agents_copy_runs_code_outside_it(
    tricked: Room, trick: str, tmp_path: Path
) -> None:
    room, planted = tricked, tmp_path / "PWNED"
    head = room.git("rev-parse", "HEAD")
    config = (room.path / ".git/config").read_bytes()
    name = trick.replace(" ", "-")
    # The trick itself may run the planted program; what counts is what runs after the agent.
    script = f'{EVIL}{TRICKS[trick]}; echo "{name}" > {name}.txt; rm -f "$P"; echo planted'
    agent = room.shell(script, name, env={"P": str(planted)})
    task = room.task(f"Plant {name}", agent, retry_budget=0)
    run = room.ended(task)
    assert "planted" in room.house.transcript(run["id"])
    offered = room.house.get("/proposals", task_id=task["id"])["items"]
    for one in offered:
        shown = room.house.get(f"/proposals/{one['id']}")
        assert not planted.exists(), "looked at"
        assert f"{name}.txt" in shown["diff"]
        override = {"override": True, "note": "a test"} if shown["held"] else {}
        done = room.delivered(shown, **override)
        assert done["status"] in ("delivered", "approved")
    if not offered:
        assert run["status"] == "failed", run["outcome"]
        assert room.house.get(f"/tasks/{task['id']}/explain")["sentence"]
    assert not planted.exists()
    assert (room.path / ".git/config").read_bytes() == config
    assert room.git("rev-parse", f"{head}^{{commit}}") == head
    room.git("status", "--porcelain")
    assert not planted.exists(), "what was delivered runs nothing in the user's own git"


@pytest.mark.proves("S-65", "B-131")
def test_hooks_of_the_users_own_repository_are_not_run_by_us(room: Room, tmp_path: Path) -> None:
    for hook in ("post-checkout", "post-merge", "reference-transaction", "pre-commit"):
        file = room.path / ".git/hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\ntouch {tmp_path}/PWNED\n")
        file.chmod(0o755)
    room.git("config", "core.fsmonitor", str(room.path / ".git/hooks/pre-commit"))
    task = room.task("Write", room.shell("echo 1 > one.txt"))
    proposal = room.proposal(task)
    override = {"override": True, "note": "a test"} if proposal["held"] else {}
    done = room.delivered(proposal, **override)
    assert done["status"] in ("delivered", "approved"), done["sentence"]
    assert not (tmp_path / "PWNED").exists()


BAD_BRANCHES = (
    "-x", "--output=/tmp/p", "--upload-pack=touch p", "a..b", "HEAD", "refs/heads/-u", "x;id",
    "x" * 300, "a\nb", "", "@{-1}", "a b", "main.lock", "main^", "main:x", "../main", "$(id)", "/",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.proves("S-66")
def test_branch_names_that_git_could_take_for_more_are_422(room: Room) -> None:
    house = room.house
    other = house.repository(room.path.name + "-other")
    for branch in BAD_BRANCHES:
        task = {"workspace_id": room.id, "title": "x", "base_branch": branch}
        answer = house.program("POST", "/tasks", task)
        assert answer.status == 422, (branch, answer.text)
        assert answer.json["errors"][0]["pointer"] == "/base_branch"
        place = {"path": str(other), "base_branch": branch}
        answer = house.program("POST", "/workspaces", place)
        assert answer.status == 422, (branch, answer.text)
    assert not house.get("/tasks", workspace_id=room.id)["items"]
    assert not os.path.exists("/tmp/p")
    known = {one["path"] for one in house.get("/workspaces", limit=200)["items"]}
    assert str(other) not in known


@pytest.mark.proves("S-67", "C-104")
@pytest.mark.parametrize(
    "script",
    [
        "ln -s ../../../outside link",
        "mkdir -p sub/.git/hooks; echo x > sub/.git/hooks/x; echo y > y.txt",
        "mkdir GIT~1; echo x > GIT~1/config",
        'printf x > ".git::\\$INDEX"',
        "mkdir .gIt; echo x > .gIt/config",
    ],
)
def test_what_reaches_outside_or_into_gits_folder_is_held_or_left_out(
    room: Room, script: str
) -> None:
    before = sorted(os.listdir(room.house.root))
    task = room.task("Reach", room.shell(script), retry_budget=0)
    room.ended(task)
    for proposal in room.house.get("/proposals", task_id=task["id"])["items"]:
        names = [one["path"] for one in proposal["files"]]
        odd = [name for name in names if name != "y.txt"]
        assert proposal["held"] or not odd, names
        if proposal["held"]:
            refused = room.house.program("POST", f"/proposals/{proposal['id']}/deliver", {})
            assert refused.status == 409
    assert sorted(os.listdir(room.house.root)) == before
    assert room.git("status", "--porcelain") == ""

"""The story of practice mode: a sample repository and four tasks that a person could have set."""

FILES = {
    "README.md": "# Tea timer\n\nSays when the tea is ready. A sample repository for practice.\n",
    "tea.py": '"""Minutes for each tea."""\n\nMINUTES = {"green": 2, "black": 4}\n',
    ".gitignore": "__pycache__/\n",
}

AGENTS = ("ada", "bob")

TASKS: tuple[dict[str, str], ...] = (
    {
        "title": "Say how to run it",
        "agent": "ada",
        "description": (
            "Add a usage section.\n@demo sleep 1.5\n@demo write docs/usage.md Run: python tea.py"
        ),
    },
    {
        "title": "Choose a licence",
        "agent": "bob",
        "description": "Add a licence file.\n@demo sleep 1.5\n@demo write LICENSE MIT",
    },
    {
        "title": "Add white tea",
        "agent": "ada",
        "description": (
            "White tea takes three minutes.\n"
            '@demo append tea.py MINUTES["white"] = 3\n'
            "@demo once\n"
            "@demo fail task_failed The test of white tea did not pass"
        ),
    },
    {
        "title": "Begin a changelog",
        "agent": "bob",
        "description": "Begin one.\n@demo write CHANGELOG.md First: white tea",
    },
)
"""The third one fails in its first attempt and is tried again."""

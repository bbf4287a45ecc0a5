"""Text that would be a script, a picture or a template if a page took it for more than text."""

PAYLOADS = (
    "<script>window.__x=1</script>",
    '"><img src=x onerror=window.__x=1>',
    "'><svg/onload=window.__x=1>",
    "</title><script>window.__x=1</script>",
    "{{7*7}} {% raw %} ${7*7} #{7*7}",
    "<iframe srcdoc='<script>parent.__x=1</script>'>",
    "javascript:window.__x=1",
    "data:text/html,<script>window.__x=1</script>",
    '<a href="javascript:window.__x=1">a</a>',
    "<img src=//evil.example/beacon.png>",
    "&lt;script&gt;window.__x=1&lt;/script&gt;",
    "<style>*{background:url(//evil.example)}</style>",
    "<math><mi xlink:href='javascript:window.__x=1'>",
    "<base href=//evil.example/><form action=//evil.example>",
)
ALL = " ".join(PAYLOADS)

LINES = tuple(
    " ".join(PAYLOADS[at] for at in chosen)
    for chosen in ((0, 1, 2, 3, 4), (6, 5, 8, 10), (7, 9, 11, 12), (13,))
)
"""All of them as names, which have at most 200 characters; an address would begin with the first
of its line."""

MARKED = (
    (
        "# Big\n[a](javascript:window.__x=1) [b](data:text/html,x) [c](file:///etc/passwd) "
        "[d](java&#115;cript:window.__x=1) <vbscript:window.__x> ![e](//evil.example/e.png)\n"
        "```mermaid\ngraph TD; a-->b; click a javascript:window.__x=1\n```\n"
        "<svg xmlns='http://www.w3.org/2000/svg'><script>window.__x=1</script></svg>\n"
        "<details open ontoggle=window.__x=1><summary>f</summary></details>\n"
    )
    + ">" * 10_000
    + "[" * 10_000
)
"""What a reader of Markdown, of diagrams or of HTML would make more of."""

LONG = "w" * 100
"""One word that no line can hold."""

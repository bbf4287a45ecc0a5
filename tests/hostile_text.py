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

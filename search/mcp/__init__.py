"""The door for language models: tools and resources by the Model Context Protocol.

`server.py` says what is served, `tools/` holds the tools by what they do, `http.py` and `stdio.py` are the
two ways in. Tools are synchronous functions of who asks and what; only the server knows of tasks and threads.
"""

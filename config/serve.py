"""uvicorn, for `manage.py up`: `python -m config.serve …` with uvicorn's own options.

uvicorn ends by the signal that stopped it, past Python's exit handlers; then an embedded server that only
this process still used would be left running.
"""

import signal
import sys

import uvicorn.main

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    uvicorn.main.main()

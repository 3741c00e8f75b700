"""uvicorn, for `manage.py up`: `python -m config.serve …` with uvicorn's own options.

uvicorn ends by the signal that stopped it, past Python's exit handlers; then an embedded server that only
this process still used would be left running. And processes that it has started would outlive it if it were
killed.
"""

import os
import signal
import sys
import threading
import time

import uvicorn.main

LOOK_SECONDS = 1


def end_with(parent: int) -> None:
    """End as if told to, once the process that started us is gone."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ in {"__main__", "__mp_main__"}:  # The second in each process of several.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
if __name__ == "__mp_main__":
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
if __name__ == "__main__":
    uvicorn.main.main()

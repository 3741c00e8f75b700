"""Pictures of pages, drawn once and kept for a while by what they were drawn from."""

from __future__ import annotations

from collections import OrderedDict
from threading import BoundedSemaphore, Lock

from documents.convert.picture import draw_page_in_child
from documents.errors import OverLimit
from documents.models import Source, Version

MOST_KEPT = 48_000_000  # Bytes of pictures in this process.
MOST_DRAWN = 50_000_000  # Bytes of a file that is drawn from; a page of a larger one takes too long.
AT_ONCE = 2
PATIENCE = 15  # Seconds to wait for one's turn.
PDF = b"%PDF-"

Key = tuple[str, int]  # The hash of a file, and a page.


class Pictures:
    """The pictures used last, up to so many bytes."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.most = most
        self.size = 0
        self.kept: OrderedDict[Key, bytes] = OrderedDict()
        self.lock = Lock()

    def get(self, key: Key) -> bytes | None:
        with self.lock:
            if key in self.kept:
                self.kept.move_to_end(key)
            return self.kept.get(key)

    def keep(self, key: Key, picture: bytes) -> None:
        with self.lock:
            self.size += len(picture) - len(self.kept.pop(key, b""))
            self.kept[key] = picture
            while self.size > self.most and len(self.kept) > 1:
                self.size -= len(self.kept.popitem(last=False)[1])


KEPT = Pictures()
turns = BoundedSemaphore(AT_ONCE)


def picture_of(version: Version, page: int) -> bytes | None:
    """Return a page of a version as PNG; nothing if it came as no PDF, or has no such page.

    In the tenant's scope: pictures are kept by the hash of a file, and found by who may read a version of it.
    """
    if not 1 <= page <= len(version.pages):
        return None
    source = Source.objects.defer("content").get(pk=version.source_id)
    key = (source.digest, page)
    if (known := KEPT.get(key)) is not None:
        return known
    if source.size > MOST_DRAWN or not (content := bytes(source.content)).startswith(PDF):
        return None
    if not turns.acquire(timeout=PATIENCE):
        raise OverLimit("Too many pages are drawn at this moment. Try again.")
    try:
        picture = draw_page_in_child(content, page)
    finally:
        turns.release()
    KEPT.keep(key, picture)
    return picture

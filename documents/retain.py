"""Which versions of a document have been kept for long enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is known of a version when it is asked whether it may go.

    `ended_at`: since when nobody reads it by default, because another took its place, it was withdrawn, or it
    was never read to its end; nothing for what is current or being read.
    """

    id: UUID
    number: int
    is_ready: bool
    ended_at: datetime | None
    is_withdrawn: bool = False
    is_in_baseline: bool = False
    begins: date | None = None  # The first and the last day on which it applies, if it is ready.
    ends: date | None = None
    is_dated: bool = False  # Whether somebody has said so; else it applies from when it was recorded.


def expired_versions(versions: Sequence[Kept], *, now: datetime, days: int) -> list[Kept]:
    """Return the versions of one document that ended so many days ago, and that nothing holds.

    The newest stays, and the newest that can be read; so does what a baseline has. Where days in force were
    given, so does what was in force within these days or will be, whatever was recorded since.
    """
    limit = now - timedelta(days=days)
    newest = max((one.number for one in versions), default=0)
    readable = max((one.number for one in versions if one.is_ready), default=0)
    is_dated = any(one.is_dated for one in versions)
    applying = in_force_since(versions, limit.astimezone(UTC).date()) if is_dated else set()
    return [
        one
        for one in versions
        if one.ended_at is not None
        and one.ended_at <= limit
        and one.number not in {newest, readable}
        and not one.is_in_baseline
        and one.id not in applying
    ]


def in_force_since(versions: Sequence[Kept], day: date) -> set[UUID]:
    """Return what applies on a day or on any later one. That changes only where something begins or ends."""
    dated = [one for one in versions if one.is_ready and not one.is_withdrawn and one.begins is not None]
    changes = {one.begins for one in dated} | {one.ends + timedelta(days=1) for one in dated if one.ends}
    days = {day, *(change for change in changes if change is not None and change > day)}
    return {found.id for each in days if (found := _in_force(dated, each)) is not None}


def _in_force(versions: Sequence[Kept], day: date) -> Kept | None:
    applying = [
        (one.begins, one.number, one)
        for one in versions
        if one.begins is not None and one.begins <= day and (one.ends is None or day <= one.ends)
    ]
    return max(applying, key=lambda found: found[:2])[2] if applying else None

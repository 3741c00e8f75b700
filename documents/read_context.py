"""What somebody reads: documents as they are, as they were published, or as they were at some time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated, Any, Required, Self, TypedDict, TypeVar, cast
from uuid import UUID

from documents.errors import ReadContextRefused

EFFECTIVE = "effective:"
BASELINE = "baseline:"
FIELDS = ("selector", "baseline_id", "as_of", "basis", "known_at")
T = TypeVar("T", bound=StrEnum)
DAY = re.compile(r"\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d-?\d", re.ASCII)  # As ISO 8601 spells it.
WEEK = re.compile(r"\d{4}-?W\d\d(?!-?\d)", re.ASCII)  # Python would take it for its Monday.
HOW = "Write a date such as 2016-03-01, or a moment such as 2016-03-01T12:00:00Z."


class Selector(StrEnum):
    """What decides which version of a document is read."""

    HEAD = "head"
    PUBLISHED = "published"
    BASELINE = "baseline_id"
    AS_OF = "as_of"


class Basis(StrEnum):
    """What a date means: when something was recorded here, or when it is in force."""

    RECORDED = "recorded"
    EFFECTIVE = "effective"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContext:
    """Which version of each document is read.

    `as_of` and `known_at` are moments with a time zone. `known_at` belongs to effective dates: what was in
    force on a day, as far as it had been recorded by then; without one, as far as it is recorded now.
    """

    selector: Selector = Selector.HEAD
    baseline_id: UUID | None = None
    as_of: datetime | None = None
    basis: Basis = Basis.RECORDED
    known_at: datetime | None = None

    def __post_init__(self) -> None:
        self._require(self.baseline_id, Selector.BASELINE, "baseline_id")
        self._require(self.as_of, Selector.AS_OF, "as_of")
        is_effective = self.selector == Selector.AS_OF and self.basis == Basis.EFFECTIVE
        if self.basis == Basis.EFFECTIVE and not is_effective:
            raise ReadContextRefused(
                "basis", f"Effective dates are read with the selector “{Selector.AS_OF}”."
            )
        if self.known_at is not None and not is_effective:
            raise ReadContextRefused("known_at", "It is read together with the basis “effective” only.")

    def _require(self, value: object, selector: Selector, name: str) -> None:
        if (value is not None) != (self.selector == selector):
            cure = "is missing" if value is None else f"is read with the selector “{selector}” only"
            raise ReadContextRefused(name, f"“{name}” {cure}.")

    @property
    def moment(self) -> datetime:
        """The time as of which is read."""
        return cast("datetime", self.as_of)  # There is one where it is asked for: see above.

    @property
    def day(self) -> date:
        """The day on which what is read applies."""
        return self.moment.astimezone(UTC).date()

    @property
    def words(self) -> str:
        """Its short form, for addresses and commands; `read_words` reads it."""
        match self.selector, self.basis:
            case Selector.BASELINE, _:
                return f"{BASELINE}{self.baseline_id}"
            case Selector.AS_OF, Basis.EFFECTIVE:
                known = "" if self.known_at is None else f"@{_write(self.known_at)}"
                return f"{EFFECTIVE}{self.day}{known}"
            case Selector.AS_OF, _:
                return _write(self.moment)
        return str(self.selector)

    def describe(self) -> dict[str, Any]:
        """Return what a caller would have to send to read the same, without what is as usual."""
        facts = {
            "selector": str(self.selector),
            "baseline_id": self.baseline_id and str(self.baseline_id),
            "as_of": self.as_of and _write(self.as_of),
            "basis": str(self.basis) if self.selector == Selector.AS_OF else None,
            "known_at": self.known_at and _write(self.known_at),
        }
        return {name: fact for name, fact in facts.items() if fact is not None}

    @classmethod
    def read(cls, given: Mapping[str, Any], *, now: datetime) -> Self:
        """Read what a program has sent. Without a selector, whatever else is given says which is meant."""
        if unknown := sorted(set(given) - set(FIELDS)):
            raise ReadContextRefused(unknown[0], f"There is no such field. Known are {', '.join(FIELDS)}.")
        given = {name: value for name, value in given.items() if value is not None}
        basis = _choose(Basis, given.get("basis", Basis.RECORDED), "basis")
        return cls(
            selector=_choose(Selector, given.get("selector", _implied(given)), "selector"),
            baseline_id=_read_id(given.get("baseline_id")),
            as_of=_read_moment(given.get("as_of"), "as_of", now, is_future_known=basis == Basis.EFFECTIVE),
            basis=basis,
            known_at=_read_moment(given.get("known_at"), "known_at", now),
        )

    @classmethod
    def read_words(cls, words: str, *, now: datetime) -> Self:
        """Read a short form: head, published, baseline:ID, a date, or effective: and a date."""
        words = words.strip()
        if words in {Selector.HEAD, Selector.PUBLISHED}:
            return cls.read({"selector": words}, now=now)
        if words.startswith(BASELINE):
            return cls.read({"baseline_id": words.removeprefix(BASELINE)}, now=now)
        if words.startswith(EFFECTIVE):
            day, _, known = words.removeprefix(EFFECTIVE).partition("@")
            return cls.read({"as_of": day, "basis": Basis.EFFECTIVE, "known_at": known or None}, now=now)
        return cls.read({"as_of": words}, now=now)


HEAD = ReadContext()


class ReadBaseline(TypedDict):
    id: str
    name: str


class ReadContextFacts(TypedDict, total=False):
    """The read context in effect: what to send to read the same again."""

    selector: Required[Selector]
    baseline_id: UUID
    as_of: datetime
    basis: Basis
    known_at: datetime
    baselines: list[ReadBaseline]  # What is read where baselines are; it need not be sent.


DescribedContext = Annotated[Mapping[str, Any], ReadContextFacts]


def _implied(given: Mapping[str, Any]) -> Selector:
    if "baseline_id" in given:
        return Selector.BASELINE
    return Selector.AS_OF if "as_of" in given else Selector.HEAD


def _choose(kind: type[T], value: Any, name: str) -> T:
    try:
        return kind(value)
    except ValueError as error:
        known = ", ".join(kind)
        raise ReadContextRefused(name, f"“{value}” is none of {known}.") from error


def _read_id(value: Any) -> UUID | None:
    if value is None or isinstance(value, UUID):
        return value
    try:
        return UUID(str(value))
    except ValueError as error:
        raise ReadContextRefused("baseline_id", "It is not the id of a baseline.") from error


def _read_moment(value: Any, name: str, now: datetime, *, is_future_known: bool = False) -> datetime | None:
    """Return a moment. A day alone means its end, or now if it has not ended; no zone means UTC."""
    if value is None:
        return None
    moment = _parse(value, name)
    if is_future_known or moment <= now:
        return moment
    if _is_day(value) and moment - now < timedelta(days=1):
        return now
    raise ReadContextRefused(name, "What will be recorded then is not known yet. Name a time in the past.")


def _parse(value: Any, name: str) -> datetime:
    try:
        if isinstance(value, datetime):
            moment = value
        elif _is_day(value):
            day = value if isinstance(value, date) else date.fromisoformat(str(value))
            moment = datetime.combine(day, time.max, UTC)
        elif WEEK.match(str(value)):
            raise ReadContextRefused(name, f"“{str(value)[:40]}” is a week, and no day of it. {HOW}")
        else:
            moment = datetime.fromisoformat(str(value))
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise ReadContextRefused(name, f"“{str(value)[:40]}” is no date. {HOW}") from error


def _is_day(value: Any) -> bool:
    if isinstance(value, date):
        return not isinstance(value, datetime)
    return DAY.fullmatch(str(value)) is not None


def _write(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")

"""What a read context is, in the forms in which people and programs write one."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.errors import ReadContextRefused
from documents.read_context import HEAD, Basis, ReadContext, Selector

NOW = datetime(2026, 11, 17, 9, 30, tzinfo=UTC)
BASELINE = UUID("1" * 32)
moments = st.datetimes(max_value=datetime(2026, 11, 1), timezones=st.just(UTC))  # noqa: DTZ001
ends_of_days = st.dates(max_value=date(2026, 11, 1)).map(
    lambda day: datetime.combine(day, datetime.max.time(), UTC)
)
contexts = st.one_of(
    st.just(HEAD),
    st.just(ReadContext(selector=Selector.PUBLISHED)),
    st.uuids().map(lambda one: ReadContext(selector=Selector.BASELINE, baseline_id=one)),
    moments.map(lambda one: ReadContext(selector=Selector.AS_OF, as_of=one)),
    st.builds(
        lambda day, known: ReadContext(
            selector=Selector.AS_OF, as_of=day, basis=Basis.EFFECTIVE, known_at=known
        ),
        ends_of_days,
        st.none() | moments,
    ),
)


@given(contexts)
def test_what_is_written_is_read_again(context: ReadContext) -> None:
    assert ReadContext.read_words(context.words, now=NOW) == context
    assert ReadContext.read(context.describe(), now=NOW) == context


@pytest.mark.parametrize(
    ("words", "described"),
    [
        ("head", {"selector": "head"}),
        ("published", {"selector": "published"}),
        (f"baseline:{BASELINE}", {"selector": "baseline_id", "baseline_id": str(BASELINE)}),
        (
            "2016-03-01",
            {"selector": "as_of", "as_of": "2016-03-01T23:59:59.999999Z", "basis": "recorded"},
        ),
        ("2016-03-01T12:00:00Z", {"selector": "as_of", "as_of": "2016-03-01T12:00:00Z", "basis": "recorded"}),
        (
            "2016-03-01T12:00:00+02:00",
            {"selector": "as_of", "as_of": "2016-03-01T10:00:00Z", "basis": "recorded"},
        ),
        ("2016-03-01T12:00", {"selector": "as_of", "as_of": "2016-03-01T12:00:00Z", "basis": "recorded"}),
        (
            "effective:2030-01-01@2026-01-01T00:00:00Z",
            {
                "selector": "as_of",
                "as_of": "2030-01-01T23:59:59.999999Z",
                "basis": "effective",
                "known_at": "2026-01-01T00:00:00Z",
            },
        ),
    ],
)
def test_words_are_read(words: str, described: dict[str, str]) -> None:
    assert ReadContext.read_words(words, now=NOW).describe() == described


@pytest.mark.parametrize(
    ("given_", "selector"),
    [
        ({}, "head"),
        ({"baseline_id": BASELINE}, "baseline_id"),
        ({"as_of": date(2016, 3, 1)}, "as_of"),
        ({"selector": "head", "baseline_id": None, "as_of": None}, "head"),
    ],
)
def test_what_is_left_out_is_implied(given_: dict[str, Any], selector: str) -> None:
    assert ReadContext.read(given_, now=NOW).selector == selector


@pytest.mark.parametrize(
    "day", ["2016-03-01", "20160301", "2016-W09-2", "2016W092", 20160301, date(2016, 3, 1)]
)
@pytest.mark.parametrize("basis", ["recorded", "effective"])
def test_a_day_is_its_end_however_it_is_spelled(day: object, basis: str) -> None:
    context = ReadContext.read({"as_of": day, "basis": basis}, now=NOW)
    assert context.as_of == datetime(2016, 3, 1, 23, 59, 59, 999999, tzinfo=UTC)
    assert context.day == date(2016, 3, 1)


@pytest.mark.parametrize(
    "moment", ["2016-03-01T00:00:00Z", "20160301T000000Z", "2016-W09-2T00:00", "2016W092T00Z"]
)
def test_a_moment_is_itself_however_its_day_is_spelled(moment: str) -> None:
    assert ReadContext.read({"as_of": moment}, now=NOW).as_of == datetime(2016, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("week", ["2016-W09", "2016W09", "2016-W09T12:00:00Z"])
def test_a_week_is_no_day(week: str) -> None:
    with pytest.raises(
        ReadContextRefused, match=f"“{week}” is a week, and no day of it. Write a date such as"
    ):
        ReadContext.read({"as_of": week}, now=NOW)


def test_today_is_read_as_of_now_and_tomorrow_not_at_all() -> None:
    for today in ("2026-11-17", "20261117"):
        assert ReadContext.read({"as_of": today}, now=NOW).as_of == NOW
    assert ReadContext.read({"as_of": NOW}, now=NOW).as_of == NOW
    for future in ("2026-11-18", "20261118", NOW + timedelta(microseconds=1)):
        with pytest.raises(ReadContextRefused, match="not known yet"):
            ReadContext.read({"as_of": future}, now=NOW)


def test_what_applies_tomorrow_can_be_known_today() -> None:
    context = ReadContext.read_words("effective:2027-01-01", now=NOW)
    assert context.day == date(2027, 1, 1)


def test_a_day_in_force_is_that_of_utc() -> None:
    east = datetime(2016, 3, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))
    assert ReadContext.read({"as_of": east, "basis": "effective"}, now=NOW).day == date(2016, 2, 29)


@pytest.mark.parametrize(
    ("given_", "field"),
    [
        ({"selector": "tomorrow"}, "selector"),
        ({"selector": 7}, "selector"),
        ({"selector": "as_of"}, "as_of"),
        ({"selector": "baseline_id"}, "baseline_id"),
        ({"selector": "head", "as_of": "2016-03-01"}, "as_of"),
        ({"selector": "published", "baseline_id": BASELINE}, "baseline_id"),
        ({"baseline_id": "harbour"}, "baseline_id"),
        ({"as_of": "last week"}, "as_of"),
        ({"as_of": "2016-02-30"}, "as_of"),
        ({"as_of": "0001-01-01T00:00:00+14:00"}, "as_of"),
        ({"as_of": "2016-03-01", "basis": "believed"}, "basis"),
        ({"basis": "effective"}, "basis"),
        ({"as_of": "2016-03-01", "known_at": "2016-03-01"}, "known_at"),
        ({"as_of": "2016-03-01", "basis": "effective", "known_at": "2027-01-01"}, "known_at"),
        ({"as-of": "2016-03-01"}, "as-of"),
    ],
)
def test_what_names_nothing_is_refused_with_its_field(given_: dict[str, Any], field: str) -> None:
    with pytest.raises(ReadContextRefused) as refused:
        ReadContext.read(given_, now=NOW)
    assert refused.value.field == field
    assert str(refused.value).endswith((".", "Z."))


@given(st.text(max_size=60))
def test_any_words_are_read_or_refused(words: str) -> None:
    try:
        context = ReadContext.read_words(words, now=NOW)
    except ReadContextRefused:
        return
    assert ReadContext.read_words(context.words, now=NOW) == context

"""A file of configuration is read, or every mistake in it is named with its place; nothing is raised."""

from __future__ import annotations

import json
import time
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.validators import MaxValueValidator, MinValueValidator
from hypothesis import example, given, settings
from hypothesis import strategies as st

from documents.configuration import (
    KEYS,
    STORED,
    Configuration,
    Kind,
    Place,
    compare,
    describe_schema,
    explain,
    read_configuration,
    write_configuration,
)
from documents.models import Collection
from documents.services.collection import CHANGEABLE
from tests.processes import ROOT

HEAD = "name: acts\ndescription: Acts of the port.\n"
SCHEMA = ROOT / "docs" / "collection.schema.json"


def problems(text: str) -> list[str]:
    found = read_configuration(text)
    assert (found.configurations == ()) == bool(found.problems)
    return [str(problem) for problem in found.problems]


def read(text: str) -> Configuration:
    found = read_configuration(text)
    assert found.problems == ()
    return found.configurations[0]


class TestTable:
    """The table of keys is what the columns of a collection are."""

    def field(self, name: str) -> Any:
        return Collection._meta.get_field(name)

    def test_every_setting_is_a_key(self) -> None:
        assert set(STORED) == CHANGEABLE

    @pytest.mark.parametrize("key", [key for key in KEYS if key.place == Place.COLLECTION])
    def test_defaults_and_limits_are_those_of_the_column(self, key: Any) -> None:
        field = self.field(key.name)
        assert field.get_default() == ("" if key.is_required else key.default)
        assert tuple(value for value, _ in field.choices or ()) == key.choices
        if key.kind == Kind.TEXT and key.name != "description":
            assert field.max_length == key.longest
        if key.kind in {Kind.WHOLE, Kind.NUMBER}:
            limits = [validator for validator in field.validators if not isinstance(validator, type)]
            least = max(one.limit_value for one in limits if type(one) is MinValueValidator)
            most = min(one.limit_value for one in limits if type(one) is MaxValueValidator)
            assert (least, most) == (key.least, key.most)

    def test_defaults_are_those_of_the_contract(self) -> None:
        assert dict(read(HEAD).values) == {
            "name": "acts",
            "description": "Acts of the port.",
            "source": None,
            "chunking_strategy": "structure",
            "max_chunk_tokens": 800,
            "chunk_overlap": 50,
            "search_mode": "hybrid",
            "top_k": 10,
            "min_score": None,
            "semantic_weight": 0.5,
            "keyword_weight": 0.3,
            "exact_weight": 0.2,
            "fusion": "scores",
            "rrf_k": 60,
            "embedding_model": None,
            "embedding_dimensions": None,
            "contextual_embeddings": True,
            "context_model": None,
            "context_max_tokens": 100,
            "context_concurrency": 10,
            "extract_definitions": True,
            "extract_cross_references": True,
            "enable_reranking": False,
            "reranker_model": "",
            "keyword_index": None,
            "language": "english",
        }


class TestValues:
    @pytest.mark.parametrize(
        ("name", "least", "most"),
        [
            ("max_chunk_tokens", 100, 2000),
            ("chunk_overlap", 0, 200),
            ("top_k", 1, 100),
            ("rrf_k", 1, 1000),
            ("context_max_tokens", 50, 200),
            ("context_concurrency", 1, 50),
        ],
    )
    def test_whole_numbers_have_limits(self, name: str, least: int, most: int) -> None:
        for value in (least, most):
            assert read(f"{HEAD}{name}: {value}").values[name] == value
        for value in (least - 1, most + 1, 10**11):
            place = f"line 3, column {len(name) + 3}: `{name}`: {value} is out of bounds."
            expected = f"{place} It is a whole number from {least} to {most}."
            assert problems(f"{HEAD}{name}: {value}") == [expected]

    @pytest.mark.parametrize("name", ["min_score", "semantic_weight", "keyword_weight", "exact_weight"])
    def test_shares_have_limits(self, name: str) -> None:
        for value in ("0", "1", "0.25", ".5", "2.5e-1"):
            assert read(f"{HEAD}{name}: {value}").values[name] == float(value)
        for value in ("-0.1", "1.01", "1e9"):
            assert "is out of bounds. It is a number from 0 to 1." in problems(f"{HEAD}{name}: {value}")[0]

    @pytest.mark.parametrize(
        "value", ["1_0", "010", "0x1F", "1:30", "ten", "1.5", "1e2", ".inf", "[1]", "9" * 5000]
    )
    def test_whole_numbers_are_plain(self, value: str) -> None:
        (said,) = problems(f"{HEAD}top_k: {value}")
        assert said.startswith("line 3, column 8: ")
        assert said.endswith("a whole number from 1 to 100.")

    def test_a_number_in_quotes_is_a_text(self) -> None:
        assert problems(f"{HEAD}top_k: '5'") == [
            (
                "line 3, column 8: `top_k`: “5” is in quotes, so it is a text and no whole number. "
                "It is a whole number from 1 to 100."
            )
        ]

    @pytest.mark.parametrize(
        ("word", "kind"),
        [
            ("no", "true or false"),
            ("on", "true or false"),
            ("Yes", "true or false"),
            ("2016", "a number"),
            ("1e3", None),
            ("2016-03-01", "a date"),
            ("0.5", "a number"),
        ],
    )
    def test_what_yaml_takes_for_something_else_is_put_in_quotes(self, word: str, kind: str | None) -> None:
        if kind is None:
            assert read(f"name: {word}\ndescription: x").name == word
        else:
            assert problems(f"name: {word}\ndescription: x") == [
                f"line 1, column 7: `name`: YAML reads {word} as {kind}. Put it in quotes: '{word}'."
            ]
        assert read(f"name: acts\ndescription: '{word}'").values["description"] == word

    @pytest.mark.parametrize(
        ("word", "value"), [("true", True), ("no", False), ("On", True), ("OFF", False), ("yes", True)]
    )
    def test_flags_are_any_words_that_yaml_knows(self, word: str, value: bool) -> None:
        assert read(f"{HEAD}extract_definitions: {word}").values["extract_definitions"] is value

    @pytest.mark.parametrize("word", ["1", "'true'", "maybe", ""])
    def test_other_words_are_no_flags(self, word: str) -> None:
        assert "is neither true nor false." in problems(f"{HEAD}extract_definitions: {word}")[0]

    def test_a_choice_is_one_of_them(self) -> None:
        assert problems(f"{HEAD}search_mode: Hybrids") == [
            (
                "line 3, column 14: `search_mode`: “Hybrids” is none of hybrid, semantic, keyword, exact. "
                "Did you mean “hybrid”?"
            )
        ]

    @pytest.mark.parametrize("name", ["a b", "ä", "a/b", "", "' '", "x" * 101, '"a\\n"'])
    def test_a_name_is_plain(self, name: str) -> None:
        found = read_configuration(f"name: {name}\ndescription: x")
        assert [problem.spot.line for problem in found.problems] == ([1] if name != '"a\\n"' else [])

    def test_nothing_is_none_where_there_may_be_none(self) -> None:
        found = read(f"{HEAD}min_score: ~\nreranker_model:\nsource: null")
        assert [found.values[name] for name in ("min_score", "reranker_model", "source")] == [None, "", None]
        assert problems(f"{HEAD}top_k:") == [
            "line 3, column 7: `top_k`: Nothing is no whole number. It is a whole number from 1 to 100."
        ]

    def test_a_reranker_needs_its_model(self) -> None:
        assert problems(f"{HEAD}enable_reranking: true") == [
            (
                "line 3, column 19: Reranking is enabled without a model. Name it as `reranker_model`, or do "
                "not enable it."
            )
        ]
        assert read(f"{HEAD}enable_reranking: true\nreranker_model: overlap").values["enable_reranking"]

    def test_keys_below_keys_are_read_too(self) -> None:
        found = read(f"{HEAD}context_model:\n  provider: anthropic\n  name: claude\nkeyword_index: postgres")
        assert found.values["context_model"] == {
            "provider": "anthropic",
            "name": "claude",
            "temperature": None,
        }
        assert isinstance(found.values["keyword_index"], dict)
        assert found.values["keyword_index"]["provider"] == "postgres"
        assert problems(f"{HEAD}keyword_index:\n  provider: opensearch\n  timeout_seconds: 121") == [
            (
                "line 5, column 20: `keyword_index.timeout_seconds`: 121 is out of bounds. It is a whole "
                "number from 1 to 120."
            )
        ]
        assert problems(f"{HEAD}context_model: claude") == [
            "line 3, column 16: `context_model`: it is made of the keys provider, name, temperature."
        ]

    def test_weights_that_do_not_sum_to_one_are_warned_of(self) -> None:
        found = read_configuration(f"{HEAD}keyword_weight: 0.5")
        assert len(found.configurations) == 1
        assert [str(warning) for warning in found.warnings] == [
            (
                "line 3, column 17: The weights sum to 1.2, not to 1: 0.5 + 0.5 + 0.2. Scores are then not "
                "shares of 1, and `min_score` means something else."
            )
        ]
        weights = "semantic_weight: 0.1\nkeyword_weight: 0.2\nexact_weight: 0.7"
        assert read_configuration(HEAD + weights).warnings == ()


class TestFiles:
    def test_all_mistakes_are_said_at_once_with_their_places(self) -> None:
        text = "nam: acts\ndescription: x\ntopk: 3\ntop_k: 0\ntop_k: 5\n42: x\n"
        assert problems(text) == [
            "line 1, column 1: There is no key `nam`. Did you mean `name`?",
            (
                "line 1, column 1: `name` is missing. By which the collection is known: a second file of the "
                "same name changes it."
            ),
            "line 3, column 1: There is no key `topk`. Did you mean `top_k`?",
            "line 4, column 8: `top_k`: 0 is out of bounds. It is a whole number from 1 to 100.",
            "line 5, column 1: `top_k` is in line 4 already. Keep one of them.",
            f"line 6, column 1: There is no key `42`. Known are {', '.join(key.name for key in KEYS)}.",
        ]

    def test_several_collections_are_parted_by_dashes(self) -> None:
        found = read_configuration(f"---\n{HEAD}---\nname: laws\ndescription: Laws.\n---\n")
        assert [one.name for one in found.configurations] == ["acts", "laws"]
        assert problems(f"{HEAD}---\n{HEAD}") == [
            "line 4, column 7: `acts` is in line 1 already. Each collection has a name of its own."
        ]

    @pytest.mark.parametrize(
        "text",
        ["\ufeff" + HEAD, HEAD.replace("\n", "\r\n"), HEAD.replace("\n", "\r"), f"# A port.\n{HEAD}..."],
    )
    def test_files_of_any_system_are_read(self, text: str) -> None:
        assert read(text) == read(HEAD)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "line 1, column 1: There is nothing here."),
            ("# Nothing.\n", "line 1, column 1: There is nothing here."),
            ("- a\n", "line 1, column 1: A collection is made of keys"),
            ("acts\n", "line 1, column 1: A collection is made of keys"),
            ("name: a\n\tdescription: x\n", "line 2, column 1: A tab stands where the indentation is."),
            ("name: a: b\n", "line 1, column 8: This is no YAML: mapping values are not allowed here."),
            ("name: 'a\n", "line 2, column 1: This is no YAML: while scanning a quoted scalar"),
            ("name: &a acts\n", "line 1, column 7: Anchors and aliases"),
            ("name: *a\n", "line 1, column 7: Anchors and aliases"),
            ("name: !!python/object/apply:os.system [ls]\n", "line 1, column 7: Tags such as !!python/obj"),
            ("name: !secret x\n", "line 1, column 7: Tags such as !secret are not read here."),
            ("name: !!str x\n", "line 1, column 7: Tags such as !!str are not read here."),
            ("<<: {name: a}\n", "line 1, column 1: There is no key `<<`."),
            ("? [a]\n: b\n", "line 1, column 3: A key is a word."),
            ("name: a\x00b\n", "line 1, column 8: A character that cannot be shown."),
            ("name: a\nx: \ud800\n", "line 2, column 4: A character that cannot be shown."),
            ('name: a\ndescription: "\\0"\n', "line 2, column 14: `description`: a character in it"),
            ('name: "\\U11111111"\n', "line 1, column 10: An escape or a number that means nothing."),
            ("name: [[[[[[[[a]]]]]]]]\n", "line 1, column 11: More than 5 levels deep."),
        ],
    )
    def test_what_cannot_be_read_has_a_place(self, text: str, said: str) -> None:
        assert any(problem.startswith(said) for problem in problems(text))

    @pytest.mark.parametrize(
        "bomb",
        [
            "a: &a [x,x]\n" + "".join(f"{n}: &{n} [*a,*a]\n" for n in "bcdefghij"),
            "[" * 90_000,
            "{a: " * 20_000,
            "- " * 45_000,
            "? " * 45_000,
            "a" * 100_001,
            HEAD + "x: 1\n" * 19_000,
            "a: " + "'" * 90_000,
            "---\n" * 24_000,
            "!" * 90_000,
            "%TAG ! a\n" * 10_000,
            "\\" * 90_000,
        ],
    )
    def test_bombs_are_refused_soon(self, bomb: str) -> None:
        begun = time.monotonic()
        assert read_configuration(bomb).problems
        assert time.monotonic() - begun < 20


WORDS = st.sampled_from(
    [
        *(key.name for key in KEYS),
        *(
            "name: acts",
            "description: x",
            ": ",
            "\n",
            "\n  ",
            "- ",
            "---\n",
            "'",
            '"',
            "&a ",
            "*a",
            "!!str ",
            "{",
        ),
        *(
            "}",
            "[",
            "]",
            "|",
            ">",
            "#",
            "%",
            "\t",
            "\r\n",
            "no",
            "1.5",
            "null",
            "\\",
            "\\U",
            "? ",
            "<<",
            "@",
            "`",
        ),
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(), st.lists(WORDS).map("".join), st.lists(st.one_of(WORDS, st.text())).map("".join)))
@example("%YAML 1." + "9" * 5000 + "\n---\na")
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    found = read_configuration(text)
    assert bool(found.configurations) != bool(found.problems)
    for problem in found.problems:
        assert 1 <= problem.spot.line <= len(text) + 1
        assert problem.spot.column >= 1
        assert problem.message.endswith((".", "?"))
        assert problem.message.isprintable()


KEPT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).map(str.strip)


def values_of(key: Any) -> st.SearchStrategy[Any]:
    match key.kind:
        case Kind.CHOICE:
            return st.sampled_from(key.choices)
        case Kind.WHOLE:
            return st.integers(key.least, key.most)
        case Kind.NUMBER:
            some = st.floats(key.least, key.most)
            return some | st.none() if key.is_optional else some
        case Kind.FLAG:
            return st.booleans()
    if key.pattern:
        return st.from_regex(key.pattern.rstrip("$") + r"\Z").filter(lambda name: len(name) <= key.longest)
    return (
        KEPT.filter(bool) if key.is_required else KEPT.filter(lambda text: len(text) <= (key.longest or 99))
    )


SETTINGS = st.fixed_dictionaries({key.name: values_of(key) for key in KEYS if key.place == Place.COLLECTION})


@settings(deadline=None, max_examples=100)
@given(SETTINGS)
@example({**read(HEAD).settings, "description": "a\x85b"})
@example({**read(HEAD).settings, "description": "a\n\n  b \nc: '"})
def test_what_is_written_is_read_again(given_values: dict[str, Any]) -> None:
    if given_values["enable_reranking"] and not given_values["reranker_model"]:
        given_values["enable_reranking"] = False
    text = write_configuration(given_values)
    again = read(text)
    assert again.settings == given_values
    assert write_configuration(again.values) == text


class TestChanges:
    def test_what_changes_is_said_with_what_it_means(self) -> None:
        before = {**read(HEAD).settings, "top_k": 20, "min_score": 0.5}
        wanted = read(f"{HEAD}max_chunk_tokens: 400\nlanguage: german\nextract_definitions: false")
        changes = compare(before, wanted)
        assert [str(change) for change in changes] == [
            "max_chunk_tokens: 800 → 400",
            "top_k: 20 → 10 (the default: the file does not say)",
            "min_score: 0.5 → none (the default: the file does not say)",
            "extract_definitions: true → false",
            "language: 'english' → 'german'",
        ]
        assert explain(changes) == [
            (
                "max_chunk_tokens: for versions to come; what is ready stays as it is until it is read anew "
                "(in the administration)."
            ),
            "top_k, min_score: from the next search on.",
            (
                "extract_definitions: for versions to come; turned on, `manage.py refresh_findings` finds "
                "them in what is current too."
            ),
            "language: for versions to come; `manage.py rebuild_index` takes it to those that are ready.",
        ]

    def test_what_is_the_same_does_not_change(self) -> None:
        assert compare(read(HEAD).settings, read(HEAD + "top_k: 10")) == ()


class TestSchema:
    def test_the_committed_one_is_the_one_that_is_generated(self) -> None:
        said = StringIO()
        call_command("apply", "--schema", stdout=said)
        assert SCHEMA.read_text() == said.getvalue()
        assert json.loads(said.getvalue()) == describe_schema()

    def test_it_has_every_key_with_default_and_limits(self) -> None:
        properties = describe_schema()["properties"]
        assert list(properties) == [key.name for key in KEYS]
        assert properties["top_k"] == {
            "title": "Results",
            "description": "Results of a search, unless asked otherwise.",
            "default": 10,
            "type": "integer",
            "minimum": 1,
            "maximum": 100,
        }
        assert describe_schema()["required"] == ["name", "description"]
        assert describe_schema()["additionalProperties"] is False

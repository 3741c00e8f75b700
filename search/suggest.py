"""For words that no passage has, the nearest ones that some have.

Slips of one letter are undone in every way there is, and what comes out is looked up. For two and three, the
stems that begin nearly like the word are compared with it, and then the words that these are the stems of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from documents.models import Version, VersionQuerySet
from search.edits import distance, edits_of, letters_for, likelihood, nearest_beginning
from search.vocabulary import count_stems, forms_of, stems_beginning, stems_of, texts_with, written
from tenants.scope import within_tenant

WORD = re.compile(r"[^\W\d_]+")
SHORTEST, LONGEST = 4, 40  # Letters of words that have suggestions.
TWO, THREE = 6, 12  # From how many letters on a word may have so many slips.
MOST_SLIPS = 3
LONG = 5  # Letters of words that may be the beginning of others.
MOST_WORDS = 4  # Of one query.
MOST_TRIED = 60  # Near words that are looked for in what may be read.
MOST_STEMS = 10  # Whose forms are looked at,
FEW_STEMS = 4  # and of these, for which forms are made up.
BEGINNING = 4  # Letters by which stems are found.
LONGEST_ENDING = 9  # Letters that a language takes from a word: “-izations”.
FEW_PAIRS = 3  # Of words that a word is made of.
FEW_TEXTS = 3  # That show how a word is printed.

# What stands between the words that a word is made of: Arbeit-s-recht.
LINKS = {
    "danish": ("e", "s"),
    "dutch": ("e", "en", "s"),
    "german": ("e", "en", "er", "es", "n", "s"),
    "norwegian": ("e", "s"),
    "swedish": ("e", "s"),
}


@dataclass(frozen=True, slots=True)
class Near:
    """A word that is near to another."""

    word: str
    distance: int
    weight: int  # How likely it was meant: by the slip, and by the passages that have it.

    @property
    def order(self) -> tuple[int, int, str]:
        return self.distance, -self.weight, self.word


def suggest_query(
    tenant_id: UUID,
    query: str,
    *,
    unknown: Sequence[str],
    language: str,
    versions: VersionQuerySet | None = None,
) -> str | None:
    """Return the query with unknown words replaced by the nearest known ones, if there are any."""
    nearest = suggest_words(tenant_id, unknown, language=language, versions=versions)
    replaced = WORD.sub(lambda match: nearest.get(match[0], match[0]), query)
    return None if replaced == query else replaced


def suggest_words(
    tenant_id: UUID, words: Sequence[str], *, language: str, versions: VersionQuerySet | None = None
) -> dict[str, str]:
    """Return, by words as they were typed, the nearest in what may be read, as it is printed there."""
    with within_tenant(tenant_id):
        readable = Version.objects.readable().filter(document__deleted_at=None)
        found = Finder(tenant_id, language, readable if versions is None else versions)
        asked = [word for word in dict.fromkeys(words) if is_plain(word)]
        near = {word: found.find(word.lower()) for word in asked[:MOST_WORDS]}
    return {word: nearest for word, nearest in near.items() if nearest}


def unknown_words(tenant_id: UUID, query: str, *, languages: Sequence[str]) -> list[str]:
    """Return the words of a query that no passage has in any of some languages."""
    words = list(dict.fromkeys(WORD.findall(query)))
    with within_tenant(tenant_id):
        for language in languages:
            stems = stems_of(words, language)
            known = count_stems(tenant_id, language, {stem for some in stems.values() for stem in some})
            words = [word for word in words if stems[word] and not known.keys() & set(stems[word])]
    return words if languages else []


def is_plain(word: str) -> bool:
    """Tell whether a word is one that people misspell: no number, no abbreviation, no identifier."""
    return SHORTEST <= len(word) <= LONGEST and WORD.fullmatch(word) is not None


def most_slips(word: str) -> int:
    return MOST_SLIPS if len(word) >= THREE else 2 if len(word) >= TWO else 1


def split_word(word: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield all two words that one may be made of, without what the language puts between them."""
    for place in range(SHORTEST, len(word) - SHORTEST + 1):
        first, second = word[:place], word[place:]
        yield first, second
        for link in LINKS.get(language, ()):
            if first.endswith(link) and place - len(link) >= SHORTEST:
                yield first.removesuffix(link), second


@dataclass(frozen=True, slots=True)
class Finder:
    """Looks for words in the passages of a tenant in one language."""

    tenant_id: UUID
    language: str
    versions: VersionQuerySet

    def find(self, word: str) -> str:
        """Return the nearest word that may be read, as it is printed; nothing if none is near."""
        letters = letters_for(word, self.language)
        if not letters:
            return ""
        tries: tuple[Callable[[], str], ...] = (
            lambda: self._first_printed(self._at_one(word, letters)),
            lambda: self._parts(word),
            lambda: self._first_printed(self._longer(word)),
            lambda: self._first_printed(self._further(word, letters)),
        )
        return next(filter(None, (look() for look in tries)), "")

    def _parts(self, word: str) -> str:
        """Return the two known words that an unknown one is made of: “Datenschutz Beauftragter”."""
        splits = list(split_word(word, self.language))
        known = {
            near.word: near.weight for near in self._known(word, {part for pair in splits for part in pair})
        }
        pairs = [pair for pair in splits if known.keys() >= set(pair)]
        for pair in sorted(pairs, key=lambda pair: (-min(known[part] for part in pair), pair))[:FEW_PAIRS]:
            printed = [self._printed(part) for part in pair]
            if all(printed):
                return " ".join(printed)
        return ""

    def _first_printed(self, near: Iterable[Near]) -> str:
        tried = [one.word for one in sorted(near, key=lambda one: one.order)[:MOST_TRIED]]
        there = written(self.tenant_id, self.language, tried) if tried else set()
        printed = (self._printed(word) for word in tried if word in there)
        return next(filter(None, printed), "")

    def _printed(self, word: str) -> str:
        """Return a word as it is printed in what may be read; nothing if it is not."""
        texts = texts_with(self.tenant_id, self.language, word, self.versions, limit=FEW_TEXTS)
        return print_word(word, texts) if texts else ""

    def _at_one(self, word: str, letters: str) -> Iterator[Near]:
        return self._known(word, edits_of(word, letters))

    def _longer(self, word: str) -> Iterator[Near]:
        """Yield words that begin with the whole of this one."""
        if len(word) < LONG:
            return
        stems = stems_beginning(self.tenant_id, self.language, [word], shortest=len(word), longest=LONGEST)
        shorter = {word[:length] for length in range(SHORTEST, len(word))}
        stems |= count_stems(self.tenant_id, self.language, shorter)
        likely = sorted(stems, key=lambda stem: (-stems[stem], stem))[:FEW_STEMS]
        forms = forms_of(self.tenant_id, self.language, likely) if likely else []
        yield from self._known(word, [form for form in forms if form.startswith(word)])

    def _further(self, word: str, letters: str) -> Iterator[Near]:
        """Yield words of near stems: those of some passages, and those that the rest of the word makes."""
        most = most_slips(word)
        if most == 1:
            return
        stems = self._near_stems(word, letters, most)
        read = forms_of(self.tenant_id, self.language, list(stems)) if stems else []
        forms = {form for form in read if distance(word, form, most) <= most}
        for stem, length in islice(stems.items(), FEW_STEMS):
            forms.update(stem + ending for ending in edits_of(word[length:], letters) | {word[length:]})
        yield from (near for near in self._known(word, forms) if near.distance <= most)

    def _near_stems(self, word: str, letters: str, most: int) -> dict[str, int]:
        """Return the stems that are nearest to a beginning of a word, long ones first, and its length."""
        changed = edits_of(word[: BEGINNING + 1], letters)
        stems = stems_beginning(
            self.tenant_id,
            self.language,
            {word[:BEGINNING], *(one[:BEGINNING] for one in changed)},
            shortest=max(BEGINNING - 1, len(word) - LONGEST_ENDING),
            longest=len(word) + most,
        )
        own = set(word)
        alike = (stem for stem in stems if len(set(stem) - own) <= most)
        found = ((stem, *nearest_beginning(stem, word, most)) for stem in alike)
        near = [
            (away - len(stem), away, -stems[stem], stem, length)
            for stem, away, length in found
            if away <= most
        ]
        return {stem: length for *_, stem, length in sorted(near)[:MOST_STEMS]}

    def _known(self, word: str, candidates: Iterable[str]) -> Iterator[Near]:
        """Yield those candidates whose stems are in some passage."""
        stems = stems_of(list(candidates), self.language)
        asked = {"", *(one for some in stems.values() for one in some)}
        counts = count_stems(self.tenant_id, self.language, asked)
        for candidate, some in stems.items():
            # What a language drops is in no statistics, and in nearly every passage.
            count = max(counts.get(stem, 0) for stem in some or [""])
            if count and candidate != word:
                away = distance(word, candidate, MOST_SLIPS)
                yield Near(candidate, away, count * likelihood(word, candidate))


def print_word(word: str, texts: Iterable[str]) -> str:
    """Return a word as texts mostly print it: “Rotterdam”, “licence”."""
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
    printed = Counter(match[0] for text in texts for match in pattern.finditer(text))
    return printed.most_common(1)[0][0] if printed else word

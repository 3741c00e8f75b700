"""Words that differ by letters which are left out, added, exchanged or swapped."""

from __future__ import annotations

from collections.abc import Iterator

LATIN = "abcdefghijklmnopqrstuvwxyz"
# Letters of each alphabet, as the words of an index have them: small.
ALPHABETS: tuple[str, ...] = (
    "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґђјљњћџѓќѕў",
    "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ",
    "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
    "אבגדהוזחטיךכלםמןנסעףפץצקרשת",
    "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژکگی",
)
# What languages have beside the Latin letters.
ACCENTED = {
    "basque": "ñç",
    "catalan": "àçéèíïóòúü",
    "danish": "åæø",
    "dutch": "éëï",
    "estonian": "äõöüšž",
    "finnish": "äöå",
    "french": "àâçéèêëîïôùûüœ",
    "german": "äöüß",
    "hungarian": "áéíóöőúüű",
    "irish": "áéíóú",
    "italian": "àèéìòù",
    "lithuanian": "ąčęėįšųūž",
    "norwegian": "åæø",
    "portuguese": "áâãàçéêíóôõú",
    "romanian": "ăâîșțşţ",
    "serbian": "čćđšž",
    "simple": "áäåąčçćďéěęíłńňñóöőøřśšťúůüýžźż",
    "spanish": "áéíñóúü",
    "swedish": "åäö",
    "turkish": "çğıöşü",
}
# How much likelier than others some slips are: few get the first letter wrong.
SWAPPED = DOUBLED = 16
LEFT_OUT = EXCHANGED = 8
ADDED = 4
LEFT_OUT_FIRST = EXCHANGED_FIRST = 1


def letters_for(word: str, language: str) -> str:
    """Return the letters that a word could have; none if it is in no alphabet that is known."""
    latin = LATIN + ACCENTED.get(language, "")
    found = (letters for letters in (latin, *ALPHABETS) if set(word) <= set(letters))
    return next(found, "")


def edits_of(word: str, letters: str) -> set[str]:
    """Return all words at a distance of one."""
    return set(_edits(word, letters)) - {word}


def _edits(word: str, letters: str) -> Iterator[str]:
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        for letter in letters:
            yield f"{before}{letter}{after}"
            yield f"{before}{letter}{after[1:]}"
        yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def distance(one: str, other: str, most: int) -> int:
    """Return the number of edits between two words, or one more than the most that count."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    return min(_last_row(one, other, most)[-1], most + 1)


def nearest_beginning(stem: str, word: str, most: int) -> tuple[int, int]:
    """Return how far a stem is from that beginning of a word which is nearest to it, and how long this is."""
    same = _count_same(stem, word)
    row = _last_row(stem[same:], word[same : len(stem) + most], most)
    return min((away, abs(len(stem) - same - length), same + length) for length, away in enumerate(row))[::2]


def likelihood(typed: str, meant: str) -> int:
    """Return how likely a slip made one word of the other, compared with others that make as many changes."""
    same = _count_same(typed, meant)
    if len(typed) == len(meant):
        is_swap = typed[same : same + 2] == meant[same : same + 2][::-1]
        return SWAPPED if is_swap else EXCHANGED if same else EXCHANGED_FIRST
    if len(typed) < len(meant):
        return LEFT_OUT if same else LEFT_OUT_FIRST
    return DOUBLED if same and typed[same] == typed[same - 1] else ADDED


def _count_same(one: str, other: str) -> int:
    """Return how many letters two words have in common at their beginning, and can be left out."""
    for place, (letter, fellow) in enumerate(zip(one, other, strict=False)):
        if letter != fellow:
            return place
    return min(len(one), len(other))


def _last_row(one: str, other: str, most: int) -> list[int]:
    """Return the distances of a word to all beginnings of another, where they are not too large."""
    far = most + 1
    before, row = [far] * (len(other) + 1), list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        earlier, before = before, row
        row = [place if place <= most else far] + [far] * len(other)
        for column in range(max(1, place - most), min(len(other), place + most) + 1):
            cost = before[column - 1]
            if letter != other[column - 1]:
                cost = 1 + min(cost, before[column], row[column - 1])
                if (
                    place > 1
                    and column > 1
                    and letter == other[column - 2]
                    and one[place - 2] == other[column - 1]
                ):
                    cost = min(cost, earlier[column - 2] + 1)
            row[column] = cost
        if min(row) > most:
            break
    return row

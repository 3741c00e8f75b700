"""Write a number the way word processors print it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from string import ascii_lowercase

from documents.roman import write_roman

HUNDRED, THOUSAND, MYRIAD = 100, 1000, 10_000

Writer = Callable[[int], str]

ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ORDINAL_WORDS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
HAN_DIGITS = "〇一二三四五六七八九"
HAN_UNITS = ((1000, "千"), (100, "百"), (10, "十"))
HAN_FORMAL_DIGITS = "零壹贰叁肆伍陆柒捌玖"
TRADITIONAL_FORMAL_DIGITS = "零壹貳參肆伍陸柒捌玖"
HAN_FORMAL_UNITS = ((1000, "仟"), (100, "佰"), (10, "拾"))
JAPANESE_LEGAL_DIGITS = "〇壱弐参四伍六七八九"
JAPANESE_LEGAL_UNITS = ((1000, "阡"), (100, "百"), (10, "拾"))
KOREAN_DIGITS = "영일이삼사오육칠팔구"
KOREAN_UNITS = ((1000, "천"), (100, "백"), (10, "십"))
HEBREW = (
    (400, "ת"), (300, "ש"), (200, "ר"), (100, "ק"), (90, "צ"), (80, "פ"), (70, "ע"), (60, "ס"), (50, "נ"),
    (40, "מ"), (30, "ל"), (20, "כ"), (16, "טז"), (15, "טו"), (10, "י"), (9, "ט"), (8, "ח"), (7, "ז"),
    (6, "ו"), (5, "ה"), (4, "ד"), (3, "ג"), (2, "ב"), (1, "א"),
)  # fmt: skip
HALF_AIUEO = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
HALF_IROHA = "ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽ"
AIUEO = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
HEAVENLY_STEMS = "甲乙丙丁戊己庚辛壬癸"
EARTHLY_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
ARABIC_ALPHA = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
ARABIC_ABJAD = "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"


def write_number(value: int, style: str) -> str:
    """Write `value` in a numbering style of Word; unknown styles are decimal."""
    if value <= 0 and style not in WRITTEN_AT_ZERO:
        return str(value) if style not in WRITERS or value < 0 else ""
    return WRITERS.get(style, str)(value)


def write_letters(value: int, alphabet: Iterable[str] = ascii_lowercase) -> str:
    """Repeat the letter after the last one, as Word does: z, aa, bb."""
    letters = tuple(alphabet)
    rounds, position = divmod(value - 1, len(letters))
    return letters[position] * (rounds + 1)


def write_positional(value: int) -> str:
    """Count letters like digits after the last one, as OpenDocument does: z, aa, ab."""
    written = ""
    while value > 0:
        value, position = divmod(value - 1, len(ascii_lowercase))
        written = ascii_lowercase[position] + written
    return written


def write_words(value: int) -> str:
    """Write an English number below a million in words."""
    if value < len(ONES):
        return ONES[value]
    if value < HUNDRED:
        tens, ones = divmod(value, 10)
        return TENS[tens] + (f"-{ONES[ones]}" if ones else "")
    size, word = (THOUSAND, "thousand") if value >= THOUSAND else (HUNDRED, "hundred")
    most, rest = divmod(value, size)
    return f"{write_words(most)} {word}" + (f" {write_words(rest)}" if rest else "")


def write_ordinal(value: int) -> str:
    if value % 100 in (11, 12, 13):
        return f"{value}th"
    return f"{value}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th') }"


def write_ordinal_words(value: int) -> str:
    words = write_words(value)
    last = words.replace("-", " ").split(" ")[-1]
    regular = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return words.removesuffix(last) + ORDINAL_WORDS.get(last, regular)


def write_counting(value: int, digits: str, units: tuple[tuple[int, str], ...], *, ones: int = MYRIAD) -> str:
    """Write a number below 10,000 with unit characters; from the unit `ones` on no 一 is left out."""
    if not 0 < value < MYRIAD:
        return "".join(digits[int(digit)] for digit in str(value))
    written, gap = "", False
    for size, unit in (*units, (1, "")):
        digit, value = divmod(value, size)
        if not digit:
            gap = bool(written)
            continue
        written += digits[0] if gap and ones < MYRIAD else ""
        is_one_written = digit > 1 or size == 1 or size >= ones or (written and ones < MYRIAD)
        written += (digits[digit] if is_one_written else "") + unit
        gap = False
    return written


def _write_additive(value: int, symbols: tuple[tuple[int, str], ...]) -> str:
    written = ""
    for size, symbol in symbols:
        written += symbol * (value // size)
        value %= size
    return written


def _capitalize(write: Writer) -> Writer:
    return lambda value: write(value).capitalize()


def _cycle(alphabet: str) -> Writer:
    return lambda value: write_letters(value, alphabet)


def _again(alphabet: str) -> Writer:
    return lambda value: alphabet[(value - 1) % len(alphabet)]


def _once(alphabet: str) -> Writer:
    return lambda value: alphabet[value - 1] if value <= len(alphabet) else str(value)


def _shift(zero: str) -> Writer:
    return lambda value: "".join(chr(ord(zero) + int(digit)) for digit in str(value))


def _enclose(first: str, last: int) -> Writer:
    return lambda value: chr(ord(first) + value - 1) if 0 < value <= last else str(value)


def _digits(digits: str) -> Writer:
    return lambda value: "".join(digits[int(digit)] for digit in str(value))


def _han(value: int) -> str:
    return write_counting(value, HAN_DIGITS, HAN_UNITS)


def _han_thousand(value: int) -> str:
    return write_counting(value, HAN_DIGITS.replace("〇", "零"), HAN_UNITS, ones=100)


def _sexagenary(value: int) -> str:
    return HEAVENLY_STEMS[(value - 1) % 10] + EARTHLY_BRANCHES[(value - 1) % 12]


WRITERS: dict[str, Writer] = {
    "decimal": str,
    "decimalZero": lambda value: f"{value:02d}",
    "lowerLetter": write_letters,
    "upperLetter": lambda value: write_letters(value).upper(),
    "lowerPositional": write_positional,
    "upperPositional": lambda value: write_positional(value).upper(),
    "lowerRoman": write_roman,
    "upperRoman": lambda value: write_roman(value).upper(),
    "ordinal": write_ordinal,
    "cardinalText": _capitalize(write_words),
    "ordinalText": _capitalize(write_ordinal_words),
    "none": lambda _value: "",
    "bullet": lambda _value: "",
    "numberInDash": lambda value: f"- {value} -",
    "hex": lambda value: f"{value:X}",
    "chicago": _cycle("*†‡§"),
    "decimalFullWidth": _shift("０"),
    "decimalFullWidth2": _shift("０"),
    "decimalEnclosedCircle": _enclose("①", 20),
    "decimalEnclosedCircleChinese": _enclose("①", 20),
    "decimalEnclosedParen": _enclose("⑴", 20),
    "decimalEnclosedFullstop": _enclose("⒈", 20),
    "ideographEnclosedCircle": _enclose("㊀", 10),
    "ideographDigital": _digits(HAN_DIGITS),
    "japaneseDigitalTenThousand": _digits(HAN_DIGITS),
    "taiwaneseDigital": _digits(HAN_DIGITS.replace("〇", "○")),
    "koreanDigital": _digits(KOREAN_DIGITS),
    "koreanDigital2": _digits(HAN_DIGITS),
    "japaneseCounting": _han,
    "japaneseLegal": lambda value: write_counting(
        value, JAPANESE_LEGAL_DIGITS, JAPANESE_LEGAL_UNITS, ones=10
    ),
    "chineseCounting": _han_thousand,
    "chineseCountingThousand": _han_thousand,
    "chineseLegalSimplified": lambda value: write_counting(
        value, HAN_FORMAL_DIGITS, HAN_FORMAL_UNITS, ones=10
    ),
    "ideographLegalTraditional": lambda value: write_counting(
        value, TRADITIONAL_FORMAL_DIGITS, HAN_FORMAL_UNITS, ones=10
    ),
    "taiwaneseCounting": _han_thousand,
    "taiwaneseCountingThousand": _han_thousand,
    "koreanCounting": lambda value: write_counting(value, KOREAN_DIGITS, KOREAN_UNITS),
    "ideographTraditional": _once(HEAVENLY_STEMS),
    "ideographZodiac": _once(EARTHLY_BRANCHES),
    "ideographZodiacTraditional": _sexagenary,
    "aiueo": _again(HALF_AIUEO),
    "aiueoFullWidth": _again(AIUEO),
    "iroha": _again(HALF_IROHA),
    "irohaFullWidth": _again(IROHA),
    "ganada": _again("가나다라마바사아자차카타파하"),
    "chosung": _again("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"),
    "russianLower": _cycle(RUSSIAN),
    "russianUpper": _cycle(RUSSIAN.upper()),
    "hebrew1": lambda value: _write_additive(value, HEBREW),
    "hebrew2": _cycle("אבגדהוזחטיכלמנסעפצקרשת"),
    "arabicAlpha": _cycle(ARABIC_ALPHA),
    "arabicAbjad": _cycle(ARABIC_ABJAD),
    "hindiNumbers": _shift("०"),
    "hindiConsonants": _cycle("कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह"),
    "thaiNumbers": _shift("๐"),
    "thaiLetters": _cycle("กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ"),
}
WRITTEN_AT_ZERO = {
    "decimal", "decimalZero", "cardinalText", "ordinal", "numberInDash", "hex", "decimalFullWidth",
    "decimalFullWidth2", "ideographDigital", "hindiNumbers", "thaiNumbers",
}  # fmt: skip

"""Other forms of a term, by which its uses are found: plural and singular, and "the Bank" for "Bank"."""

from __future__ import annotations

import re

MOST = 8
# Ending and its plural, the first that fits; the singular is the way back.
ENGLISH = (
    (r"(?<=[^aeiou])y$", "ies"), (r"(?<=[sxz])$", "es"), (r"(?<=[cs]h)$", "es"), (r"(?<=[^f])fe$", "ves"),
    (r"$", "s"),
)  # fmt: skip
ENGLISH_BACK = (
    (r"(?<=[a-z]{2})ies$", "y"),
    (r"(?<=[sxz])es$", ""),
    (r"(?<=[cs]h)es$", ""),
    (r"(?<=[^su])s$", ""),
)
IRREGULAR = {
    "person": "persons", "child": "children", "man": "men", "woman": "women", "criterion": "criteria",
    "datum": "data",
    "medium": "media", "premises": "premises", "analysis": "analyses", "basis": "bases", "index": "indices",
}  # fmt: skip
BACK = {plural: singular for singular, plural in IRREGULAR.items()}
SAME = frozenset(
    {"data", "means", "series", "information", "equipment", "software", "goods", "securities", "proceeds"}
)
# The head of a phrase stands before the first of these: "line of credit", "prêt à la consommation".
BEHIND_HEAD = re.compile(
    r"\s(?:of|for|in|to|on|by|with|under|from|at|against|concerning|relating|de|du|des|d['’]\w|à|au|aux"
    r"|en|pour|sur|für|von|zu|mit|im|del?|di|da|do|van|voor)\b"
)
ROMANCE = re.compile(r"\b(?:de|du|des|à|aux|la|le)\b|[éèàç]")
GERMAN = re.compile(r"[äöüß]|(?:ung|heit|keit|schaft)\b")


def find_variants(term: str, *, is_name: bool, others: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the other forms of a term, the abbreviations that share its statement among them."""
    forms = [*_other_number(term), *others]
    if is_name:
        forms.append(f"the {term}")
    return tuple(form for form in dict.fromkeys(forms) if form and form != term)[:MOST]


def _other_number(term: str) -> list[str]:
    match = BEHIND_HEAD.search(term)
    phrase, rest = (term[: match.start()], term[match.start() :]) if match else (term, "")
    before, _, head = phrase.rpartition(" ")
    is_word = head.isalpha() or re.fullmatch(r"[\w'’/-]*[a-zà-ÿ]", head)
    if not is_word or len(head) == 1:  # “A” is a name, and "as" is none of its forms.
        return []
    if GERMAN.search(term):
        forms = _german(head)
    elif ROMANCE.search(term):
        forms = [head + "s"] if head[-1] not in "sxz" else [head[:-1]] if head[-1] == "s" else []
    else:
        forms = _english(head)
    return [f"{before} {form}{rest}".strip() for form in forms]


def _english(head: str) -> list[str]:
    lower = head.lower()
    if re.fullmatch(r"[A-Z]{2,}s", head):
        return [head[:-1]]
    if lower in SAME or (head.isupper() and len(head) > 1 and head.endswith("S")):
        return []
    if lower in IRREGULAR or lower in BACK:
        other = IRREGULAR.get(lower) or BACK[lower]
        return [head[0] + other[1:]]
    for ending, singular in ENGLISH_BACK:
        if len(head) > 3 and not head.isupper() and re.search(ending, head):  # noqa: PLR2004
            return [re.sub(ending, singular, head)]
    for ending, plural in ENGLISH:
        if re.search(ending, head):
            return [re.sub(ending, plural, head, count=1)]
    return []


def _german(head: str) -> list[str]:
    if head.endswith(("ung", "heit", "keit", "schaft")):
        return [head + "en"]
    if head.endswith(("ungen", "heiten", "keiten", "schaften")):
        return [head[:-2]]
    if not head[:1].isupper() or head.endswith(("en", "er", "el")):
        return []
    return [head + "n"] if head.endswith("e") else [head + ending for ending in ("e", "en", "s")]

"""An answerer for tests and for those who want no model: quotes the sentences that share most words."""

from __future__ import annotations

import re

from search.backends.answerers.base import Answerer
from search.backends.payment import Purse

BLOCK = re.compile(
    r"^(?P<fence>~{3,}) \[(?P<mark>\d+)\][^\n]*\n[^\n]*\n\n(?P<text>.*?)\n(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
SENTENCE = re.compile(r"(?<=[.!?。])\s+|\n+")
WORD = re.compile(r"\w{3,}")
MOST = 3
NOTHING = "The sources say nothing of this."


class ExtractingAnswerer(Answerer):
    name = "extracts"

    def write(self, question: str, context: str, purse: Purse | None) -> str:
        asked = set(WORD.findall(question.casefold()))
        sentences = [
            (len(asked & set(WORD.findall(sentence.casefold()))), sentence.strip(), block["mark"])
            for block in BLOCK.finditer(context)
            for sentence in SENTENCE.split(block["text"])
        ]
        best = sorted((one for one in sentences if one[0]), key=lambda one: -one[0])[:MOST]
        return "\n\n".join(f"“{_plain(sentence)}” [{mark}]" for _, sentence, mark in best) or NOTHING


def _plain(sentence: str) -> str:
    """Return a sentence without marks of quotation, which would end the one around it."""
    return re.sub(r"[“”\"]", "'", sentence)

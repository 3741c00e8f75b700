"""A chat model that orders passages as it is asked to: by the words that they share with the question."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.providers.rerank_server import ranked
from tests.providers.server import Answer, Asked

PASSAGE = re.compile(r'<passage number="(\d+)">\n(.*?)\n</passage>', re.DOTALL)
QUESTION = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)


def order_by_overlap(asked: Asked) -> Answer:
    prompt = asked.body["messages"][-1]["content"]
    question = QUESTION.findall(prompt)[-1]
    texts = [text for _, text in PASSAGE.findall(prompt)]
    return say(json.dumps([index + 1 for index, _ in ranked(question, texts)]), asked)


def say(text: str, asked: Asked) -> Answer:
    """Return an answer of either provider that says this."""
    return Answer(changes=changes_to_say(text, is_openai="completions" in asked.path))


def changes_to_say(text: str, *, is_openai: bool, stop: str | None = None) -> dict[str, Any]:
    if is_openai:
        message = {"role": "assistant", "content": text, "refusal": None}
        return {"choices": [{"index": 0, "message": message, "finish_reason": stop or "stop"}]}
    return {"content": [{"type": "text", "text": text}], "stop_reason": stop or "end_turn"}

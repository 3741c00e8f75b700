"""Answers by Claude."""

from __future__ import annotations

from typing import Unpack

from search.backends.answerers.base import ROLE
from search.backends.answerers.llm import MAX_TOKENS, TIMEOUT, ChatAnswerer
from search.backends.chat_models.anthropic import HAIKU, AnthropicModel
from search.backends.chat_models.base import ChatOptions


class AnthropicAnswerer(ChatAnswerer):
    def __init__(
        self,
        *,
        model: str = HAIKU,
        timeout: float = TIMEOUT,
        max_tokens: int = MAX_TOKENS,
        **options: Unpack[ChatOptions],
    ) -> None:
        super().__init__(AnthropicModel(ROLE, model=model, timeout=timeout, max_tokens=max_tokens, **options))

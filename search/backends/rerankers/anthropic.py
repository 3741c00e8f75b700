"""Order by Claude."""

from __future__ import annotations

from typing import Unpack

from search.backends.chat_models.anthropic import HAIKU, AnthropicModel
from search.backends.chat_models.base import ChatOptions
from search.backends.rerankers.base import ROLE
from search.backends.rerankers.llm import (
    MAX_CHARACTERS,
    MAX_TOKENS,
    TIMEOUT,
    TOTAL_CHARACTERS,
    LlmReranker,
)


class AnthropicReranker(LlmReranker):
    def __init__(
        self,
        *,
        model: str = HAIKU,
        timeout: float = TIMEOUT,
        max_tokens: int = MAX_TOKENS,
        max_characters: int = MAX_CHARACTERS,
        total_characters: int = TOTAL_CHARACTERS,
        **options: Unpack[ChatOptions],
    ) -> None:
        super().__init__(
            AnthropicModel(ROLE, model=model, timeout=timeout, max_tokens=max_tokens, **options),
            max_characters=max_characters,
            total_characters=total_characters,
        )

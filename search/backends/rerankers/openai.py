"""Order by OpenAI's chat models, and by whatever speaks its protocol: Azure, vLLM, Ollama."""

from __future__ import annotations

from typing import Unpack

from search.backends.chat_models.openai import OpenAIModel, OpenAIOptions
from search.backends.rerankers.base import ROLE
from search.backends.rerankers.llm import (
    MAX_CHARACTERS,
    MAX_TOKENS,
    TIMEOUT,
    TOTAL_CHARACTERS,
    LlmReranker,
)


class OpenAIReranker(LlmReranker):
    def __init__(
        self,
        *,
        model: str,
        timeout: float = TIMEOUT,
        max_tokens: int = MAX_TOKENS,
        max_characters: int = MAX_CHARACTERS,
        total_characters: int = TOTAL_CHARACTERS,
        **options: Unpack[OpenAIOptions],
    ) -> None:
        super().__init__(
            OpenAIModel(ROLE, model=model, timeout=timeout, max_tokens=max_tokens, **options),
            max_characters=max_characters,
            total_characters=total_characters,
        )

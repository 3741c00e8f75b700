"""Answers by OpenAI's chat models, and by whatever speaks its protocol: Azure, vLLM, Ollama."""

from __future__ import annotations

from typing import Unpack

from search.backends.answerers.base import ROLE
from search.backends.answerers.llm import MAX_TOKENS, TIMEOUT, ChatAnswerer
from search.backends.chat_models.openai import OpenAIModel, OpenAIOptions


class OpenAIAnswerer(ChatAnswerer):
    def __init__(
        self,
        *,
        model: str,
        timeout: float = TIMEOUT,
        max_tokens: int = MAX_TOKENS,
        **options: Unpack[OpenAIOptions],
    ) -> None:
        super().__init__(OpenAIModel(ROLE, model=model, timeout=timeout, max_tokens=max_tokens, **options))

"""Tell the language of a text, and how its words are stemmed."""

from documents.language.choose import AUTO, Language, choose_language, without_language
from documents.language.detect import detect_language

__all__ = ["AUTO", "Language", "choose_language", "detect_language", "without_language"]

"""Who writes an answer from sources: a chat model, or for tests nobody."""

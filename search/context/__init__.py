"""Texts for language models, assembled from what a search finds. `assemble.py` is the table of contents."""

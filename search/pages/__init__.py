"""The pages of searching: what is asked, what is shown of an answer, searches that are kept, answers."""

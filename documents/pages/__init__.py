"""Pages of versions and baselines: what they say, how they differ, and what can be done with them."""

"""Pages on how the index, its cost, searches and their quality stand."""

"""A tenant's documents as one file: what people gave and said, and nothing that is made from it."""

"""Pages of what terms mean and of what refers to what."""

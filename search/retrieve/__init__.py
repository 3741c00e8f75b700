"""Find passages, each way by itself."""

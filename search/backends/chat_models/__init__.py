"""Chat models of providers, for whoever asks them one thing and waits for the answer."""

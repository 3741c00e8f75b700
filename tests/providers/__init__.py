"""Providers of models on this machine: they speak the real protocols to the real SDKs."""

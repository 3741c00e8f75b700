"""What finds passages by their words."""

"""What puts the best of a few passages first."""

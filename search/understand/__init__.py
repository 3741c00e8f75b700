"""What a query means before anything is looked for."""

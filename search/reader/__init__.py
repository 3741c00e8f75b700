"""The page on which a document is read: its text part by part, its outline, and what belongs to each unit."""

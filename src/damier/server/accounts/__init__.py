"""Members: who they are, and how they prove it."""

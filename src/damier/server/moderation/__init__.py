"""What people report, and what moderators do about it."""

"""Questions under the pages of rules and guide, answers to them, and letters about these."""

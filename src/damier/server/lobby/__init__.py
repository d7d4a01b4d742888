"""Getting into a game: invitations, rematches, the pages that lead to a board."""

"""The statistics of the club: numbers kept as games end, and the pages that show them."""

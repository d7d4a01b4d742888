"""Games being played: their events, their sockets and their computer opponents."""

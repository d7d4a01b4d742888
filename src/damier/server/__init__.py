"""The club: the server that people visit with a browser."""

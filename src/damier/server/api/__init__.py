"""The HTTP interface for programs, version 1: tokens, accounts, seeks, challenges, games, and two sockets."""

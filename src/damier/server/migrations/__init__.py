"""Alembic's folder: how the tables of one release become those of the next. :mod:`damier.server.database` runs it."""

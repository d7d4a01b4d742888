"""Positions, moves and games as text: FEN, PDN, JSON, and what the Hub and DamExchange protocols write."""

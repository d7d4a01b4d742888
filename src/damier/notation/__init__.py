"""Positions and moves as text: FEN, and PDN and Hub notation of moves."""

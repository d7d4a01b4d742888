"""Pictures of a board: SVG and text."""

"""Samples: positions with what became of them, 32 bytes each, little-endian, as the kernel writes them.

=======  ==========  =================================================================================
offset   type        what
=======  ==========  =================================================================================
0        unsigned    White's pieces: in the row r from the top, from 0, the square c from the left is the bit
                     13 * (r // 2) + 6 * (r % 2) + c
8        unsigned    Black's pieces
16       unsigned    kings of both
24       signed      the search's score in hundredths of a man, from White's side
26       signed      the game's result to White: 1, 0 or -1
27       unsigned    who is to move: 0 for White, 1 for Black
28       unsigned    plies since the start of the game
30       unsigned    plies until the game was over
=======  ==========  =================================================================================

The samples of a game stand together, in the order of its plies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from damier.i18n import N_
from damier.lab.errors import LabError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Samples: TypeAlias = NDArray[np.void]

__all__ = ["SAMPLE", "SAMPLE_BYTES", "game_numbers", "read_samples", "samples_of"]

SAMPLE: Final[np.dtype[Any]] = np.dtype(
    [
        ("white", "<u8"),
        ("black", "<u8"),
        ("kings", "<u8"),
        ("score", "<i2"),
        ("result", "i1"),
        ("turn", "u1"),
        ("ply", "<u2"),
        ("to_end", "<u2"),
    ]
)
SAMPLE_BYTES: Final = 32

_NO_SAMPLES = N_("{file} holds no samples of games.")


def samples_of(data: bytes, where: str = "this") -> Samples:
    """The samples that these bytes are. Raises :class:`~damier.lab.errors.LabError` if they are none.

    >>> len(samples_of(bytes(64)))
    2
    """
    if len(data) % SAMPLE_BYTES:
        raise LabError(_NO_SAMPLES, code="no_samples", file=where)
    samples = np.frombuffer(data, SAMPLE)
    men_twice = (samples["white"] & samples["black"]) != 0
    bare_kings = (samples["kings"] & ~(samples["white"] | samples["black"])) != 0
    strange = (np.abs(samples["result"].astype(int)) > 1) | (samples["turn"] > 1)
    if bool(np.any(men_twice | bare_kings | strange)):
        raise LabError(_NO_SAMPLES, code="no_samples", file=where)
    return samples


def read_samples(path: Path) -> Samples:
    """The samples of a file. Raises :class:`~damier.lab.errors.LabError` if it holds something else, and OSError."""
    return samples_of(path.read_bytes(), str(path))


def game_numbers(samples: Samples) -> NDArray[np.int64]:
    """The game of each sample, counted from 0: within a game plies go up, and its length and result stay the same.

    Two games in a row that look like one are taken for one; no game is ever parted.

    >>> samples = np.zeros(4, SAMPLE)
    >>> samples["ply"], samples["to_end"] = [6, 8, 9, 12], [40, 38, 50, 47]
    >>> game_numbers(samples)
    array([0, 0, 1, 1])
    """
    if len(samples) == 0:
        return np.zeros(0, np.int64)
    ply = samples["ply"].astype(np.int64)
    length = ply + samples["to_end"]
    result = samples["result"]
    begins = (ply[1:] <= ply[:-1]) | (length[1:] != length[:-1]) | (result[1:] != result[:-1])
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(begins)])

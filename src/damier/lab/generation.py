"""A generation: a folder with files of games, and a manifest that tells what they are and how they came about.

The manifest names each file with its seeds, its positions and its digest, and is written anew, at once, whenever a file
has been put in its place. So whatever is killed, and however often, what the manifest tells is there, and the same
command goes on from it. Files count in the order of their numbers until the positions asked for are together: which
ones belong to a generation does not depend on how many were played at a time.
"""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from damier.i18n import N_
from damier.lab.errors import LabError
from damier.lab.files import held, read_json, sha256, write, write_json
from damier.lab.samples import SAMPLE_BYTES, game_numbers, samples_of
from damier.lab.selfplay import SelfPlay, weights_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from damier.lab.work import Source

__all__ = ["Generation", "PlayedFile", "folder_of", "generate"]

_KIND: Final = "damier lab generation"
_FORM: Final = 1
_MANIFEST: Final = "manifest.json"
_NO_GENERATION = N_("{folder} holds no generation of games.")
_OTHER_RECIPE = N_("{folder} holds games of another recipe ({what}); name another generation, or remove the folder.")
_DAMAGED = N_("{file} is damaged; damier lab generate plays its games again.")
_EMPTY = N_("{folder} has no games yet.")


@dataclass(frozen=True, slots=True)
class PlayedFile:
    """A file of games that is there: what the manifest tells of it."""

    number: int
    first_seed: int
    games: int
    positions: int
    decided: int
    """How many of its games were won by somebody, of those that have samples."""
    sha256: str
    seconds: float
    """Of one core."""
    build: str
    """A digest of the kernel that played."""

    @property
    def name(self) -> str:
        """Of the file."""
        return f"{self.number:05}.bin"


@dataclass(slots=True)
class Generation:
    """What has been played of a generation. ``wanted``: the positions that it shall have."""

    folder: Path
    recipe: SelfPlay
    wanted: int
    played: dict[int, PlayedFile] = field(default_factory=dict[int, PlayedFile])

    @classmethod
    def open(cls, folder: Path) -> Generation:
        """Of a folder. Raises :class:`LabError` if there is no generation in it, and OSError."""
        try:
            document = read_json(folder / _MANIFEST)
        except FileNotFoundError:
            raise LabError(_NO_GENERATION, code="no_generation", folder=str(folder)) from None
        try:
            if document[_KIND] != _FORM:
                raise ValueError
            played = [PlayedFile(**each) for each in document["files"]]
            recipe = SelfPlay(**document["recipe"])
            return cls(folder, recipe, int(document["positions"]), {each.number: each for each in played})
        except (KeyError, TypeError, ValueError):
            raise LabError(_NO_GENERATION, code="no_generation", folder=str(folder)) from None

    def save(self) -> None:
        """Write the manifest."""
        files = [asdict(self.played[number]) for number in sorted(self.played)]
        document = {_KIND: _FORM, "positions": self.wanted, "recipe": self.recipe.to_json(), "files": files}
        write_json(self.folder / _MANIFEST, document)

    @property
    def files(self) -> list[PlayedFile]:
        """Those that count: from the first on without a gap, until the wanted positions are together."""
        counting: list[PlayedFile] = []
        positions = 0
        for number in count():
            if positions >= self.wanted or number not in self.played:
                return counting
            counting.append(self.played[number])
            positions += counting[-1].positions
        raise AssertionError

    @property
    def positions(self) -> int:
        """How many there are in the files that count."""
        return sum(each.positions for each in self.files)

    @property
    def games(self) -> int:
        """How many were played for them."""
        return sum(each.games for each in self.files)

    @property
    def is_complete(self) -> bool:
        """Whether the wanted positions are together."""
        return self.positions >= self.wanted

    def read(self, file: PlayedFile) -> bytes:
        """The samples of a file. Raises :class:`LabError` if they are not those that were put there."""
        with contextlib.suppress(FileNotFoundError):
            data = (self.folder / file.name).read_bytes()
            if sha256(data) == file.sha256:
                return data
        raise LabError(_DAMAGED, code="damaged", file=str(self.folder / file.name))

    def digest(self) -> str:
        """Of all samples that count. Raises :class:`LabError` if there are none."""
        if not self.files:
            raise LabError(_EMPTY, code="empty", folder=str(self.folder))
        return sha256("".join(each.sha256 for each in self.files).encode())


def folder_of(folder: Path, generation: int) -> Path:
    """Where a generation lies in the laboratory's folder."""
    return folder / f"generation-{generation}"


def generate(
    folder: Path,
    recipe: SelfPlay,
    weights: bytes | None,
    positions: int,
    source: Source,
    told: Callable[[Generation, PlayedFile | None], object] = lambda _made, _file: None,
) -> Generation:
    """Play what a generation does not have yet of so many positions.

    ``weights``: as a file, None for the hand-made evaluation. ``source``: where games are played, see
    :mod:`damier.lab.work`. ``told`` is called with what is there at the beginning, and then with each file.

    Files that the manifest does not tell of, or that are damaged, are played again. Raises :class:`LabError` if the
    folder has games of another recipe, and OSError.
    """
    if weights_digest(weights) != recipe.weights:
        raise ValueError("these weights are not those of the recipe")
    with held(folder):
        made = _taken_up(folder, recipe, positions)
        told(made, None)
        numbers = _missing(made)
        if made.is_complete:
            return made
        with contextlib.closing(source(recipe, weights, numbers)) as playing:
            for file in playing:
                games = samples_of(file.data)
                last = game_numbers(games)
                ends = [*(last[1:] != last[:-1]), True] if len(games) else []
                entry = PlayedFile(
                    file.number,
                    recipe.first_seed(file.number),
                    recipe.games,
                    len(file.data) // SAMPLE_BYTES,
                    int((games["result"][ends] != 0).sum()),
                    sha256(file.data),
                    round(file.seconds, 3),
                    file.build,
                )
                write(folder / entry.name, file.data)
                made.played[entry.number] = entry
                made.save()
                told(made, entry)
                if made.is_complete:
                    break
    return made


def _taken_up(folder: Path, recipe: SelfPlay, positions: int) -> Generation:
    if not (folder / _MANIFEST).exists():
        made = Generation(folder, recipe, positions)
        made.save()
        return made
    made = Generation.open(folder)
    before, now = made.recipe.to_json(), recipe.to_json()
    other = [f"{name} {before[name]}, now {now[name]}" for name in now if before[name] != now[name]]
    if other:
        raise LabError(_OTHER_RECIPE, code="other_recipe", folder=str(folder), what="; ".join(other))
    made.wanted = positions
    for file in list(made.played.values()):
        try:
            made.read(file)
        except LabError:
            del made.played[file.number]
    made.save()
    return made


def _missing(made: Generation) -> Iterator[int]:
    """Numbers of files to be played; asked for in one thread while another adds files."""
    return (number for number in count() if number not in made.played)


def read_all(generations: list[Generation]) -> Iterator[tuple[Any, PlayedFile, bytes]]:
    """The samples of all files that count, file by file, in their order."""
    for generation in generations:
        for file in generation.files:
            yield generation, file, generation.read(file)

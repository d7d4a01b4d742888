"""The laboratory: games that can be played again, files that are gone on from, fits and curves that find what is there."""

from __future__ import annotations

import json
import lzma
import sys
from collections import Counter
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from damier import Board
from damier._kernel import Evaluation, FitCore
from damier.engine import Engine, Limit, Score
from damier.engine.evaluation import read_evaluation
from damier.engine.match import MatchError, PlayerSpec, open_player
from damier.engine.score import DRAW_MARGIN, WIN_SPREAD
from damier.errors import EngineError
from damier.lab import work
from damier.lab.calibration import Counts, calibrate, count, shares
from damier.lab.errors import LabError
from damier.lab.files import held, sha256
from damier.lab.generation import Generation, PlayedFile, generate
from damier.lab.samples import SAMPLE, game_numbers, read_samples, samples_of
from damier.lab.selfplay import HAND_MADE, SelfPlay
from damier.lab.shuffled import TEST_SHARE, Shuffled
from damier.lab.strength import Strength, keep, read_strengths
from damier.lab.training import FitRecipe, fit, read_log
from damier.lab.work import locally, on_dask
from damier.notation.fen import masks_fen

QUICK = SelfPlay(HAND_MADE, nodes=40, seed=5, games=4)


def squares_of(bits: int) -> int:
    """The same pieces with square n as bit n - 1; in the samples a pair of rows takes 13 bits."""
    return sum(
        1 << (5 * row + column)
        for row in range(10)
        for column in range(5)
        if bits >> (13 * (row // 2) + 6 * (row % 2) + column) & 1
    )


def board_of(sample: Any, *, passed: bool = False) -> Board:
    white, black, kings = (squares_of(int(sample[name])) for name in ("white", "black", "kings"))
    return Board(masks_fen(white, black, kings, bool(sample["turn"]) != passed))


def made_up(folder: Path, files: int, games: int) -> Generation:
    """A generation whose games have ten samples each and are won by whoever has more men; no two samples are alike."""
    generation = Generation(folder, SelfPlay(HAND_MADE, games=games), files * games * 10)
    random = np.random.default_rng(3)
    folder.mkdir()
    for number in range(files):
        samples = np.zeros(games * 10, SAMPLE)
        for game in range(games):
            some = samples[10 * game : 10 * game + 10]
            ahead = int(random.integers(2))
            some["white"] = 0b11111 << 39 if ahead else 0b111 << 39
            some["black"] = 0b111 if ahead else 0b11111
            some["result"] = 1 if ahead else -1
            some["score"] = (number * games + game) % 800
            some["ply"] = np.arange(10) * 2
            some["to_end"] = 30 + game % 2 - some["ply"]
        data = samples.tobytes()
        (folder / f"{number:05}.bin").write_bytes(data)
        generation.played[number] = PlayedFile(number, 0, games, len(samples), games, sha256(data), 1.0, "")
    generation.save()
    return generation


@pytest.fixture(scope="module")
def generation(tmp_path_factory: pytest.TempPathFactory) -> Generation:
    return generate(tmp_path_factory.mktemp("lab") / "generation-0", QUICK, None, 900, locally(1))


# --- Games ----------------------------------------------------------------------------------------------------------


def test_samples_are_quiet_positions_of_games(generation: Generation) -> None:
    samples = read_samples(generation.folder / "00000.bin")
    assert len(samples) == generation.files[0].positions > 50
    for sample in samples:
        assert sample["ply"] % 2 == sample["turn"]
        assert abs(int(sample["score"])) < QUICK.decided
        for passed in (False, True):
            moves = board_of(sample, passed=passed).legal_moves
            assert moves
            assert not any(move.captured for move in moves)
    numbers = game_numbers(samples)
    assert 1 < numbers[-1] + 1 <= QUICK.games
    for number in range(numbers[-1] + 1):
        of_game = samples[numbers == number]
        assert len(set((of_game["ply"] + of_game["to_end"]).tolist())) == len(set(of_game["result"].tolist())) == 1
        assert all(before < after for before, after in pairwise(of_game["ply"].tolist()))


def test_the_same_seeds_give_the_same_files_however_many_are_played_at_a_time(
    generation: Generation, tmp_path: Path
) -> None:
    others = generate(tmp_path / "g", QUICK, None, 900, locally(3))
    assert [(each.name, each.sha256) for each in others.files] == [
        (each.name, each.sha256) for each in generation.files
    ]
    assert others.digest() == generation.digest()
    assert others.positions >= 900 > others.positions - others.files[-1].positions
    assert [each.first_seed for each in others.files][:2] == [5 << 40, (5 << 40) + 4]


def test_weights_and_seeds_change_the_games(generation: Generation, tmp_path: Path) -> None:
    weights = FitCore().file()
    learned = SelfPlay(sha256(weights), nodes=40, seed=5, games=4)
    digests = {generation.files[0].sha256}
    packed = lzma.compress(weights, preset=0)
    digests.add(generate(tmp_path / "a", learned, packed, 1, locally(1)).files[0].sha256)
    digests.add(generate(tmp_path / "b", SelfPlay(HAND_MADE, 40, 6, 4), None, 1, locally(1)).files[0].sha256)
    assert len(digests) == 3
    with pytest.raises(ValueError, match="not those of the recipe"):
        generate(tmp_path / "c", learned, None, 1, locally(1))


def test_a_generation_is_gone_on_from_and_repaired(generation: Generation, tmp_path: Path) -> None:
    folder = tmp_path / "g"
    generate(folder, QUICK, None, 700, locally(1))
    first = folder / "00000.bin"
    whole = first.read_bytes()
    first.write_bytes(whole[:-32])
    (folder / "00001.bin").unlink()
    with pytest.raises(LabError, match="damaged"):
        Generation.open(folder).read(Generation.open(folder).files[0])
    played: list[int] = []
    again = generate(folder, QUICK, None, 900, locally(1), lambda _, file: played.append(file.number) if file else None)
    assert first.read_bytes() == whole
    assert played[:2] == [0, 1]
    assert again.digest() == Generation.open(folder).digest() == generation.digest()
    assert len(generate(folder, QUICK, None, 1, locally(1)).files) < len(again.files)


def test_what_cannot_be_gone_on_from(generation: Generation, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="nodes 40, now 41") as other:
        generate(generation.folder, SelfPlay(HAND_MADE, nodes=41, seed=5, games=4), None, 900, locally(1))
    assert other.value.code == "other_recipe"
    with held(generation.folder), pytest.raises(LabError, match="Another process"):
        generate(generation.folder, QUICK, None, 900, locally(1))
    with pytest.raises(LabError, match="no generation"):
        Generation.open(tmp_path)
    for text in ("[]", "{", '{"damier lab generation": 1}', '{"damier lab generation": 2, "files": []}'):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(LabError):
            Generation.open(tmp_path)
    with pytest.raises(ValueError, match="seed"):
        SelfPlay(HAND_MADE, seed=1 << 24)


def test_what_are_no_samples() -> None:
    good = np.zeros(1, SAMPLE)
    for name, value in (("result", 2), ("turn", 2), ("kings", 1)):
        bad = good.copy()
        bad[name] = value
        with pytest.raises(LabError, match="no samples"):
            samples_of(bad.tobytes())
    with pytest.raises(LabError, match="no samples"):
        samples_of(good.tobytes()[:-1])


def test_a_cluster_plays_the_same(generation: Generation, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        there = generate(tmp_path / "g", QUICK, None, 900, on_dask(cluster.scheduler_address))
    assert there.digest() == generation.digest()


def test_without_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="the package distributed is not installed")
    monkeypatch.setattr(work, "_PATIENCE", "0.3s")
    with pytest.raises(LabError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        generate(tmp_path / "g", QUICK, None, 900, on_dask("tcp://127.0.0.1:1"))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(LabError, match=r"damier\[cluster\]"):
        generate(tmp_path / "g", QUICK, None, 900, on_dask("tcp://127.0.0.1:1"))


# --- Fits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", [1, 64])
def test_samples_are_shuffled_and_whole_games_held_back(tmp_path: Path, memory: int) -> None:
    made = made_up(tmp_path / "generation-0", 3, 400)
    shuffled = Shuffled.make(tmp_path / "samples", [made], 1, memory)
    assert shuffled.parts == (1 if memory == 64 else 2)
    assert (shuffled.learned, shuffled.tested) == (12000 - 12000 // TEST_SHARE, 12000 // TEST_SHARE)
    everything = Counter(bytes(each) for file in made.files for each in samples_of(made.read(file)))
    orders: list[list[bytes]] = []
    for epoch in (1, 2):
        learned = [bytes(each) for data in shuffled.epoch(epoch) for each in samples_of(data)]
        tested = [bytes(each) for data in shuffled.tests() for each in samples_of(data)]
        assert Counter(learned) + Counter(tested) == everything
        orders.append(learned)
    assert orders[0] != orders[1]
    again = [bytes(each) for data in shuffled.epoch(1) for each in samples_of(data)]
    assert again == orders[0]
    games = samples_of(b"".join(shuffled.tests()))
    assert sorted(Counter(games["ply"].tolist()).items()) == [(ply, 60) for ply in range(0, 20, 2)]
    # neighbours come from everywhere: their places in the source are as far apart as chance has them, a third of all
    scores = samples_of(b"".join(orders[0]))["score"].astype(int)
    assert 200 < float(np.abs(np.diff(scores)).mean()) < 330


def test_a_fit_learns_what_wins_and_is_gone_on_from(tmp_path: Path) -> None:
    made = made_up(tmp_path / "generation-0", 2, 50)
    recipe = FitRecipe(epochs=2, results=1.0)
    whole = fit(tmp_path / "whole", [made], recipe)
    assert [each.epoch for each in whole] == [1, 2]
    assert whole[1].tested < whole[0].learned < 0.7
    assert whole[0].tested == whole[0].results
    assert [round(each.rate, 4) for each in whole] == [0.009, 0.003]
    evaluation = read_evaluation(tmp_path / "whole" / "weights.xz")
    assert evaluation.value(Board("W:W46-50:B1-3")) > 100 > -100 > evaluation.value(Board("B:W46-50:B1-3"))

    class Killed(Exception):
        pass

    def told(log: Any) -> None:
        if log.epoch == 1:
            raise Killed

    with pytest.raises(Killed):
        fit(tmp_path / "broken", [made], recipe, told=told)
    with (tmp_path / "broken" / "log.jsonl").open("a") as file:
        file.write('{"epoch": 2')
    assert fit(tmp_path / "broken", [made], recipe) == whole == read_log(tmp_path / "broken")
    assert (tmp_path / "broken" / "weights.xz").read_bytes() == (tmp_path / "whole" / "weights.xz").read_bytes()

    with pytest.raises(LabError, match="epochs") as other:
        fit(tmp_path / "broken", [made], FitRecipe(epochs=3, results=1.0))
    assert other.value.code == "other_fit"
    (tmp_path / "broken" / "checkpoint-0002.bin").write_bytes(b"nothing")
    with pytest.raises(LabError, match="damaged"):
        fit(tmp_path / "broken", [made], recipe)
    with pytest.raises(LabError, match="too few games"):
        fit(tmp_path / "few", [made_up(tmp_path / "few-games", 1, 3)], recipe)


# --- Weights at play ------------------------------------------------------------------------------------------------


def test_an_engine_with_other_weights(tmp_path: Path) -> None:
    file = tmp_path / "new.xz"
    file.write_bytes(lzma.compress(FitCore().file(), preset=0))
    board, limit = Board(), Limit(depth=7)
    bare = Engine(1, evaluation=read_evaluation(file)).search(board, limit)
    assert bare.score == Engine(1, evaluation=Evaluation(FitCore().file())).search(board, limit).score
    assert bare.nodes != Engine(1).search(board, limit).nodes
    with closing(open_player(PlayerSpec.read(f"damier:hash=1,weights={file}"), "official")) as player:
        found = player.move(board, limit, 0)
        assert (found.move, found.nodes) == (bare.best, bare.nodes)
        assert player.identity.build.endswith("+" + sha256(file.read_bytes())[:12])
    file.write_bytes(b"no weights")
    with pytest.raises(EngineError, match="holds no weights"):
        read_evaluation(file)
    with pytest.raises(MatchError, match="holds no weights"):
        open_player(PlayerSpec.read(f"damier:weights={file}"), "official")


def test_strengths_are_kept(tmp_path: Path) -> None:
    one = Strength("0", "shipped", "1 s", 200, 0.5, 0.0, -30.0, 30.0)
    other = Strength("1", "shipped", "1 s", 200, 1.0, None, 300.0, None)
    assert keep(tmp_path, one) == [one]
    keep(tmp_path, other)
    better = Strength("0", "shipped", "1 s", 400, 0.6, 70.0, 50.0, 90.0)
    assert keep(tmp_path, better) == read_strengths(tmp_path) == [other, better]
    (tmp_path / "strength.jsonl").write_text("{}\n")
    with pytest.raises(LabError, match="line 1"):
        read_strengths(tmp_path)


# --- From scores to results -----------------------------------------------------------------------------------------


def test_the_curve_behind_results_is_found() -> None:
    random = np.random.default_rng(1)
    samples = np.zeros(60_000, SAMPLE)
    samples["score"] = random.normal(0, 200, len(samples)).round()
    chances = shares(samples["score"].astype(float), 90.0, 60.0)
    assert np.allclose(chances.sum(axis=1), 1)
    draw = random.random(len(samples))
    samples["result"] = (draw > chances[:, 0]).astype(int) + (draw > chances[:, 0] + chances[:, 1]) - 1
    counts = count([samples[:10_000], samples[10_000:]])
    found = calibrate(counts)
    assert (found.margin, found.spread) == pytest.approx((90, 60), rel=0.03)
    assert found.positions == len(samples)

    def loss(margin: float, spread: float) -> float:
        chance = shares(samples["score"].astype(float), margin, spread)
        return -float(np.log(chance[np.arange(len(samples)), samples["result"].astype(int) + 1]).mean())

    assert found.loss == pytest.approx(loss(found.margin, found.spread))
    for margin, spread in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99)):
        assert loss(found.margin * margin, found.spread * spread) > found.loss


def test_no_curve() -> None:
    for results in ([[0, 5, 0]] * 3, [[1, 0, 1]] * 3, [[1, 1, 1]], []):
        scores = np.arange(len(results), dtype=float)
        with pytest.raises(LabError, match="cannot be fitted"):
            calibrate(Counts(scores, np.array(results, float).reshape(-1, 3)))


def test_what_a_score_means_in_results() -> None:
    values = [-5000, -300, -1, 0, 1, 300, 5000]
    of_curve = shares(np.array(values, float), DRAW_MARGIN, WIN_SPREAD)
    for value, (loss, draw, win) in zip(values, of_curve.tolist(), strict=True):
        found = Score.centi(value).wdl
        assert found == pytest.approx((win, draw, loss))
        assert sum(found) == pytest.approx(1)
        assert (-Score.centi(value)).wdl == pytest.approx((loss, draw, win))
    wins = [Score.centi(value).wdl.win for value in values]
    assert wins == sorted(wins)
    assert Score.win(5).wdl.win == Score.table_win().wdl.win == Score.loss(4).wdl.loss == 1
    assert json.dumps(Score.loss(4).wdl) == "[0.0, 0.0, 1.0]"

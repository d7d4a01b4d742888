"""The beginner's guide: every step does what its text says, and what somebody has done is kept."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest

from damier import Board, Color
from damier.clock import TimeControl
from damier.errors import DamierError
from damier.events import FlagFallen, MoveMade
from damier.explain import Explainer
from damier.game import Game
from damier.i18n import LANGUAGES, translator
from damier.lines import RAYS
from damier.record import Player
from damier.server.guide.steps import CHAPTERS, STEPS, neighbours
from damier.server.guide.tasks import Choose, Draws, Gains, Play, Safe, Takes, Touch, WholeGame, judge, way
from damier.server.guide.web import LONGEST_ANSWER
from tests.server.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    from damier.server.guide.step import Step
    from tests.server.conftest import Person

ANSWERED = [slug for slug, step in STEPS.items() if not isinstance(step.task, WholeGame)]
PLAYED = [slug for slug, step in STEPS.items() if isinstance(step.task, Play)]

# The first moves that lead to what is asked; of all others the text says that they do not. "…": every legal one.
RIGHT: dict[str, str] = {
    "first-move": "…",
    "capture": "33x22",
    "compulsory": "31x22",
    "backward": "23x34",
    "several": "37x28",
    "longest": "37x19",
    "choice": "27x29",
    "promotion": "14-9 14-10",
    "king-moves": "47-15",
    "king-captures": "47x15 47x20",
    "landing": "46x5 46x10 46x23",
    "king-turns": "…",
    "passing-through": "21x23",
    "coup-turc": "29-23",
    "exchange": "32-27",
    "shot": "34-29",
    "second-shot": "40-34",
    "opposition": "43-39",
    "blocked": "30-25",
    "three-against-one": "38-32",
    "main-road": "42-37",
}


def play_of(step: Step) -> Play:
    assert isinstance(step.task, Play)
    return step.task


# --- What the steps say is so ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", ANSWERED)
def test_the_model_answer_solves_the_step_and_not_before_its_end(slug: str) -> None:
    step = STEPS[slug]
    assert judge(step.task, step.fen, step.model).state == "solved"
    for length in range(1, len(step.model)):
        assert judge(step.task, step.fen, step.model[:length]).state == "on"
    with pytest.raises(DamierError):
        judge(
            step.task, step.fen, (*step.model, step.model[-1], step.model[-1]) if isinstance(step.task, Play) else ["x"]
        )


@pytest.mark.parametrize("slug", PLAYED)
def test_every_reply_is_met(slug: str) -> None:
    """:func:`way` tries all of them; a draw by repetition is reached against the replies that are written down."""
    step = STEPS[slug]
    line = way(play_of(step), step.fen)
    assert line is not None
    assert len(line[::2]) == len(step.model)


@pytest.mark.parametrize("slug", [slug for slug in PLAYED if slug != "repetition"])
def test_these_first_moves_are_right_and_no_others(slug: str) -> None:
    step, board = STEPS[slug], Board(STEPS[slug].fen)
    states = {str(move): judge(step.task, step.fen, [board.notation(move)]).state for move in board.legal_moves}
    right = {text for text, state in states.items() if state != "missed"}
    assert right == (set(states) if RIGHT[slug] == "…" else set(RIGHT[slug].split()))
    assert bool(step.otherwise) == (right != set(states)), "a wrong move is answered, and there is one"


def test_the_longest_capture_takes_four_and_others_two_and_three() -> None:
    board = Board(STEPS["longest"].fen)
    explainer = Explainer(board)
    lengths = {square: len(explainer.captures(square, in_passing=False).layers) - 1 for square in explainer.own}
    assert sorted(lengths.values()) == [0, 2, 3, 4]
    assert len(board.legal_moves) == 1


@pytest.mark.parametrize(
    ("slug", "pieces"), [("several", 3), ("longest", 4), ("king-turns", 4), ("passing-through", 4)]
)
def test_captures_take_as_many_as_the_text_says(slug: str, pieces: int) -> None:
    step = STEPS[slug]
    assert play_of(step).aim == Takes(pieces)
    assert {len(move.captured) for move in Board(step.fen).legal_moves} == {pieces}


def test_the_choice_is_between_equals() -> None:
    moves = Board(STEPS["choice"].fen).legal_moves
    assert [len(move.captured) for move in moves] == [2, 2]
    assert play_of(STEPS["choice"]).aim == Safe()


def test_the_man_passes_the_far_row_and_stays_a_man() -> None:
    [move] = Board(STEPS["passing-through"].fen).legal_moves
    assert 3 in move.paths[0][1:-1]
    assert not move.crowned


def test_the_king_stops_before_what_it_has_captured() -> None:
    board = Board(STEPS["jumped-once"].fen)
    [move] = board.legal_moves
    assert (move.paths, move.captured) == (((49, 27, 18, 29, 40),), (22, 23, 34, 38))
    assert STEPS["jumped-once"].task == Touch((40,))
    # were they lifted at once, it would go on over 12
    ray = next(ray for ray in RAYS[40] if 12 in ray)
    before = ray[: ray.index(12)]
    assert {34, 23} <= set(before)
    board.push(move)
    assert not any(board[square] for square in before)
    assert board[ray[ray.index(12) + 1]] is None
    turc = STEPS["coup-turc"]
    assert judge(turc.task, turc.fen, ["29-23"]).moves == ("29-23", "49x40")


@pytest.mark.parametrize(("slug", "given", "taken"), [("exchange", 1, 1), ("shot", 1, 3), ("second-shot", 2, 4)])
def test_shots_cost_and_win_what_the_text_says(slug: str, given: int, taken: int) -> None:
    step = STEPS[slug]
    board = Board(step.fen)
    before = [len(board.pieces(color)) for color in Color]
    for text in judge(step.task, step.fen, step.model).moves:
        assert board.turn is Color.WHITE or len(board.legal_moves) == 1, "Black has no choice"
        board.push(text)
    assert [had - len(board.pieces(color)) for color, had in zip(Color, before, strict=True)] == [given, taken]
    assert isinstance(play_of(step).aim, Gains)
    assert not any(move.is_capture for move in board.legal_moves)


def test_the_blocked_side_has_its_men_still() -> None:
    board = Board(STEPS["blocked"].fen)
    board.push("30-25")
    assert (len(board.pieces(Color.BLACK)), board.legal_moves) == (2, [])


@pytest.mark.parametrize("there", [*itertools.product((46, 41, 23, 19, 10, 5), repeat=2)])
def test_the_position_stands_three_times(there: tuple[int, int]) -> None:
    step = STEPS["repetition"]
    assert isinstance(play_of(step).aim, Draws)
    answer = [text for square in there for text in (f"37-{square}", f"{square}-37")]
    states: list[str] = []
    for length in range(1, 5):
        states.append(judge(step.task, step.fen, answer[:length]).state)
        if states[-1] != "on":
            break
    assert states[-1] == ("missed" if 23 in there else "solved"), "on 23 one of the three takes it"


def test_time_decides_before_the_board() -> None:
    step = STEPS["clock"]
    players = Player("guest", id="anna"), Player("guest", id="ben")
    game = Game.start(
        "official", step.fen, white=players[0], black=players[1], clock=TimeControl.fischer(60, 0), at=0.0
    )
    game = game.apply(MoveMade(28, 32), at=1.0, by=Color.WHITE).apply(MoveMade(6, 11), at=2.0, by=Color.BLACK)
    ended = game.apply(FlagFallen(), at=1000.0, by=None)
    assert ended.result is not None
    assert ended.result.winner is Color.BLACK
    assert isinstance(step.task, Choose)
    assert step.task.options[step.task.right] == "Black"


def test_touching_and_choosing_can_be_wrong() -> None:
    for slug in ANSWERED:
        step = STEPS[slug]
        match step.task:
            case Touch(squares):
                for square in set(range(1, 51)) - set(squares):
                    assert judge(step.task, step.fen, [str(square)]).state == "missed"
            case Choose(options, right):
                assert [judge(step.task, step.fen, [str(n)]).state for n in range(len(options))] == [
                    "solved" if n == right else "missed" for n in range(len(options))
                ]
            case _:
                pass


def test_the_two_men_in_the_box_complete_the_start_position() -> None:
    board, start = Board(STEPS["setting-up"].fen), Board()
    for color, missing in ((Color.BLACK, 13), (Color.WHITE, 38)):
        assert set(start.pieces(color)) - set(board.pieces(color)) == {missing}


def test_the_texts_name_the_same_squares_in_every_language() -> None:
    for step in STEPS.values():
        for text in (*step.text, step.ask, *step.hints, step.learned, step.otherwise):
            numbers = sorted(re.findall(r"\d+", text))
            for language in LANGUAGES:
                said = translator(language).gettext(text) if text else ""
                assert sorted(re.findall(r"\d+", said)) == numbers, (language, text)


def test_the_steps_follow_one_another() -> None:
    order = [step.slug for chapter in CHAPTERS for step in chapter.steps]
    assert order == list(STEPS)
    assert len(order) == len(set(order)) == 27
    for before, after in itertools.pairwise(order):
        following, preceding = neighbours(before)[1], neighbours(after)[0]
        assert following is STEPS[after]
        assert preceding is STEPS[before]
    assert isinstance(STEPS[order[-1]].task, WholeGame)


# --- The pages -------------------------------------------------------------------------------------------------------


def answer(person: Person, slug: str, *texts: str) -> httpx.Response:
    return person.post(f"/guide/{slug}/answer", answer=" ".join(texts))


def progress(person: Person) -> str:
    found = re.search(r"\d+ of \d+ steps done", person.http.get("/guide").text)
    assert found
    return found[0]


@pytest.mark.parametrize("slug", STEPS)
def test_a_page_can_be_read_without_script(person: Person, slug: str) -> None:
    step, page = STEPS[slug], person.http.get(f"/guide/{slug}").text
    for text in (*step.text, step.ask, step.title):
        assert text.replace("'", "&#39;") in page
    assert "<noscript><svg" in page
    if step.model:
        details = page.split("<details>")[1].split("</details>")[0]
        assert step.learned.replace("'", "&#39;") in details


def test_every_step_is_judged_and_kept_for_a_guest(people: Callable[..., Person]) -> None:
    person, other = people(), people()
    assert progress(person) == "0 of 27 steps done"
    for number, slug in enumerate(ANSWERED, 1):
        said = answer(person, slug, *STEPS[slug].model).json()
        assert (said["state"], said["says"]) == ("solved", STEPS[slug].learned)
        if number in {1, len(ANSWERED)}:
            answer(person, slug, *STEPS[slug].model)
            assert progress(person) == f"{number} of 27 steps done"
    assert progress(other) == "0 of 27 steps done"
    person.join("Scholar")
    assert progress(person) == "26 of 27 steps done", "the guest's steps are the member's"


def test_the_last_step_is_a_whole_game(people: Callable[..., Person]) -> None:
    person = people()
    assert "Well done" not in person.http.get("/guide").text
    for slug in ANSWERED:
        answer(person, slug, *STEPS[slug].model)
    page = person.http.get("/guide/first-game").text
    assert 'name="level" value="1"' in page
    game = person.new_game(level=1)
    assert progress(person) == "26 of 27 steps done"
    with person.sit(game) as table:
        table.until_own_turn()
        table.move()
        table.until_own_turn()
        table.ask("resign")
    wait_for(lambda: "Well done" in person.http.get("/guide").text)


def test_what_does_not_solve_a_step_is_answered_and_not_kept(people: Callable[..., Person]) -> None:
    person = people()
    short = answer(person, "choice", "28x10").json()
    assert (short["state"], short["says"]) == ("missed", STEPS["choice"].otherwise)
    touched = answer(person, "board", "27").json()
    assert (touched["state"], touched["squares"]) == ("missed", [])
    assert touched["says"].startswith("That is 27. ")
    begun = answer(person, "shot", "34-29").json()
    assert (begun["state"], begun["moves"]) == ("on", ["34-29", "23x34"])
    assert progress(person) == "0 of 27 steps done"


def test_a_newcomer_is_shown_the_way_to_the_guide(people: Callable[..., Person]) -> None:
    person = people()
    line = "New to draughts?"
    assert line in person.http.get("/").text
    person.new_game()
    assert line not in person.http.get("/").text


@pytest.mark.parametrize(
    ("slug", "given", "status"),
    [
        ("castling", "32-28", 404),
        ("shot", "", 400),
        ("shot", "32-28", 400),
        ("shot", "34-29 32x3 37-31", 400),
        ("shot", "34-29 " * 100, 400),
        ("capture", "33x22 22-17", 400),
        ("shot", "32-27 37-31", 400),
        ("board", "twenty", 400),
        ("clock", "3", 400),
        ("clock", "-1", 400),
        ("clock", "1 1", 400),
        ("first-game", "32-28", 400),
        ("shot", "x" * (LONGEST_ANSWER + 1), 400),
    ],
)
def test_what_is_no_answer_is_refused(person: Person, slug: str, given: str, status: int) -> None:
    assert answer(person, slug, given).status_code == status
    assert progress(person) == "0 of 27 steps done"


def test_answers_come_by_the_page_s_own_form_and_not_without_end(own_server_person: Person) -> None:
    person = own_server_person
    token = person.csrf_token()
    assert person.http.post("/guide/board/answer", data={"answer": "28"}).status_code == 403
    fields = {"answer": "28", "_csrf_token": token}
    states = [person.http.post("/guide/board/answer", data=fields).status_code for _ in range(100)]
    assert states[0] == 200
    assert states[-1] == 429

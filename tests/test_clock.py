"""Time controls and clocks: PDN both ways, what a move costs and earns, flags, and that time never grows by itself."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from damier import Color
from damier.clock import BadTimeControl, Clock, Stage, TimeControl

WHITE, BLACK = Color.WHITE, Color.BLACK


# --- PDN ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("-", TimeControl.none()),
        ("3600", TimeControl.sudden_death(3600)),
        ("4800+60", TimeControl.fischer(4800, 60)),
        ("0+5", TimeControl.fischer(0, 5)),
        ("300d3", TimeControl.bronstein(300, 3)),
        ("40/7200", TimeControl.sessions(Stage(7200, moves=40))),
        ("40/7200:3600", TimeControl.sessions(Stage(7200, moves=40), Stage(3600))),
        (
            "50/7200:20/3600:900+30",
            TimeControl.sessions(Stage(7200, moves=50), Stage(3600, moves=20), Stage(900, increment=30)),
        ),
        ("1/259200", TimeControl.correspondence(3)),
        ("*120", TimeControl(hourglass=120)),
    ],
)
def test_a_time_control_is_read_and_written(text: str, control: TimeControl) -> None:
    assert TimeControl.from_pdn(text) == control
    assert control.to_pdn() == str(control) == text
    assert bool(control) == (text != "-")


@pytest.mark.parametrize(
    ("text", "same_as"),
    [("300+0", "300"), (" 180+2 ", "180+2"), ("40/7200 : 3600", "40/7200:3600"), ("0300", "300"), ("300d0", "300")],
)
def test_other_ways_to_write_the_same(text: str, same_as: str) -> None:
    control = TimeControl.from_pdn(text)
    assert control is not None
    assert control.to_pdn() == same_as


@pytest.mark.parametrize("text", ["?", "", "  "])
def test_an_unknown_time_control_is_none_at_all(text: str) -> None:
    assert TimeControl.from_pdn(text) is None


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("1h", "1h"),
        ("3 d/5", "3 d/5"),
        ("40/7200:", "40/7200:"),
        ("40/7200:1h", "1h"),
        ("40/", "40/"),
        ("-5", "-5"),
        ("300+-5", "300+-5"),
        ("300.5", "300.5"),
        ("0", "0"),
        ("0/300", "0/300"),
        ("*0", "*0"),
        ("*120:300", "*120"),
        ("3600:40/7200", "3600:40/7200"),
        ("٣٠٠", "٣٠٠"),
        ("1" * 5000, "1" * 5000),
    ],
)
def test_what_has_no_clear_meaning_is_refused_with_its_part(text: str, token: str) -> None:
    with pytest.raises(BadTimeControl) as refused:
        TimeControl.from_pdn(text)
    assert (refused.value.text, refused.value.token) == (text, token)
    assert len(str(refused.value)) < 200
    for language in ("nl", "fr", "de", "en"):
        assert refused.value.sentence(language)


@pytest.mark.parametrize(
    ("stages", "days", "hourglass"),
    [
        ((Stage(60),), 1, 0),
        ((Stage(60),), 0, 60),
        ((), 1, 60),
        ((), -1, 0),
        ((), 0, -1),
        ((), True, 0),
        ((), 20_000, 0),
        ((), 0, 10**9),
        ((Stage(86_400, moves=1),), 0, 0),
        ((Stage(60), Stage(60)), 0, 0),
    ],
)
def test_no_time_control_contradicts_itself(stages: tuple[Stage, ...], days: int, hourglass: int) -> None:
    with pytest.raises(BadTimeControl):
        TimeControl(stages, days, hourglass)


def test_no_stage_contradicts_itself() -> None:
    for seconds, moves, increment, delay in (
        (0, None, 0, 0),
        (-1, None, 0, 0),
        (60, 0, 0, 0),
        (60, None, 1, 1),
        (10**9, None, 0, 0),
        (60, None, 0, -1),
    ):
        with pytest.raises(BadTimeControl):
            Stage(seconds, moves, increment, delay)
    with pytest.raises(BadTimeControl):
        TimeControl.sudden_death(0.5)  # pyright: ignore[reportArgumentType]


def stages(*, moves: bool) -> st.SearchStrategy[Stage]:
    extras = st.one_of(
        st.just((0, 0)), st.tuples(st.integers(1, 99), st.just(0)), st.tuples(st.just(0), st.integers(1, 99))
    )
    return st.builds(
        lambda seconds, count, extra: Stage(seconds, count, *extra),
        st.integers(1, 99_999),
        st.integers(1, 60) if moves else st.none() | st.integers(1, 60),
        extras,
    )


@st.composite
def controls(draw: st.DrawFn) -> TimeControl:
    kind = draw(st.sampled_from(["none", "stages", "days", "hourglass"]))
    if kind == "none":
        return TimeControl.none()
    if kind == "days":
        return TimeControl.correspondence(draw(st.integers(1, 30)))
    if kind == "hourglass":
        return TimeControl(hourglass=draw(st.integers(1, 999)))
    parts = (*draw(st.lists(stages(moves=True), max_size=3)), draw(stages(moves=False)))
    assume(len(parts) > 1 or parts[0].moves != 1)
    return TimeControl.sessions(*parts)


@given(controls())
def test_what_is_written_is_read_as_the_same(control: TimeControl) -> None:
    assert TimeControl.from_pdn(control.to_pdn()) == control


@given(st.text("0123456789/+d:*-? ", max_size=20) | st.text(max_size=8))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        control = TimeControl.from_pdn(text)
    except BadTimeControl:
        return
    assert control is None or TimeControl.from_pdn(control.to_pdn()) == control


# --- Clocks -------------------------------------------------------------------------------------------------------


def running(text: str, at: float = 0.0) -> Clock:
    control = TimeControl.from_pdn(text)
    assert control is not None
    return Clock.of(control).started(WHITE, at)


def left(clock: Clock) -> tuple[float, float]:
    """Both sides' seconds, of a clock that has just been changed."""
    at = clock.since / 1000
    return clock.remaining(WHITE, at), clock.remaining(BLACK, at)


def test_there_is_no_clock_without_time() -> None:
    with pytest.raises(ValueError, match="no clock"):
        Clock.of(TimeControl.none())


def test_sudden_death_only_runs_down() -> None:
    clock = running("60", at=1000.0)
    assert clock.remaining(WHITE, 1010.0) == 50
    assert clock.remaining(BLACK, 1010.0) == 60
    clock = clock.moved(1010.0).moved(1015.5)
    assert (left(clock), clock.running, clock.moves) == ((50, 54.5), WHITE, (1, 1))
    assert clock.falls_at == 1065.5


def test_fischer_adds_after_each_move() -> None:
    assert left(running("60+5").moved(2.0).moved(12.0)) == (63, 55)


def test_a_game_of_increments_only_begins_with_one() -> None:
    clock = running("0+5")
    assert left(clock) == (5, 5)
    assert left(clock.moved(2.0)) == (8, 5)
    assert left(running("0d3")) == (3, 3)


def test_bronstein_gives_back_what_a_move_took_but_no_more() -> None:
    clock = running("60d5").moved(3.0)
    assert left(clock) == (60, 60)
    assert left(clock.moved(11.0)) == (60, 57)


def test_bronstein_does_not_save_a_fallen_flag() -> None:
    clock = running("4d5")
    assert clock.fallen(4.0) is WHITE
    with pytest.raises(ValueError, match="before this move"):
        clock.moved(4.5)


def test_sessions_add_their_time_after_their_last_move() -> None:
    clock = running("2/100:1/50:30+5")
    times = [left(clock := clock.moved(at))[0] for at in (10.0, 10.0, 20.0, 20.0, 30.0, 30.0, 40.0)]
    # the first two moves of ten seconds, then 50 more; the third, then 30 more; from the fourth on 5 a move
    assert times == [90, 90, 130, 130, 150, 150, 145]
    assert left(clock) == (145, 180)


def test_a_last_session_for_a_number_of_moves_repeats() -> None:
    clock = running("2/100:1/50")
    times = [left(clock := clock.moved(0.0))[0] for _ in range(8)]
    assert times == [100, 100, 150, 150, 200, 200, 250, 250]
    assert [TimeControl.sessions(Stage(60, moves=3)).earned(move, 0) for move in range(1, 7)] == [
        0,
        0,
        60_000,
        0,
        0,
        60_000,
    ]


def test_correspondence_gives_each_move_its_days() -> None:
    day = 86_400.0
    clock = running("1/172800").moved(1.5 * day)
    assert left(clock) == (2 * day, 2 * day)
    assert clock.fallen(3.4 * day) is None
    assert clock.fallen(3.5 * day) is BLACK


def test_an_hourglass_gives_the_opponent_what_is_used() -> None:
    clock = running("*60")
    assert (clock.remaining(WHITE, 20.0), clock.remaining(BLACK, 20.0)) == (40, 80)
    assert (clock.remaining(WHITE, 99.0), clock.remaining(BLACK, 99.0)) == (0, 120)
    assert left(clock.moved(20.0).moved(50.0)) == (70, 50)


def test_the_flag_falls_at_the_moment_at_which_the_time_is_used_up() -> None:
    clock = running("60")
    assert clock.fallen(59.999) is None
    assert clock.moved(59.999).remaining(WHITE, 60.0) == 0.001
    assert clock.fallen(60.0) is WHITE
    assert clock.remaining(WHITE, 61.0) == 0


def test_the_way_of_a_move_costs_its_side_nothing_and_the_other_neither() -> None:
    clock = running("60+5").moved(10.0, lag=400)
    assert (left(clock), clock.since, clock.used) == ((55.4, 60), 10_000, (9_600, 0))
    assert left(running("60").moved(0.2, lag=500)) == (60, 60), "no time is won by it"
    assert left(running("60d5").moved(6.0, lag=500)) == (59.5, 60)


def test_a_move_that_was_made_before_the_flag_fell_is_in_time() -> None:
    clock = running("60")
    assert clock.fallen(60.4) is clock.fallen(60.4, lag=400) is WHITE
    assert clock.fallen(60.4, lag=401) is None
    assert left(clock.moved(60.4, lag=401)) == (0.001, 60)
    with pytest.raises(ValueError, match="before this move"):
        clock.moved(60.4, lag=400)


def test_a_stopped_clock_uses_no_time() -> None:
    clock = running("60").stopped(10.0)
    assert (clock.running, clock.falls_at, clock.fallen(1e9)) == (None, None, None)
    assert clock.remaining(WHITE, 1e9) == 50
    assert clock.stopped(20.0) == clock
    assert clock.started(WHITE, 1e9).remaining(WHITE, 1e9 + 1) == 49


def test_a_clock_is_started_once_and_moved_only_when_it_runs() -> None:
    clock = running("60")
    with pytest.raises(ValueError, match="running"):
        clock.started(BLACK, 1.0)
    with pytest.raises(ValueError, match="stands still"):
        clock.stopped(1.0).moved(2.0)


def test_a_move_while_the_clock_stands_still_costs_nothing() -> None:
    clock = Clock.of(TimeControl.fischer(60, 5)).moved_untimed(WHITE)
    assert (clock.running, clock.moves, left(clock)) == (None, (1, 0), (65, 60))


def test_a_moment_before_the_clock_ran_gives_no_more_time() -> None:
    clock = running("60", at=100.0)
    assert clock.remaining(WHITE, 90.0) == 60
    assert left(clock.moved(90.0)) == (60, 60)


def test_only_a_text_is_read_as_a_time_control() -> None:
    for wrong in (5, None, b"300"):
        with pytest.raises(TypeError, match="is read from a text"):
            TimeControl.from_pdn(wrong)  # pyright: ignore[reportArgumentType]


def test_time_is_given() -> None:
    assert left(running("60").added(BLACK, 15)) == (60, 75)


def test_moves_taken_back_keep_what_they_used_and_lose_what_they_earned() -> None:
    start = running("60+5")
    clock = start.moved(2.0).moved(12.0)
    assert left(clock) == (63, 55)
    back = clock.taken_back(start, 14.0)
    assert (back.white, back.black, back.running, back.moves) == (56_000, 50_000, None, (0, 0))
    again = back.started(WHITE, 14.0).moved(15.0).taken_back(start, 15.5)
    assert left(again) == (55, 49.5)
    days = running("1/86400")
    assert left(days.moved(80_000.0).taken_back(days, 160_000.0)) == (86_400, 86_400)
    glass = running("*60")
    assert left(glass.moved(20.0).taken_back(glass, 30.0)) == (40, 50)


@pytest.mark.parametrize("control", ["300+5", "300d5", "1/300:1/10:5", "*300"])
def test_a_move_taken_back_gives_back_nothing_of_what_it_used(control: str) -> None:
    start = clock = running(control)
    for round_ in range(10):
        clock = clock.moved(15.0 * round_ + 10).taken_back(start, 15.0 * round_ + 15).started(WHITE, 15.0 * round_ + 15)
    assert left(clock) == (200, 250)


def test_more_time_than_there_was_leaves_none() -> None:
    start = running("10d5")
    assert left(start.moved(5.0).moved(6.0).moved(15.0).taken_back(start, 16.0)) == (0, 8)


@given(
    controls().filter(bool),
    st.lists(st.tuples(st.floats(0, 200), st.just(0) | st.integers(0, 1000)), max_size=60),
    st.floats(-1e10, 1e10),
)
def test_time_never_grows_by_itself(control: TimeControl, spans: list[tuple[float, int]], at: float) -> None:
    """Only a move adds time, and only what the control says; an hourglass's sand is never more.

    And no way through the network takes time from who did not move, or gives more than the move has taken.
    """
    clock = Clock.of(control).started(WHITE, at)
    for span, lag in spans:
        before, later = (clock.remaining(color, at) for color in Color), at + span
        white, black = before
        now_white, now_black = clock.remaining(WHITE, later), clock.remaining(BLACK, later)
        if control.hourglass:
            assert now_white + now_black == pytest.approx(2 * control.hourglass)
        else:
            assert now_white <= white
            assert now_black <= black
        assert clock.stopped(later).remaining(WHITE, later) == now_white
        assert clock.stopped(later).remaining(BLACK, later) == now_black
        if clock.fallen(later, lag):
            assert clock.falls_at is not None
            assert clock.falls_at <= later - lag / 1000 + 0.001
            return
        mover = clock.running
        assert mover is not None
        moved = clock.moved(later, lag)
        assert moved.running is mover.opponent
        assert moved.remaining(mover, later) > 0
        credited = min(lag / 1000, span)
        grown = moved.remaining(mover, later) - clock.remaining(mover, later)
        most = max((stage.increment + stage.delay + stage.seconds for stage in control.stages), default=0)
        if not control.days:
            assert -0.001 <= grown <= 2 * most + credited + 0.001
        lost = clock.remaining(mover.opponent, later) - moved.remaining(mover.opponent, later)
        if control.hourglass:
            assert -0.001 <= lost <= credited + 0.001  # the sand that has not run
        else:
            assert lost == 0
        clock, at = moved, later

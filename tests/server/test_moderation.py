"""What moderators do, and take back: who may, what changes in every process, and what is as it was afterwards."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import DBAPIError

from damier import TimeControl
from damier.errors import DamierError
from damier.events import Resigned
from damier.record import Player
from damier.rules import OFFICIAL
from damier.server.accounts.news import OF_TOKEN, ends
from damier.server.accounts.service import ClosedAccount
from damier.server.api.tokens import Tokens
from damier.server.moderation.conduct import Silenced
from damier.server.moderation.deeds import DeedError
from damier.server.moderation.reports import MOST_A_DAY, ReportError
from damier.server.moderation.subjects import WHATS, chat_subject
from damier.server.people import BadName
from damier.server.play.messages import SayMessage
from damier.server.settings import Settings
from damier.server.stats.service import Statistics
from damier.server.tables import (
    account,
    api_token,
    chat_line,
    conduct,
    deed,
    game,
    metadata,
    person,
    post,
    report,
    session,
    warning,
)
from tests.server.house import BLACK, WHITE, Seat
from tests.server.members import PASSWORD, ClubHouse, club_houses, decide, logged_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from damier.server.moderation.log import Action
    from damier.server.people import Who
    from tests.server.conftest import Person

DAY = 86_400.0


@pytest.fixture(params=["sqlite", "postgres"])
async def club(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[list[ClubHouse]]:
    """Two processes of a club: two members who play, a moderator and an administrator."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    async with club_houses(Settings(tmp_path, database=url), 2) as made:
        first = made[0]
        await first.member("anna", "Anna", joined=0.0)
        await first.member("ben", "Ben", joined=0.0)
        await first.member("mod", "Morgan", role="moderator")
        await first.member("boss", "Alex", role="administrator")
        yield made


async def who(house: ClubHouse, person_id: str) -> Who:
    return await house.people.who(person_id)


async def do(house: ClubHouse, what: Any, of: str, *actions: Action, by: str = "mod", **more: Any) -> list[int]:
    return await house.moderation.do(await who(house, by), what, of, list(actions), **more)


async def undo(house: ClubHouse, entry: int, by: str = "mod") -> int:
    return await house.moderation.undo(await who(house, by), entry)


async def everything(house: ClubHouse) -> dict[str, list[Any]]:
    """All that moderators can change, without what is told of it."""
    kept: dict[str, list[Any]] = {}
    async with house.engine.connect() as connection:
        for table in metadata.sorted_tables:
            # sessions do not come back, and what people are told is another matter
            if table in (deed, report, session, conduct, warning):
                continue
            rows = await connection.execute(select(table).order_by(*table.primary_key.columns))
            kept[table.name] = [tuple(row) for row in rows]
    return kept


async def game_with_words(house: ClubHouse) -> str:
    game_id = await house.game()
    await house.move(game_id, times=2)
    for number, (side, name) in enumerate(((WHITE, "anna"), (BLACK, "ben"), (WHITE, "anna"))):
        seat = await Seat(house, game_id, side, name).join()
        await house.rooms.say(game_id, seat.reader, SayMessage(number, "players", text=f"line {number}"))
        seat.leave()
    return game_id


async def asked(house: ClubHouse, person_id: str = "anna", title: str = "Who moves first?") -> str:
    """A question that everybody sees."""
    written = await house.forum.ask(await who(house, person_id), "rules", "en", title, "")
    async with house.engine.begin() as connection:
        await connection.execute(update(post).where(post.c.id == written.id).values(state="shown", shown=1.0))
        await connection.execute(delete(report))
    return written.id


# --- Who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "target", "may"),
    [
        ("mod", "anna", True),
        ("boss", "anna", True),
        ("boss", "mod", True),
        ("mod", "boss", False),
        ("mod", "mod", False),
        ("boss", "boss", False),
        ("anna", "ben", False),
        ("nobody", "ben", False),
    ],
)
async def test_who_may_do_what_to_whom(club: list[ClubHouse], by: str, target: str, may: bool) -> None:
    house = club[0]
    before = await everything(house)
    for action in ("warn", "silence", "rename", "close"):
        if may:
            [entry] = await do(house, "member", target, action, by=by, words="Mind your words.", days=1)
            await undo(house, entry, by)
        else:
            with pytest.raises(DeedError):
                await do(house, "member", target, action, by=by, words="Mind your words.", days=1)
    assert await everything(house) == before


async def test_nobody_judges_a_game_of_his_own_nor_an_administrators(club: list[ClubHouse]) -> None:
    house = club[0]
    game_id = await house.game()
    async with house.engine.begin() as connection:
        start = (await connection.execute(select(game.c.start).where(game.c.id == game_id))).scalar_one()
        for other in ("mod", "boss"):
            text = start.replace('"id":"ben"', f'"id":"{other}"')
            await connection.execute(update(game).where(game.c.id == game_id).values(start=text))
    with pytest.raises(DeedError):
        await do(house, "game", game_id, "annul")
    with pytest.raises(DeedError):
        await do(house, "game", game_id, "warn", person_id="boss", words="So?")


async def test_nobody_disposes_of_reports_that_concern_himself(club: list[ClubHouse]) -> None:
    house = club[0]
    own_game = await house.play.create_between(
        Player("member", "Morgan", id="mod"),
        Player("member", "Ben", id="ben"),
        OFFICIAL,
        TimeControl.fischer(300, 3),
        False,
    )
    await house.move(own_game, times=2)
    ben = await Seat(house, own_game, BLACK, "ben").join()
    await house.rooms.say(own_game, ben.reader, SayMessage(1, "players", text="a word"))
    ben.leave()
    own_post, line = await asked(house, "mod"), chat_subject(own_game, "players", 1)
    house.time.now += 60
    gone = await asked(house, "mod", "Gone")
    cases: list[tuple[Any, str]] = [
        ("member", "mod"),
        ("post", own_post),
        ("game", own_game),
        ("chat", line),
        ("post", gone),
    ]
    for what, of in cases:
        context = await house.subjects.look(what, of)
        assert context is not None
        await house.reports.file("anna", context, "other", "See for yourself.")
    async with house.engine.begin() as connection:
        await connection.execute(delete(post).where(post.c.id == gone))
    assert await house.reports.cases("mod") == []
    assert len(await house.reports.cases("boss")) == len(cases)
    for what, of in cases:
        assert await house.reports.concern("mod", what, of)
        assert not await house.reports.concern("boss", what, of)
        with pytest.raises(DeedError, match="Nobody judges"):
            await do(house, what, of, "dismiss")
        [entry] = await do(house, what, of, "dismiss", by="boss")
        if of != gone:
            with pytest.raises(DeedError, match=r"Nobody judges|administrator"):
                await undo(house, entry)
        await undo(house, entry, by="boss")
    for what, of in (("game", own_game), ("chat", line)):  # nor his opponent
        with pytest.raises(DeedError, match="Nobody judges"):
            await do(house, what, of, "silence", person_id="ben", days=1)


async def test_what_an_administrator_does_or_is_reported_for_is_for_another(club: list[ClubHouse]) -> None:
    house = club[0]
    [entry] = await do(house, "member", "anna", "close", by="boss")
    with pytest.raises(DeedError, match="administrator"):
        await undo(house, entry)
    await house.member("chief", "Robin", role="administrator")
    await undo(house, entry, by="chief")
    context = await house.subjects.look("member", "boss")
    assert context is not None
    await house.reports.file("anna", context, "insult", "")
    with pytest.raises(DeedError, match="administrator"):
        await do(house, "member", "boss", "dismiss")
    [entry] = await do(house, "member", "boss", "dismiss", by="chief")
    with pytest.raises(DeedError, match="administrator"):
        await undo(house, entry)


def test_the_page_of_ones_own_case_tells_nothing(people: Callable[..., Person]) -> None:
    keeper, other, guest = people(), people(), people()
    name = logged_in(keeper, role="moderator")
    logged_in(other, role="moderator")
    assert guest.post("/report", what="member", of=name, reason="other", words="Look here.").status_code == 200
    found = re.search(rf'of=([\w-]+)"[^>]*>[^<]*{name}', other.http.get("/moderation").text)
    assert found
    assert name not in re.findall(r"<h2>.*</h2>", keeper.http.get("/moderation").text)
    path = f"/moderation/case?what=member&of={found[1]}"
    own, others = (each.http.get(path).text for each in (keeper, other))
    assert ("Look here." in own, "Look here." in others) == (False, True)
    assert ('name="action"' in own, 'name="action"' in others) == (False, True)
    assert "Nobody judges what concerns himself" in own
    assert keeper.post("/moderation/case", what="member", of=found[1], action="dismiss").status_code == 422


async def test_what_cannot_be_done(club: list[ClubHouse]) -> None:
    house = club[0]
    game_id, question = await game_with_words(house), await asked(house)
    line = chat_subject(game_id, "players", 1)
    before = await everything(house)
    refused: tuple[tuple[str, str, tuple[Any, ...], dict[str, Any]], ...] = (
        ("member", "anna", (), {}),
        ("member", "anna", ("warn",), {}),  # no words
        ("member", "anna", ("silence",), {"days": 2}),
        ("member", "anna", ("dismiss", "warn"), {"words": "x"}),
        ("member", "anna", ("hide",), {}),
        ("member", "anna", ("annul",), {}),
        ("member", "anna", ("undo",), {}),
        ("member", "nobody", ("close",), {}),
        ("game", game_id, ("warn",), {"words": "whom?"}),
        ("game", game_id, ("warn",), {"words": "x", "person_id": "mod"}),
        ("game", game_id, ("annul",), {}),  # which is not rated
        ("post", question, ("annul",), {}),
        ("post", question, ("show", "hide"), {}),
        ("post", "nothing", ("hide",), {}),
        ("chat", f"{game_id}/players/99", ("hide",), {}),
        ("chat", f"{game_id}/kitchen/1", ("hide",), {}),
        ("chat", line, ("show",), {}),
        # of several, none is done when one cannot be
        ("chat", line, ("hide", "annul"), {}),
    )
    for what, of, actions, more in refused:
        with pytest.raises(DamierError):
            await do(house, what, of, *actions, **more)
    assert await everything(house) == before
    async with house.engine.connect() as connection:
        assert (await connection.execute(select(func.count()).select_from(deed))).scalar_one() == 0


# --- Each deed, and back ---------------------------------------------------------------------------------------------


async def test_a_line_is_hidden_before_everybodys_eyes(club: list[ClubHouse]) -> None:
    here, there = club
    game_id = await game_with_words(here)
    line = chat_subject(game_id, "players", 2)
    before = await everything(here)
    ben = await Seat(there, game_id, BLACK, "ben").join()
    await ben.until(lambda: ben.of("chat"))
    [entry] = await do(here, "chat", line, "hide")
    await ben.until(lambda: ben.of("chat_changed"))
    [changed] = ben.of("chat_changed")
    assert (changed["line"]["seq"], changed["line"]["text"]) == (2, "(removed by a moderator)")
    late = await Seat(there, game_id, WHITE, "anna").join()
    await late.until(lambda: late.of("chat"))
    assert [each["text"] for each in late.of("chat")[0]["lines"]] == ["line 0", "(removed by a moderator)", "line 2"]
    with pytest.raises(DeedError):
        await do(here, "chat", line, "hide")
    await undo(here, entry)
    await ben.until(lambda: len(ben.of("chat_changed")) == 2)
    assert ben.of("chat_changed")[1]["line"]["text"] == "line 1"
    assert await everything(here) == before
    ben.leave()
    late.leave()


async def test_a_question_is_hidden_and_back(club: list[ClubHouse]) -> None:
    house = club[0]
    question = await asked(house)
    before = await everything(house)
    [entry] = await do(house, "post", question, "hide")
    ben, anna, mod = [await who(house, each) for each in ("ben", "anna", "mod")]
    seen = [len((await house.forum.page("rules", "en", each)).questions) for each in (None, ben, anna, mod)]
    assert seen == [0, 0, 1, 1]
    with pytest.raises(DeedError):
        await do(house, "post", question, "hide")
    [again] = await do(house, "post", question, "show")
    with pytest.raises(DeedError, match="first what was done after"):
        await undo(house, entry)
    await undo(house, again)
    await undo(house, entry)
    assert await everything(house) == before


async def test_what_is_taken_back_is_in_the_queue_again(club: list[ClubHouse]) -> None:
    house = club[0]
    for action in ("show", "hide"):
        house.time.now += 60
        written = await house.forum.ask(await who(house, "anna"), "rules", "en", "Who moves first?", "")
        assert written.held
        entries = await do(house, "post", written.id, action, "warn", words="Ask once.")
        assert await house.reports.cases() == []
        await undo(house, entries[1])
        assert await house.reports.cases() == []
        await undo(house, entries[0])
        assert [each.subject for each in await house.reports.cases()] == [written.id]
        async with house.engine.connect() as connection:
            state = (await connection.execute(select(post.c.state).where(post.c.id == written.id))).scalar_one()
        assert state == "held"
        await do(house, "post", written.id, "dismiss")


async def test_a_name_goes_from_everywhere_and_comes_back(club: list[ClubHouse]) -> None:
    here, there = club
    game_id = await game_with_words(here)
    await there.play.view(game_id)
    before = await everything(here)
    [entry] = await do(here, "member", "anna", "rename")
    neutral = (await who(here, "anna")).name
    assert neutral is not None
    assert neutral.startswith("Player-")
    for house in club:
        assert (await house.play.view(game_id)).game.origin.white.name == neutral
    async with here.engine.connect() as connection:
        rows = await connection.execute(select(chat_line.c.name).where(chat_line.c.person == "anna"))
        assert set(rows.scalars()) == {neutral}
    # nobody else takes it meanwhile who is not asked
    assert (await who(here, "anna")).must_read
    with pytest.raises(BadName):
        await here.conduct.choose_name("anna", "AnnA")
    with pytest.raises(BadName):
        await here.conduct.choose_name("ben", "Somebody")
    await undo(here, entry)
    assert await everything(here) == before
    assert not (await who(here, "anna")).must_read
    for house in club:
        assert (await house.play.view(game_id)).game.origin.white.name == "Anna"
    # and when another name was chosen there is nothing to come back to
    [entry] = await do(here, "member", "anna", "rename")
    assert await here.conduct.choose_name("anna", "Annabel") == "Annabel"
    assert ((await who(here, "anna")).name, (await who(here, "anna")).must_read) == ("Annabel", False)
    with pytest.raises(DeedError):
        await undo(here, entry)


async def test_a_warning_is_read_once(club: list[ClubHouse]) -> None:
    house = club[0]
    [first] = await do(house, "member", "anna", "warn", words="Be kind.")
    [second] = await do(house, "member", "anna", "warn", words="Once more: be kind.")
    assert (await who(house, "anna")).must_read
    await undo(house, first)
    assert [each.words for each in (await house.conduct.to_read("anna")).warnings] == ["Once more: be kind."]
    assert (await who(house, "anna")).must_read
    await house.conduct.have_read("anna")
    assert not (await who(house, "anna")).must_read
    await undo(house, second)
    assert not (await who(house, "anna")).must_read


async def test_who_is_silenced_says_nothing_anywhere(club: list[ClubHouse]) -> None:
    here, there = club
    game_id, question = await game_with_words(here), await asked(here, "ben")
    [one] = await do(here, "member", "anna", "silence", days=1)
    [two] = await do(here, "member", "anna", "silence", days=7)
    seat = await Seat(there, game_id, WHITE, "anna").join()
    here.time.now += 60
    for message in (SayMessage(1, "players", text="well"), SayMessage(2, "players", preset="hello")):
        with pytest.raises(Silenced):
            await there.rooms.say(game_id, seat.reader, message)
    with pytest.raises(Silenced):
        await there.forum.answer(await who(there, "anna"), question, "en", "White.")
    assert (await there.forum.page("rules", "en", await who(there, "anna"))).asks == "silenced"
    with pytest.raises(DeedError):
        await undo(here, one)
    await undo(here, two)
    here.time.now += DAY
    await there.rooms.say(game_id, seat.reader, SayMessage(3, "players", text="well"))
    seat.leave()


async def test_a_closed_account_opens_to_nobody_and_opens_again(club: list[ClubHouse]) -> None:
    here, there = club
    tokens = Tokens(there.engine, here.time, there.bus)
    token, secret = await tokens.create("anna", "A bot", ["play"], None)
    opened = await here.accounts.log_in("Anna", PASSWORD, "Firefox")
    assert opened is not None
    heard: list[bytes] = []
    await there.bus.subscribe("person:anna", heard.append)
    before = await everything(here)
    [entry] = await do(here, "member", "anna", "close")
    assert any(ends(each, "a session") for each in heard)
    assert any(ends(each, OF_TOKEN + token.id) for each in heard)
    assert await there.accounts.person_of(opened) is None
    assert await tokens.read(secret) is None
    assert not (await who(there, "anna")).is_member
    assert await there.accounts.log_in("Anna", "something else altogether", "Firefox") is None
    for come_in in (there.accounts.log_in("Anna", PASSWORD, "Firefox"), there.accounts.begin_session("anna", "x")):
        with pytest.raises(ClosedAccount):
            await come_in
    # the name stays taken
    await there.people.keep("other")
    with pytest.raises(BadName):
        await there.people.rename("other", "Anna")
    with pytest.raises(BadName):
        await there.accounts.join("other", "Anna", PASSWORD)
    assert await there.people.member("Anna") is None
    assert await there.people.member("Anna", closed=True) is not None
    with pytest.raises(DeedError):
        await do(here, "member", "anna", "close", by="boss")
    async with here.engine.begin() as connection:
        await connection.execute(delete(person).where(person.c.id == "other"))
    await undo(here, entry)
    after = await everything(here)
    assert after == before
    assert await tokens.read(secret) is not None
    assert await there.accounts.log_in("Anna", PASSWORD, "Firefox") is not None


async def test_a_bot_is_closed_as_a_bot(club: list[ClubHouse]) -> None:
    house = club[0]
    async with house.engine.begin() as connection:
        await connection.execute(update(person).where(person.c.id == "anna").values(kind="bot"))
    [entry] = await do(house, "member", "anna", "close")
    await undo(house, entry)
    assert (await who(house, "anna")).kind == "bot"


async def test_a_rated_game_is_annulled_and_back(club: list[ClubHouse]) -> None:
    house = club[0]
    asked_for = await house.offers.challenge(
        await who(house, "anna"), await who(house, "ben"), rules=_rules(), control=_blitz(), color="white", rated=True
    )
    game_id = (await house.lobby.accept(asked_for.id, "ben")).game
    assert game_id is not None
    await house.move(game_id, times=2)
    await house.do(game_id, Resigned(), BLACK)
    await house.ratings.close()
    assert await Statistics(house.engine, house.time).take_up() == 1
    before = await everything(house)
    assert len(before["rating"]) == 2
    watcher = await Seat(club[1], game_id, None, "mod").join()
    entries = await do(house, "game", game_id, "annul", "warn", person_id="ben", words="Play in earnest.")
    await watcher.until(lambda: watcher.of("rating"))
    assert watcher.of("rating")[-1]["is_rated"] is False
    meanwhile = await everything(house)
    assert meanwhile["rating"] == meanwhile["rating_day"] == []
    await undo(house, entries[0])
    assert await everything(house) == before
    watcher.leave()


def _rules() -> Any:
    from damier.rules import OFFICIAL

    return OFFICIAL


def _blitz() -> Any:
    from damier.clock import TimeControl

    return TimeControl.fischer(300, 3)


async def test_nothing_is_taken_back_twice(club: list[ClubHouse]) -> None:
    house = club[0]
    [entry] = await do(house, "member", "anna", "silence", days=1)
    back = await undo(house, entry)
    for each in (entry, back, 99):
        with pytest.raises(DeedError):
            await undo(house, each)
    found = [(each.action, each.undone, each.undoes) for each in (await house.log.page())[0]]
    assert found == [("undo", False, "silence"), ("silence", True, None)]
    # two at once: one of them does it
    [entry] = await do(house, "member", "anna", "silence", days=1)
    both = await asyncio.gather(undo(club[0], entry), undo(club[1], entry), return_exceptions=True)
    assert sum(isinstance(each, DeedError) for each in both) == 1, both


async def test_the_log_is_changed_by_nobody(club: list[ClubHouse]) -> None:
    house = club[0]
    [entry] = await do(house, "member", "anna", "silence", days=1, words="For a day.")
    for change in (delete(deed), update(deed).values(words="Nothing."), update(deed).values(moderator="ben")):
        with pytest.raises(DBAPIError):
            async with house.engine.begin() as connection:
                await connection.execute(change)
    [kept], more = await house.log.page()
    assert (kept.id, kept.words, kept.moderator, kept.person, more) == (entry, "For a day.", "Morgan", "Anna", False)


# --- Reports ---------------------------------------------------------------------------------------------------------


async def test_a_report_keeps_what_was_there(club: list[ClubHouse]) -> None:
    house = club[0]
    game_id = await game_with_words(house)
    line = chat_subject(game_id, "players", 2)
    context = await house.subjects.look("chat", line)
    assert context is not None
    await house.reports.file("anna", context, "insult", "He calls me names.")
    await house.reports.file("anna", context, "insult", "Again.")  # which adds nothing
    await house.people.keep("guest")
    await house.reports.file("guest", context, "other", "Rude.")
    async with house.engine.begin() as connection:
        await connection.execute(update(chat_line).values(text="nothing to see"))
    [case] = await house.reports.cases()
    assert (case.what, case.subject, case.reports, dict(case.reasons)) == ("chat", line, 2, {"insult": 1, "other": 1})
    assert [(each.words, each.this) for each in case.context.lines] == [
        ("line 0", False),
        ("line 1", True),
        ("line 2", False),
    ]
    assert (case.context.game, case.context.person) == (game_id, "ben")
    assert case.context.version is not None
    assert (await who(house, "mod")).cases == 1
    assert (await who(house, "anna")).cases == 0
    [dismissed] = await do(house, "chat", line, "dismiss")
    assert await house.reports.cases() == []
    assert (await who(house, "mod")).cases == 0
    for each in ("anna", "guest"):
        assert (await who(house, each)).looked_at
        await house.conduct.have_heard(each)
        assert not (await who(house, each)).looked_at
    await undo(house, dismissed)
    assert len(await house.reports.of("chat", line)) == 2


async def test_what_cannot_be_reported(club: list[ClubHouse]) -> None:
    house = club[0]
    anna = await house.subjects.look("member", "anna")
    assert anna is not None
    with pytest.raises(ReportError):
        await house.reports.file("ben", anna, "off_topic", "")
    with pytest.raises(Exception, match="ordinary characters"):
        await house.reports.file("ben", anna, "other", " ")
    with pytest.raises(ReportError):
        await house.reports.file("anna", anna, "name", "")
    for number in range(MOST_A_DAY + 1):
        context = await house.subjects.look("game", await house.game())
        assert context is not None
        if number < MOST_A_DAY:
            await house.reports.file("ben", context, "cheating", "")
        else:
            with pytest.raises(ReportError):
                await house.reports.file("ben", context, "cheating", "")
    for what in WHATS:
        for of in ("", "nothing", "x" * 500, "a\0b", "a/players/1", "a/players/²"):
            assert await house.subjects.look(what, of) is None


# --- Leaving ---------------------------------------------------------------------------------------------------------


async def test_who_leaves_takes_along_what_says_who_that_was(club: list[ClubHouse]) -> None:
    house = club[0]
    game_id = await game_with_words(house)
    anna = await house.subjects.look("chat", chat_subject(game_id, "players", 1))
    assert anna is not None
    await house.reports.file("ben", anna, "insult", "")
    ben = await house.subjects.look("chat", chat_subject(game_id, "players", 2))
    assert ben is not None
    await house.reports.file("anna", ben, "insult", "")
    [renamed] = await do(house, "member", "anna", "rename", words="Not this name.")
    await do(house, "member", "anna", "warn", words="Be kind.")
    await house.departures.leave("anna")
    async with house.engine.connect() as connection:
        kept: list[str] = []
        for table in metadata.sorted_tables:
            rows = await connection.execute(select(table))
            kept += [json.dumps([str(value) for value in row]) for row in rows]
    assert not [each for each in kept if "Anna" in each or "Player-" in each or "line 2" in each]
    [left] = await house.reports.cases()
    assert (left.subject, [each.words for each in left.context.lines]) == (ben.subject, ["", "line 1", ""])
    with pytest.raises(DeedError):
        await undo(house, renamed)
    assert {each.action for each in (await house.log.page())[0]} == {"rename", "warn"}
    async with house.engine.connect() as connection:
        for table in (account, api_token, conduct, warning):
            rows = await connection.execute(select(table).where(table.c.person == "anna"))
            assert rows.all() == [], table.name


# --- The pages -------------------------------------------------------------------------------------------------------


def test_the_pages_are_there_for_moderators_alone(people: Callable[..., Person]) -> None:
    stranger, member, other, keeper, chief = (people() for _ in range(5))
    name = logged_in(member)
    logged_in(other)
    logged_in(keeper, role="moderator")
    logged_in(chief, role="administrator")
    for path in ("/moderation", "/moderation/log", "/moderation/case?what=member&of=x"):
        for each in (stranger, member):
            assert each.http.get(path).status_code == 404, path
    for each in (keeper, chief):
        assert each.http.get("/moderation").status_code == 200
        assert each.http.get("/moderation/log").status_code == 200
        assert "/moderation" in each.http.get("/account").text
    assert "/moderation" not in member.http.get("/account").text
    # reported by a guest, and found by the moderator
    page = stranger.http.get(f"/report?what=member&of={name}")
    assert page.status_code == 200
    assert stranger.post("/report", what="member", of=name, reason="").status_code == 422
    assert stranger.post("/report", what="member", of=name, reason="other", words=" ").status_code == 422
    assert stranger.post("/report", what="member", of=name, reason="other", words="<b>So?</b>").status_code == 200
    found = re.search(
        rf'href="/moderation/case\?what=member&amp;of=([\w-]+)"[^>]*>[^<]*{name}', keeper.http.get("/moderation").text
    )
    assert found
    case = keeper.http.get(f"/moderation/case?what=member&of={found[1]}").text
    assert "&lt;b&gt;So?&lt;/b&gt;" in case
    # nobody's pages but the one that is to be read, until it is read
    answer = decide(keeper, "member", found[1], action="warn", words="Be kind.")
    assert answer.status_code == 303
    assert member.http.get("/friends").headers["location"] == "/notice?next=/friends"
    assert member.http.get("/nl/friends").headers["location"] == "/nl/notice?next=/friends"
    assert "Be kind." in member.http.get("/notice").text
    assert member.http.get("/account/export").status_code == 200
    assert other.http.get("/friends").status_code == 200
    form = re.search(r'name="_csrf_token" value="(\w+)"', member.http.get("/notice").text)
    assert form
    member.http.post("/notice", data={"_csrf_token": form[1], "next": "https://else.example/"})
    assert member.http.get("/friends").status_code == 200
    assert "has been looked at" in stranger.http.get("/").text
    # closed: out at once, and the page says so
    assert decide(keeper, "member", found[1], action="close").status_code == 303
    assert member.http.get("/friends").status_code == 401
    assert "have closed this account" in other.http.get(f"/@/{name}").text
    refused = stranger.post("/log-in", name=name, password=PASSWORD, next="/")
    assert (refused.status_code, "have closed this account" in refused.text) == (422, True)
    for bad in (
        "what=cat&of=x",
        "what=member&of=",
        "what=chat&of=a/b",
        f"what=game&of={'x' * 130}",
        "what=post&of=%00",
    ):
        assert stranger.http.get(f"/report?{bad}").status_code in {400, 404}, bad
        assert keeper.http.get(f"/moderation/case?{bad}").status_code in {400, 404}, bad


def test_words_are_let_through_that_were_read(people: Callable[..., Person]) -> None:
    writer, keeper = people(), people()
    logged_in(writer)
    logged_in(keeper, role="moderator")
    asked = writer.post("/questions", topic="rules", title="Who moves first?", text="")
    path = asked.headers["location"].partition("?")[0]
    of = path.rpartition("/")[2]
    page = keeper.http.get(f"/moderation/case?what=post&of={of}").text
    [mark] = set(re.findall(r'name="mark" value="(\w+)"', page))
    assert writer.post(f"/questions/{of}/edit", title="Buy my book", text="").status_code == 303
    for action in ("show", "dismiss"):
        for sent in ({"mark": mark}, {}):
            answer = keeper.post("/moderation/case", what="post", of=of, action=action, **sent)
            assert answer.status_code == 422
            assert "Buy my book" in answer.text
            assert "have been changed since you read them" in answer.text
    assert people().http.get(path).status_code == 404
    assert decide(keeper, "post", of, action="show").status_code == 303
    assert people().http.get(path).status_code == 200


def test_no_number_of_a_deed_is_too_high(people: Callable[..., Person]) -> None:
    keeper = people()
    logged_in(keeper, role="moderator")
    for number in (0, 2**31, 2**63 - 1, 2**63, 10**40):
        assert keeper.post(f"/moderation/log/{number}/undo").status_code == 404, number
    assert keeper.post(f"/moderation/log/{2**31 - 1}/undo").status_code == 422


def test_a_line_is_reported_by_those_who_can_hear_it(people: Callable[..., Person]) -> None:
    host, guest, watcher = people(), people(), people()
    link = host.post("/invitations", control="300+3", rules="official", color="white").headers["location"]
    path = guest.post(f"{link}/accept").headers["location"]
    with guest.sit(path) as table:
        table.ask("say", room="players", text="a word among us")
    of = f"{path.removeprefix('/games/')}/players/1"
    assert "a word among us" in host.http.get(f"/report?what=chat&of={of}").text
    assert watcher.http.get(f"/report?what=chat&of={of}").status_code == 404
    assert watcher.post("/report", what="chat", of=of, reason="insult").status_code == 404

"""Questions and answers: who may, how often, what is held, and what the pages show of it."""

from __future__ import annotations

import re
import time
from email import message_from_bytes, policy
from typing import TYPE_CHECKING, Any

import pytest
from aiosmtpd.controller import Controller
from sqlalchemy import delete, select, update

from damier.server.mail import Mailer
from damier.server.moderation.conduct import Silenced
from damier.server.people import Who
from damier.server.questions import service
from damier.server.questions.letters import AnswerLetters
from damier.server.questions.service import (
    EDIT_SECONDS,
    LET_THROUGH,
    LONGEST_TEXT,
    MOST_A_DAY,
    MOST_LINKS,
    MOST_OF_NEW,
    ForumError,
    NoSuchPost,
)
from damier.server.questions.topics import topic_title
from damier.server.settings import Settings
from damier.server.tables import account, awaited_answer, game, post, report, vote
from damier.server.words import BadWords
from tests.server.conftest import Person, Server
from tests.server.members import PASSWORD, ClubHouse, club_houses, decide, logged_in
from tests.services import free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

TITLE, TEXT = "Must I take the most?", "Or may I choose?"


@pytest.fixture(params=["sqlite", "postgres"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ClubHouse]:
    """Anna and Ben, who have been here for long, Nina, who is new, a moderator."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    async with club_houses(Settings(tmp_path, database=url)) as [only]:
        for each in ("anna", "ben"):
            await only.member(each, each.title(), joined=0.0, email=f"{each}@club.example")
        await only.member("nina", "Nina")
        await only.member("mod", "Morgan", role="moderator", joined=0.0)
        await only.people.keep("guest")
        played = await only.game()
        async with only.engine.begin() as connection:
            await connection.execute(update(game).where(game.c.id == played).values(score="2-0", running=False))
        yield only


async def who(house: ClubHouse, person_id: str) -> Who:
    return await house.people.who(person_id)


async def ask(
    house: ClubHouse, by: str = "anna", topic: str = "rules", title: str = TITLE, language: str = "en"
) -> str:
    house.time.now += service.BETWEEN + 1
    return (await house.forum.ask(await who(house, by), topic, language, title, TEXT)).id


async def answer(house: ClubHouse, question: str, by: str = "ben", text: str = "You must.") -> str:
    house.time.now += service.BETWEEN + 1
    return (await house.forum.answer(await who(house, by), question, "en", text)).id


async def titles(house: ClubHouse, reader: str | None = None, topic: str | None = None, **more: Any) -> list[str]:
    own = None if reader is None else await who(house, reader)
    return [each.title for each in (await house.forum.page(topic, more.pop("language", "en"), own, **more)).questions]


async def test_asked_answered_voted_marked(house: ClubHouse) -> None:
    question = await ask(house)
    first, second = await answer(house, question), await answer(house, question, "anna", "I have found it: yes.")
    ben, anna = await who(house, "ben"), await who(house, "anna")
    assert await house.forum.vote(ben, second, up=True) == question
    await house.forum.vote(ben, second, up=True)  # which counts once
    await house.forum.vote(ben, question, up=True)
    await house.forum.mark(anna, question, answered=True)
    thread = await house.forum.thread(question, "en", ben)
    assert [(each.id, each.votes, each.voted, each.mine) for each in thread.answers] == [
        (second, 1, True, False),
        (first, 0, False, True),
    ]
    own = thread.question
    assert (own.title, own.text, own.name, own.votes, own.answers, own.answered) == (TITLE, TEXT, "Anna", 1, 2, True)
    assert (thread.can_mark, (await house.forum.thread(question, "en", anna)).can_mark) == (False, True)
    await house.forum.vote(ben, second, up=False)
    await house.forum.mark(await who(house, "mod"), question, answered=False)
    thread = await house.forum.thread(question, "nl", None)
    assert ([each.votes for each in thread.answers], thread.question.answered) == ([0, 0], False)


async def test_what_others_may_not(house: ClubHouse) -> None:
    question = await ask(house)
    reply = await answer(house, question)
    anna, ben, guest = [await who(house, each) for each in ("anna", "ben", "guest")]
    for refused in (
        house.forum.ask(guest, "rules", "en", TITLE, ""),
        house.forum.answer(guest, question, "en", "I know."),
        house.forum.vote(guest, question, up=True),
        house.forum.vote(anna, question, up=True),
        house.forum.mark(ben, question, answered=True),
        house.forum.remove(anna, question),  # Ben has answered it
        house.forum.ask(anna, "cookery", "en", TITLE, ""),
    ):
        with pytest.raises(ForumError):
            await refused
    for refused in (
        house.forum.edit(ben, question, "Mine now", ""),
        house.forum.remove(anna, reply),
        house.forum.mark(anna, reply, answered=True),
        house.forum.answer(anna, reply, "en", "An answer to an answer."),
        house.forum.vote(anna, "nothing", up=True),
        house.forum.vote(anna, "a\0b", up=True),
        house.forum.thread(reply, "en", anna),
        house.forum.thread("\ud800", "en", anna),
        house.forum.await_answers(anna, reply, wanted=True),
        house.forum.await_answers(guest, question, wanted=True),
    ):
        with pytest.raises(NoSuchPost):
            await refused
    for title, text in (
        ("", TEXT),
        ("  ", TEXT),
        ("x" * 121, TEXT),
        (TITLE, "x" * (LONGEST_TEXT + 1)),
        ("a\u202eb", ""),
    ):
        with pytest.raises(BadWords):
            await house.forum.ask(anna, "rules", "en", title, text)
    house.time.now += EDIT_SECONDS
    for refused in (house.forum.edit(anna, question, "Later", ""), house.forum.remove(ben, reply)):
        with pytest.raises(ForumError):
            await refused
    assert (await house.forum.thread(question, "en", anna)).question.title == TITLE


@pytest.mark.parametrize("state", ["hidden", "held"])
async def test_an_answer_is_hidden_with_its_question(house: ClubHouse, state: str) -> None:
    question = await ask(house)
    reply = await answer(house, question)
    anna, ben, mod = [await who(house, each) for each in ("anna", "ben", "mod")]
    assert await house.forum.sees(None, reply)
    async with house.engine.begin() as connection:
        await connection.execute(update(post).where(post.c.id == question).values(state=state))
    seen = [await house.forum.sees(each, reply) for each in (None, ben, anna, mod)]
    assert seen == [False, False, True, True]
    for each in (anna, mod):
        with pytest.raises(NoSuchPost):
            await house.forum.vote(each, reply, up=True)


async def test_ones_own_is_changed_and_removed(house: ClubHouse) -> None:
    question = await ask(house)
    reply = await answer(house, question)
    anna, ben = await who(house, "anna"), await who(house, "ben")
    assert await house.forum.edit(anna, question, "Another question", "") is False
    assert await house.forum.edit(ben, reply, "ignored", "Another answer") is False
    thread = await house.forum.thread(question, "en", None)
    assert (thread.question.title, thread.question.edited) == ("Another question", house.time.now)
    assert (thread.answers[0].title, thread.answers[0].text) == ("", "Another answer")
    assert await house.forum.remove(ben, reply) == question
    assert await house.forum.remove(anna, question) is None
    assert await titles(house, "anna") == []


async def test_what_was_removed_counts_as_one_of_the_day(house: ClubHouse) -> None:
    nina = await who(house, "nina")
    for _ in range(MOST_OF_NEW):
        await house.forum.remove(nina, await ask(house, "nina"))
    with pytest.raises(ForumError, match="much today"):
        await ask(house, "nina")
    anna = await who(house, "anna")
    removed = await ask(house)
    await house.forum.remove(anna, removed)
    with pytest.raises(ForumError, match="fast"):
        await house.forum.ask(anna, "rules", "en", TITLE, "")
    mod = await who(house, "mod")
    assert [await titles(house, each) for each in (None, "anna", "mod")] == [[], [], []]
    for refused in (
        house.forum.own(anna, removed),
        house.forum.edit(anna, removed, TITLE, ""),
        house.forum.remove(anna, removed),
        house.forum.vote(mod, removed, up=True),
        house.forum.thread(removed, "en", anna),
        house.forum.thread(removed, "en", mod),
        house.forum.await_answers(anna, removed, wanted=True),
    ):
        with pytest.raises(NoSuchPost):
            await refused
    assert await house.subjects.look("post", removed) is None
    async with house.engine.connect() as connection:
        kept = (await connection.execute(select(post.c.title, post.c.text))).all()
    assert {tuple(each) for each in kept} == {("", "")}
    house.time.now += 90_001
    await house.forum.tidy()
    async with house.engine.connect() as connection:
        assert (await connection.execute(select(post.c.id))).all() == []
    await ask(house, "nina")


async def test_a_question_takes_its_own_answers_out_of_the_queue(house: ClubHouse) -> None:
    links = " ".join(f"https://club.example/{number}" for number in range(MOST_LINKS + 1))
    anna, question = await who(house, "anna"), await ask(house)
    await answer(house, question, "anna", links)
    assert len(await house.reports.cases()) == 1
    await house.forum.remove(anna, question)
    assert await house.reports.cases() == []


async def test_a_new_members_words_are_held(house: ClubHouse) -> None:
    nina, mod = await who(house, "nina"), await who(house, "mod")
    house.time.now += 60
    with pytest.raises(ForumError):
        await house.forum.ask(nina, "rules", "en", "See https://shop.example", "")
    assert (await house.forum.page("rules", "en", nina)).is_new
    for number in range(MOST_OF_NEW):
        house.time.now += service.BETWEEN + 1
        assert (await house.forum.ask(nina, "rules", "en", f"Question {number}", "")).held
    house.time.now += service.BETWEEN + 1
    with pytest.raises(ForumError):
        await house.forum.ask(nina, "rules", "en", "One more", "")
    assert [len(await titles(house, each)) for each in (None, "ben", "nina", "mod")] == [0, 0, 3, 3]
    cases = await house.reports.cases()
    assert [dict(each.reasons) for each in cases] == [{"held": 1}] * 3
    with pytest.raises(ForumError):
        await house.forum.answer(mod, cases[0].subject, "en", "Not yet.")
    # changed while it waits it still waits, once
    await house.forum.edit(nina, cases[0].subject, "Question 0, better", "")
    assert len(await house.reports.of("post", cases[0].subject)) == 1
    for each in cases:
        await house.moderation.do(mod, "post", each.subject, ["show"])
    assert await house.reports.cases() == []
    assert len(await titles(house)) == LET_THROUGH == 3
    house.time.now += 90_000
    assert not (await house.forum.ask(nina, "rules", "en", "See https://club.example", "")).held


async def test_who_has_not_played_is_new_however_long_a_member(house: ClubHouse) -> None:
    async with house.engine.begin() as connection:
        await connection.execute(update(account).where(account.c.person == "nina").values(joined=0.0))
    assert (await house.forum.page(None, "en", await who(house, "nina"))).is_new
    assert not (await house.forum.page(None, "en", await who(house, "anna"))).is_new
    # nor does it help to have played the day one has joined
    async with house.engine.begin() as connection:
        await connection.execute(update(account).where(account.c.person == "anna").values(joined=house.time.now))
    assert (await house.forum.page(None, "en", await who(house, "anna"))).is_new


async def test_limits(house: ClubHouse) -> None:
    anna = await who(house, "anna")
    links = " ".join(f"https://club.example/{number}" for number in range(MOST_LINKS + 1))
    assert (await house.forum.ask(anna, "rules", "en", TITLE, links)).held
    with pytest.raises(ForumError):  # at once
        await house.forum.ask(anna, "rules", "en", TITLE, "")
    for _ in range(MOST_A_DAY - 1):
        await ask(house)
    with pytest.raises(ForumError):
        await ask(house)
    house.time.now += 90_000
    await ask(house)


async def test_the_readers_language_comes_first(house: ClubHouse) -> None:
    await ask(house, topic="guide/longest", title="English", language="en")
    await ask(house, "ben", topic="guide/longest", title="Nederlands", language="nl")
    await ask(house, topic="club", title="The club", language="en")
    assert await titles(house) == ["The club", "English"]
    assert await titles(house, topic="guide/longest") == ["English"]
    page = await house.forum.page("guide/longest", "nl", None)
    assert ([each.title for each in page.questions], page.others, page.title) == (
        ["Nederlands"],
        1,
        topic_title("guide/longest", "nl"),
    )
    assert await titles(house, all_languages=True) == ["The club", "Nederlands", "English"]
    assert await titles(house, search="CLUB the") == ["The club"]
    assert await titles(house, search="%") == []
    assert await titles(house, size=1) == ["The club"]
    assert await titles(house, size=1, number=2) == ["English"]
    assert await titles(house, size=1, number=3) == []


async def test_capital_letters_and_signs_in_a_search(house: ClubHouse) -> None:
    await ask(house, title="Übung 7 gelöst?")
    await ask(house, title="100% sure_of it, c/d?")
    for search, found in (
        ("Übung", True),
        ("übung", True),
        ("ÜBUNG GELÖST", True),
        ("U\u0308bung", True),
        ("ubung", False),
        ("7%gel", False),
        ("7_gel", False),
    ):
        assert ("Übung 7 gelöst?" in await titles(house, search=search)) == found, search
    for search in ("100%", "e_o", "C/D"):
        assert await titles(house, search=search) == ["100% sure_of it, c/d?"]


async def test_a_silenced_member_writes_nothing(house: ClubHouse) -> None:
    question = await ask(house)
    others = await ask(house, "ben")
    await house.moderation.do(await who(house, "mod"), "member", "anna", ["silence"], days=7)
    anna = await who(house, "anna")
    house.time.now += 60
    for refused in (
        house.forum.ask(anna, "rules", "en", TITLE, ""),
        house.forum.answer(anna, question, "en", "Well."),
        house.forum.edit(anna, question, "Well.", ""),
        house.forum.vote(anna, others, up=True),
    ):
        with pytest.raises(Silenced):
            await refused


async def test_who_leaves_leaves_what_others_need(house: ClubHouse) -> None:
    alone, answered = await ask(house), await ask(house)
    await answer(house, answered)
    reply = await answer(house, await ask(house, "ben"), "anna", "An answer.")
    reported = await answer(house, await ask(house, "ben"), "anna", "Buy this.")
    context = await house.subjects.look("post", reported)
    assert context is not None
    await house.reports.file("ben", context, "spam", "")
    await house.forum.vote(await who(house, "anna"), await ask(house, "ben"), up=True)
    await house.departures.leave("anna")
    async with house.engine.connect() as connection:
        rows = await connection.execute(
            select(post.c.id, post.c.person).where(post.c.id.in_((alone, answered, reply, reported)))
        )
        assert {row.id: row.person for row in rows} == {answered: None, reply: None}
        assert (await connection.execute(select(vote))).all() == []
        assert (await connection.execute(select(report.c.id))).all() == []
    assert (await house.forum.thread(answered, "en", None)).question.name is None


@pytest.mark.parametrize("state", ["shown", "hidden", "held"])
async def test_the_answers_of_others_outlive_a_question_of_who_leaves(house: ClubHouse, state: str) -> None:
    question = await ask(house)
    reply = await answer(house, question)
    context = await house.subjects.look("post", question)
    assert context is not None
    await house.reports.file("ben", context, "spam", "")
    async with house.engine.begin() as connection:
        await connection.execute(update(post).where(post.c.id == question).values(state=state))
    await house.departures.leave("anna")
    thread = await house.forum.thread(question, "en", await who(house, "mod"))
    own = thread.question
    assert (own.name, own.text, own.hidden, own.held) == (None, "", state == "hidden", state == "held")
    assert own.title == "A question of a former member"
    assert [each.id for each in thread.answers] == [reply]
    assert len(await titles(house, "ben")) == (state == "shown")


# --- Letters ---------------------------------------------------------------------------------------------------------


class Post(Mailer):
    """A mailer whose letters the test reads; the real one is tried in test_mail and in the browser."""

    def __init__(self) -> None:
        super().__init__(None, "club@club.example")
        self.sent: list[tuple[str, str, str, dict[str, str]]] = []

    async def send(self, to: str, subject: str, text: str, headers: Any = None) -> None:
        self.sent.append((to, subject, text, dict(headers or {})))


async def test_letters_go_once_and_stop(house: ClubHouse) -> None:
    mailer = Post()
    letters = [AnswerLetters(house.engine, mailer, "https://club.example/", b"secret", house.time) for _ in range(2)]
    question = await ask(house)
    anna = await who(house, "anna")
    await house.forum.await_answers(anna, question, wanted=True)
    await answer(house, question, "anna", "My own answer brings no letter.")
    assert await letters[0].send_all() == 0
    reply = await answer(house, question, text="You must.\nAlways.")
    assert [await each.send_all() for each in letters] == [1, 0]
    [(to, subject, text, headers)] = mailer.sent
    assert (to, subject) == ("anna@club.example", f"An answer: {TITLE}")
    assert "> You must.\n> Always.\n" in text
    assert f"https://club.example/en/questions/{question}\n" in text
    stop = headers["List-Unsubscribe"].strip("<>").removeprefix("https://club.example/questions/letters/")
    assert letters[1].reader_of(stop) == (question, "anna")
    for bad in (stop[:-1] + "!", "", "..", f"{question}.ben.{stop.rpartition('.')[2]}"):
        assert letters[0].reader_of(bad) is None
    # held, or hidden before it was told, an answer is not told; let through, it is
    held = await answer(house, question, "nina", "I am new.")
    assert await letters[0].send_all() == 0
    await house.moderation.do(await who(house, "mod"), "post", held, ["show"])
    await house.moderation.do(await who(house, "mod"), "post", reply, ["hide"])
    assert await letters[0].send_all() == 1
    assert "I am new." in mailer.sent[1][2]
    await letters[0].stop(question, "anna")
    await answer(house, question)
    assert await letters[0].send_all() == 0
    assert not (await house.forum.thread(question, "en", anna)).awaits


async def test_a_letter_waits_for_an_address(house: ClubHouse) -> None:
    mailer = Post()
    letters = AnswerLetters(house.engine, mailer, "https://club.example", b"secret", house.time)
    async with house.engine.begin() as connection:
        await connection.execute(update(account).where(account.c.person == "anna").values(email=None, language="nl"))
    question = await ask(house)
    await house.forum.await_answers(await who(house, "anna"), question, wanted=True)
    await answer(house, question)
    assert await letters.send_all() == 0
    async with house.engine.begin() as connection:
        await connection.execute(update(account).where(account.c.person == "anna").values(email="a@club.example"))
    assert await letters.send_all() == 1
    assert f"https://club.example/nl/questions/{question}" in mailer.sent[0][2]
    async with house.engine.begin() as connection:
        await connection.execute(delete(awaited_answer))
    assert await AnswerLetters(house.engine, mailer, None, b"secret").send_all() == 0


# --- The pages -------------------------------------------------------------------------------------------------------


def test_the_pages(people: Callable[..., Person]) -> None:
    anna, ben, guest, keeper = people(), people(), people(), people()
    for each, role in ((anna, "player"), (ben, "player"), (keeper, "moderator")):
        logged_in(each, joined=0.0, role=role)
    title = "What does <script>alert(1)</script> mean?"
    asked = anna.post("/questions", topic="rules", title=title, text="See\nbelow & <b>here</b>")
    assert asked.status_code == 303
    path, _, said = asked.headers["location"].partition("?")
    assert said == "said=held"  # nobody here has played
    assert guest.http.get(path).status_code == ben.http.get(path).status_code == 404
    assert "A moderator reads this" in anna.http.get(path).text
    entry = path.rpartition("/")[2]
    assert f"/moderation/case?what=post&amp;of={entry}" in keeper.http.get("/moderation").text
    assert decide(keeper, "post", entry, action="show").status_code == 303
    page = guest.http.get(path).text
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
    assert "See<br>below &amp; &lt;b&gt;here&lt;/b&gt;" in page
    assert "Log in to ask" in page
    assert title.replace("<", "&lt;").replace(">", "&gt;") in guest.http.get("/questions?topic=rules").text
    assert keeper.post(f"{path}/answers", text="Nothing: see https://club.example/?a=1&b=2.").status_code == 303
    page = guest.http.get(f"/nl{path}").text
    link = '<a href="https://club.example/?a=1&amp;b=2" rel="nofollow ugc noopener">'
    assert link in page
    assert ben.post(f"/questions/{entry}/vote", up="1").headers["location"] == f"{path}#{entry}"
    assert anna.post(f"{path}/answered", answered="1").status_code == 303
    assert "Answered" in guest.http.get(path).text
    changed = anna.post(f"/questions/{entry}/edit", title="", text="x")
    assert (changed.status_code, "ordinary characters" in changed.text) == (422, True)
    assert anna.post(f"/questions/{entry}/remove").status_code == 422  # it is answered
    for bad in (
        "/questions?topic=cookery",
        "/questions/nothing",
        "/questions/nothing/edit",
        "/questions/letters/x.y.z",
    ):
        assert guest.http.get(bad).status_code in {404, 401}, bad
    assert guest.http.get("/questions?page=0").status_code == 400
    assert guest.http.get("/questions?q=%00").status_code == 400


def test_what_is_under_a_hidden_question_is_not_reported(people: Callable[..., Person]) -> None:
    keeper, guest = people(), people()
    logged_in(keeper, joined=0.0, role="moderator")
    path = keeper.post("/questions", topic="rules", title="A title to hide", text="").headers["location"]
    path, entry = path.partition("?")[0], path.partition("?")[0].rpartition("/")[2]
    other = people()
    logged_in(other, joined=0.0)
    answered = other.post(f"{path}/answers", text="An answer to it.")
    reply = answered.headers["location"].rpartition("#")[2]
    third = people()
    logged_in(third, role="administrator")
    decide(third, "post", reply, action="show")
    assert "A title to hide" in guest.http.get(f"/report?what=post&of={reply}").text
    assert decide(third, "post", entry, action="hide").status_code == 303
    assert guest.http.get(f"/report?what=post&of={reply}").status_code == 404
    assert guest.post("/report", what="post", of=reply, reason="spam").status_code == 404


def test_an_address_is_given_with_the_question(people: Callable[..., Person]) -> None:
    anna = people()
    logged_in(anna, joined=0.0)
    path = anna.post("/questions", topic="club", title="Is there coffee?").headers["location"].partition("?")[0]
    if "Send me a letter" not in anna.http.get(path).text:  # a club without an address sends none
        assert anna.post(f"{path}/letters", wanted="1").status_code == 404
        return
    wrong = anna.post(f"{path}/letters", wanted="1", email="anna@club.example", password="not this one")
    assert wrong.status_code == 422
    assert re.search(r'id="password"[^>]*aria-invalid', wrong.text)
    wrong = anna.post(f"{path}/letters", wanted="1", email="nowhere", password=PASSWORD)
    assert wrong.status_code == 422
    right = anna.post(f"{path}/letters", wanted="1", email="anna@club.example", password=PASSWORD)
    assert "said=logged-letter" in right.headers["location"]


def test_a_letter_of_an_answer_is_confirmed_and_unsubscribed(tmp_path: Path) -> None:
    """The whole way by a real mail server: an address given, confirmed, a letter of the answer, and no more of them."""
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    port = free_port()
    settings = {"DAMIER_SMTP": f"smtp://127.0.0.1:{controller.port}", "DAMIER_ADDRESS": f"http://127.0.0.1:{port}"}
    server = Server(tmp_path, **settings).start(port)
    anna, ben, stranger = (Person(server) for _ in range(3))
    try:
        for each in (anna, ben):
            logged_in(each, joined=0.0, role="moderator")  # whose words are not held
        path = anna.post("/questions", topic="club", title="Is there coffee?").headers["location"].partition("?")[0]
        wanted = anna.post(f"{path}/letters", wanted="1", email="anna@club.example", password=PASSWORD)
        assert "said=letter" in wanted.headers["location"]
        confirm = box.link("/account/confirm/")
        ben.post(f"{path}/answers", text="After eight.")
        assert stranger.post(confirm).status_code == 200
        stop = box.link("/questions/letters/")
        assert "> After eight." in box.letters[-1]
        assert stranger.http.get(stop).status_code == 200
        assert "No letters about this question" in anna.http.get(path).text
        assert "no more letters" in stranger.post(stop).text
        assert "Send me a letter" in anna.http.get(path).text
    finally:
        for each in (anna, ben, stranger):
            each.close()
        server.stop()
        controller.stop()


class Mailbox:
    """What a mail server has taken."""

    def __init__(self) -> None:
        self.letters: list[str] = []

    async def handle_DATA(self, _server: object, _session: object, envelope: Any) -> str:  # noqa: N802 (aiosmtpd's)
        letter = message_from_bytes(envelope.content, policy=policy.default)
        self.letters.append(letter.get_content())  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
        return "250 OK"

    def link(self, path: str) -> str:
        """The path of a link that a letter has brought, which may take a while."""
        for _ in range(120):
            for letter in self.letters:
                if found := re.search(rf"http://[^/\s]+(?:/[a-z][a-z])?({re.escape(path)}\S+)", letter):
                    return found[1]
            time.sleep(0.25)
        raise AssertionError(f"no letter has a link to {path}: {self.letters}")

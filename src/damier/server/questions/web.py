"""The pages of questions and answers.

What the templates are given, next to what every page has (``play/web.py``) and ``who``, ``messages`` and ``problems`` as
on the account's pages (``accounts/web.py``):

``questions.html`` (a part of any page: see :mod:`damier.server.questions.service`)
    ``forum`` (a :class:`~damier.server.questions.service.Page`).
``questions_page.html`` (``GET /questions``)
    ``forum``, ``topics`` (for the form: value, title), ``given`` (topic, title, text that were sent and refused),
    ``said`` (what has just been done, a word).
``question.html`` (``GET /questions/{id}``)
    ``thread`` (a :class:`~damier.server.questions.service.Thread`), ``given`` (the answer that was refused), ``said``,
    ``letters`` (whether the club sends any), ``account`` (of a member).
``question_edit.html`` (``GET /questions/{id}/edit``)
    ``post``, ``given`` (title, text).
``question_letters.html`` (``GET /questions/letters/{token}``)
    ``token``, ``stopped``.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from litestar import Response, get, post
from litestar.exceptions import NotAuthorizedException, NotFoundException, ValidationException
from litestar.params import QueryParameter
from litestar.response import Redirect

from damier.errors import DamierError
from damier.i18n import N_
from damier.server.accounts.service import NotAllowed
from damier.server.accounts.sparing import Sparing, store_of
from damier.server.accounts.throttle import TooMany
from damier.server.accounts.web import Req, address_of, club_address, member_of, shown, typed
from damier.server.club import Club
from damier.server.mail import BadAddress, NotSent
from damier.server.moderation.conduct import Silenced
from damier.server.people import Who
from damier.server.questions.service import LONGEST_SEARCH, PAGE, ForumError, NoSuchPost, Post, Thread
from damier.server.questions.topics import CLUB, PLAIN, is_topic, topic_title
from damier.server.site import reader_language
from damier.server.words import BadWords

POSTS: Final = Sparing("posts", 30)
"""Of one address, whoever writes there."""
LAST_PAGE: Final = 10_000
SAID: Final = frozenset(
    ("asked", "answered", "held", "edited", "removed", "letter", "logged-letter", "waiting", "not-waiting")
)

Said = Annotated[str, QueryParameter(name="said", max_length=20)]


def _member(request: Req, club: Club) -> Who:
    """The member who asks. Raises NotAuthorizedException for anybody else."""
    who = member_of(request, club)
    if who is None:
        raise NotAuthorizedException
    return who


async def _expect_few(request: Req) -> None:
    """Count what comes from an address. Raises :class:`ForumError` for too much."""
    if not await POSTS.may(store_of(request.app), address_of(request)):
        raise ForumError(N_("Much has been written from your address. Try again in an hour."))


# --- Lists -----------------------------------------------------------------------------------------------------------


@get("/questions")
async def questions_page(
    request: Req,
    club: Club,
    topic: Annotated[str, QueryParameter(name="topic", max_length=40)] = "",
    search: Annotated[str, QueryParameter(name="q", max_length=LONGEST_SEARCH)] = "",
    every: Annotated[str, QueryParameter(name="all", max_length=1)] = "",
    number: Annotated[int, QueryParameter(name="page", ge=1, le=LAST_PAGE)] = 1,
    said: Said = "",
) -> Response[str]:
    """All questions, the newest first."""
    if topic and not is_topic(topic):
        raise NotFoundException
    if "\0" in search:
        raise ValidationException("no such words")
    return await _list(request, club, topic or None, search, every=bool(every), number=number, said=said)


async def _list(
    request: Req,
    club: Club,
    topic: str | None,
    search: str = "",
    error: DamierError | None = None,
    field: str = "",
    *,
    every: bool = False,
    number: int = 1,
    said: str = "",
    given: dict[str, str] | None = None,
) -> Response[str]:
    language = reader_language(request)
    forum = await club.forum.page(
        topic,
        language,
        club.visitors.who(request),
        all_languages=every,
        search=search,
        number=number,
        size=PAGE,
    )
    topics = [*PLAIN, *([topic] if topic and topic not in PLAIN else [])]
    return shown(
        request,
        club,
        "questions_page.html",
        error,
        field,
        forum=forum,
        topics=[{"value": each, "title": topic_title(each, language)} for each in topics],
        given=given or {"topic": topic or CLUB, "title": "", "text": ""},
        said=said if said in SAID else "",
    )


@post("/questions")
async def ask(request: Req, club: Club) -> Response[Any]:
    """Ask something."""
    who, form, language = _member(request, club), await request.form(), reader_language(request)
    given = {name: typed(form, name) for name in ("topic", "title", "text")}
    try:
        await _expect_few(request)
        written = await club.forum.ask(who, given["topic"], language, given["title"], given["text"])
    except (ForumError, BadWords, Silenced) as error:
        field = "title" if isinstance(error, BadWords) else "ask"
        topic = given["topic"] if is_topic(given["topic"]) else None
        return await _list(request, club, topic, error=error, field=field, given=given)
    if typed(form, "letters") and club.answer_letters.sends:
        await club.forum.await_answers(who, written.id, wanted=True)
    return _to(written.id, "held" if written.held else "asked")


def _to(question: str, said: str, entry: str = "") -> Redirect:
    return Redirect(f"/questions/{question}?said={said}{'#' if entry else ''}{entry}", status_code=303)


# --- One question ----------------------------------------------------------------------------------------------------


@get("/questions/{question:str}")
async def question_page(request: Req, club: Club, question: str, said: Said = "") -> Response[str]:
    """A question and its answers."""
    return await _question(request, club, question, said=said)


async def _question(
    request: Req,
    club: Club,
    question: str,
    error: DamierError | None = None,
    field: str = "",
    *,
    said: str = "",
    given: str = "",
    email: str = "",
) -> Response[str]:
    reader = club.visitors.who(request)
    thread = await _thread(request, club, question)
    account = None
    if reader is not None and reader.is_member and club.answer_letters.sends:
        account = await club.accounts.of(reader.id)
    return shown(
        request,
        club,
        "question.html",
        error,
        field,
        thread=thread,
        given=given,
        email=email,
        said=said if said in SAID else "",
        letters=club.answer_letters.sends,
        account=account,
    )


async def _thread(request: Req, club: Club, question: str) -> Thread:
    try:
        return await club.forum.thread(question, reader_language(request), club.visitors.who(request))
    except NoSuchPost:
        raise NotFoundException from None


@post("/questions/{question:str}/answers")
async def answer(request: Req, club: Club, question: str) -> Response[Any]:
    """Answer a question."""
    who, text = _member(request, club), typed(await request.form(), "text")
    try:
        await _expect_few(request)
        written = await club.forum.answer(who, question, reader_language(request), text)
    except NoSuchPost:
        raise NotFoundException from None
    except (ForumError, BadWords, Silenced) as error:
        return await _question(request, club, question, error, "text", given=text)
    return _to(question, "held" if written.held else "answered", written.id)


@post("/questions/{entry:str}/vote")
async def vote(request: Req, club: Club, entry: str) -> Response[Any]:
    """Find a question or an answer good, or no longer."""
    who, form = _member(request, club), await request.form()
    try:
        question = await club.forum.vote(who, entry, up=bool(typed(form, "up")))
    except NoSuchPost:
        raise NotFoundException from None
    except (ForumError, Silenced) as error:
        return _refused(request, club, error)
    return Redirect(f"/questions/{question}#{entry}", status_code=303)


@post("/questions/{question:str}/answered")
async def mark_answered(request: Req, club: Club, question: str) -> Response[Any]:
    """Say that a question is answered, or is not yet."""
    who, form = _member(request, club), await request.form()
    try:
        await club.forum.mark(who, question, answered=bool(typed(form, "answered")))
    except NoSuchPost:
        raise NotFoundException from None
    except ForumError as error:
        return _refused(request, club, error)
    return Redirect(f"/questions/{question}", status_code=303)


def _refused(request: Req, club: Club, error: DamierError) -> Response[str]:
    return shown(request, club, "refused.html", error, "refused")


# --- Changing one's own ----------------------------------------------------------------------------------------------


async def _own(request: Req, club: Club, entry: str) -> Post:
    """What somebody may change. Raises NotFoundException."""
    try:
        own = await club.forum.own(_member(request, club), entry)
    except NoSuchPost:
        raise NotFoundException from None
    if not own.can_change:
        raise NotFoundException
    return own


@get("/questions/{entry:str}/edit")
async def edit_page(request: Req, club: Club, entry: str) -> Response[str]:
    """Where one's own question or answer is changed."""
    own = await _own(request, club, entry)
    return shown(request, club, "question_edit.html", post=own, given={"title": own.title, "text": own.text})


@post("/questions/{entry:str}/edit")
async def edit(request: Req, club: Club, entry: str) -> Response[Any]:
    """Change one's own question or answer."""
    who, own, form = _member(request, club), await _own(request, club, entry), await request.form()
    given = {name: typed(form, name) for name in ("title", "text")}
    try:
        held = await club.forum.edit(who, entry, given["title"], given["text"])
    except NoSuchPost:
        raise NotFoundException from None
    except (ForumError, BadWords, Silenced) as error:
        return shown(request, club, "question_edit.html", error, "text", post=own, given=given)
    return _to(own.question or entry, "held" if held else "edited", entry)


@post("/questions/{entry:str}/remove")
async def remove(request: Req, club: Club, entry: str) -> Response[Any]:
    """Take one's own question or answer away."""
    who = _member(request, club)
    try:
        question = await club.forum.remove(who, entry)
    except NoSuchPost:
        raise NotFoundException from None
    except ForumError as error:
        return _refused(request, club, error)
    return Redirect("/questions?said=removed", status_code=303) if question is None else _to(question, "removed")


# --- Letters ---------------------------------------------------------------------------------------------------------


@post("/questions/{question:str}/letters")
async def want_letters(request: Req, club: Club, question: str) -> Response[Any]:
    """Want a letter when the question is answered, or none; who has no address in the account can give one here."""
    who, form = _member(request, club), await request.form()
    wanted, email = bool(typed(form, "wanted")), typed(form, "email").strip()
    if not club.answer_letters.sends:
        raise NotFoundException
    said, field = ("waiting" if wanted else "not-waiting"), "email"
    try:
        account = await club.accounts.of(who.id)
        if wanted and account is not None and account.email is None:
            # as on the account's page: an address opens the account to whoever reads its letters
            field = "password"
            await club.entrance.prove(who.id, typed(form, "password"))
            field = "email"
            club.entrance.asking_for_a_letter(address_of(request))
            await club.letters.ask(who.id, email, club_address(request, club), reader_language(request))
            said = "letter" if club.mailer.sends else "logged-letter"
        await club.forum.await_answers(who, question, wanted=wanted)
    except NoSuchPost:
        raise NotFoundException from None
    except (NotAllowed, TooMany, BadAddress, NotSent) as error:
        return await _question(request, club, question, error, field, email=email)
    return _to(question, said, "letters")


@get("/questions/letters/{token:str}")
async def stop_page(request: Req, club: Club, token: str) -> Response[str]:
    """Asks whoever followed the link in a letter whether there shall be no more of them; logging in is not needed."""
    if club.answer_letters.reader_of(token) is None:
        raise NotFoundException
    return shown(request, club, "question_letters.html", token=token, stopped=False)


@post("/questions/letters/{token:str}")
async def stop_letters(request: Req, club: Club, token: str) -> Response[str]:
    """No more letters about a question."""
    known = club.answer_letters.reader_of(token)
    if known is None:
        raise NotFoundException
    await club.answer_letters.stop(*known)
    return shown(request, club, "question_letters.html", token=token, stopped=True)


ROUTES: Final = (
    questions_page,
    ask,
    question_page,
    answer,
    vote,
    mark_answered,
    edit_page,
    edit,
    remove,
    want_letters,
    stop_page,
    stop_letters,
)

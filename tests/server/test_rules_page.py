"""The rules: what they say is what is played, each can be tried, and they can be printed."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

import damier
from damier import Board
from damier.articles import article
from damier.explain import explain
from damier.i18n import LANGUAGES
from damier.rules import CLASSIC, CLUB, LEAFLET, OFFICIAL, RULE_SETS, Rules
from damier.server.guide import leaflet
from damier.server.guide.differences import differences
from damier.server.guide.rules_text import ANSWERS, DRAWS, Trying, address, articles, draws, place
from damier.server.guide.trying import attempt
from damier.server.guide.typesetter import typeset
from tests.server.conftest import Person

STATIC = Path(damier.__file__).parent / "server" / "static"
NAMES = [each.name for each in RULE_SETS]
IN_EACH = pytest.mark.parametrize("rules", RULE_SETS, ids=NAMES)


# --- The text says what the game does ---------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_counts_of_the_text_are_those_of_the_rules(language: str) -> None:
    for rules in (
        *RULE_SETS,
        Rules("official", repetition=41, king_moves=42, three_pieces=43, two_pieces=44, same_move=45, move_limit=46),
    ):
        told = articles(rules, language)[6]
        said = re.findall(r"\d+", " ".join((*told.counts, *told.paragraphs)))
        assert said == [str(getattr(rules, name)) for name in DRAWS if getattr(rules, name)]


def test_each_draw_is_told_by_its_own_sentence() -> None:
    one_each = [draws(Rules("official", **{name: 7}), "en") for name in DRAWS[:-1]]  # pyright: ignore[reportArgumentType]
    assert all(len(each) == 1 for each in one_each)
    assert len({each[0] for each in one_each}) == len(DRAWS) - 1


def test_without_a_count_a_draw_is_agreed_upon() -> None:
    classic, official = (articles(rules, "en")[6] for rules in (CLASSIC, OFFICIAL))
    assert classic.paragraphs[0] == "The game is drawn only when both players agree to it."
    assert (classic.counts, len(official.counts)) == ((), 4)
    assert "club ends one as a draw after 500" in classic.paragraphs[-1]


@IN_EACH
def test_crowning_and_touching_are_told_as_they_are_played(rules: Rules) -> None:
    told = articles(rules, "en")
    crowned = Board("W:W12:B8,9", rules=rules).legal_moves[0].crowned
    assert ("becomes a king there and then" in told[1].paragraphs[-1]) == crowned == rules.crowned_in_passing
    assert ("On the screen these rules let you put a piece down" in told[5].paragraphs[-1]) != rules.touch_move
    assert any("after it has become a king on the way" in each for each in told[4].paragraphs) == crowned


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_differences_is_that_of_the_rules(language: str) -> None:
    table = differences(language)
    assert sorted(table.names) == sorted(NAMES)
    assert all(len(row.cells) == len(table.names) for row in table.rows)
    counts = [each for row in table.rows for each in row.cells if re.search(r"\d", each)]
    assert len(counts) == sum(bool(getattr(rules, name)) for rules in RULE_SETS for name in DRAWS)
    column = table.names.index("official")
    said = [re.sub(r"\D", "", row.cells[column]) for row in table.rows[2:]]
    assert said == ["3", "", "25", "16", "5", ""]


# --- Where it is written -----------------------------------------------------------------------------------------------


def test_every_reason_has_one_article() -> None:
    from damier.explain import _SENTENCES

    answered = [reason for reasons in ANSWERS.values() for reason in reasons]
    assert len(answered) == len(set(answered))
    assert set(_SENTENCES) - {"occupied own"} <= {code for code, _king in answered}
    assert list(ANSWERS) == [each.number for each in articles(OFFICIAL, "en")]


def test_an_article_names_each_article_of_the_federation_that_answers_in_it() -> None:
    for told in articles(OFFICIAL, "en"):
        for code, king in ANSWERS[told.number]:
            source = article(OFFICIAL, code, king)
            assert source is not None
            # a game that lasts too long is no draw of theirs
            assert code in ("same_move", "move_limit") or source.number in told.source, (told.number, code)
    for rules in RULE_SETS:
        for told in articles(rules, "en"):
            assert "Rules of the FMJD, annex 1, article" in told.source + (told.compare or "")


def test_the_articles_are_those_of_the_leaflet_in_the_box() -> None:
    for number, reasons in ANSWERS.items():
        for code, king in reasons:
            source = article(LEAFLET, code, king)
            assert source is not None
            if source.number:
                assert source.number == str(number)
                assert f"Leaflet of the boxed game, article {number}" in articles(LEAFLET, "en")[number - 1].source


# --- The boards ----------------------------------------------------------------------------------------------------------

WRONG_AND_RIGHT: dict[tuple[int, int], tuple[list[tuple[int, int]], str]] = {
    (1, 0): ([(20, 20), (15, 20)], "32-28"),
    (2, 0): ([(28, 32), (28, 33), (28, 19), (28, 17)], "8-2"),
    (2, 1): ([(12, 17)], "12x14"),
    (3, 0): ([(32, 16)], "32x34"),
    (4, 0): ([(48, 30)], "48x40"),
    (5, 0): ([(28, 17), (41, 41), (41, 37)], "28x10"),
    (6, 0): ([(32, 32), (32, 28)], "31-27"),
    (7, 0): ([], "-46"),
    (8, 0): ([], "33-28"),
}
"""By article and board: what its task has the reader try in vain, and then do."""


def boards(rules: Rules) -> list[tuple[tuple[int, int], Trying]]:
    return [((told.number, at), each) for told in articles(rules, "en") for at, each in enumerate(told.tryings)]


@IN_EACH
def test_on_every_board_what_is_wrong_is_answered_with_its_article_and_what_is_right_is_played(rules: Rules) -> None:
    assert [at for at, _trying in boards(rules)] == list(WRONG_AND_RIGHT)
    for at, trying in boards(rules):
        wrong, right = WRONG_AND_RIGHT[at]
        if at == (2, 1) and not rules.crowned_in_passing:
            wrong = [(12, 20), *wrong]
        if at == (7, 0) and rules == LEAFLET:
            right = "46-41"
        standing = attempt(trying.rules.name, trying.fen, trying.moves)
        assert standing.over is None
        assert standing.fen == trying.board.fen()
        for asked in wrong:
            touched = 31 if at[0] == 6 else None
            why = attempt(trying.rules.name, trying.fen, trying.moves, asked, touched).why
            assert why is not None, (at, asked)
            assert why.article == at[0], (at, asked, why)
            assert why.address == address(trying.rules, at[0])
        (played,) = [str(move) for move in trying.board.legal_moves if str(move).endswith(right)][:1]
        after = attempt(trying.rules.name, trying.fen, (*trying.moves, played))
        assert (after.over is not None) == (at[0] in (7, 8))
        if after.over is not None:
            last = after.last
            assert last is not None
            answer = attempt(
                trying.rules.name, trying.fen, (*trying.moves, played), (last.to_square, last.to_square)
            ).why
            assert answer is not None
            assert (answer.code, answer.article) == ("game_over", at[0])
            assert after.over in DRAWS if at[0] == 7 else after.winner == "white"


@IN_EACH
def test_the_boards_follow_the_rules_or_say_whose(rules: Rules) -> None:
    others = {at: each.rules for at, each in boards(rules) if each.rules != rules}
    expected = {} if rules == LEAFLET else {(6, 0): LEAFLET}
    if rules == CLASSIC:
        expected[7, 0] = OFFICIAL
    assert others == expected


def test_a_man_that_passes_the_far_row_may_land_as_the_rules_have_it() -> None:
    for rules, squares in [(OFFICIAL, {14}), (CLUB, {14, 20, 25})]:
        trying = dict(boards(rules))[2, 1]
        assert {move.to_square for move in trying.board.legal_moves} == squares
        assert all(str(square) in trying.task for square in (squares if rules == CLUB else {12, 3, 20}))


def test_the_diagrams_show_what_they_say() -> None:
    told = {each.diagram.number: each.diagram for each in articles(OFFICIAL, "en") if each.diagram is not None}
    assert list(told) == [1, 2, 3]
    assert told[1].board.fen() == Board().fen()
    reach = {move.to_square for move in told[2].board.legal_moves if move.from_square == 28}
    assert {mark[0] for mark in told[2].marks if isinstance(mark, tuple)} == reach >= {5, 46, 39}
    assert 44 not in reach
    assert 50 not in reach
    (must,) = told[3].board.legal_moves
    assert (str(must), len(must.captured)) == ("41x45", 3)
    assert "(41x45)" in told[3].caption
    tried = explain(told[3].board, 22, 24)
    assert tried is not None
    assert (tried.code, tried.facts["takes"], place(tried, king=False)) == ("must_take_more", 2, 5)


# --- The page --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@IN_EACH
def test_the_page_tells_a_rule_set(people: Callable[..., Person], rules: Rules, language: str) -> None:
    person = people()
    answer = person.http.get(f"/{language}/rules/{rules.name}")
    assert (answer.status_code, answer.headers["content-language"]) == (200, language)
    page = answer.text
    for told in articles(rules, language):
        assert f'<article id="article-{told.number}"' in page
        assert f'href="#article-{told.number}"' in page
        for text in (told.title, *told.paragraphs, *told.counts, told.source):
            assert text.replace("'", "&#39;") in page
    assert page.count('<figure id="diagram-') == 3
    assert len(re.findall(r"data-try=", page)) == 9
    assert f'href="/{language}{address(rules)}" aria-current="page"' in page
    assert f'href="/{language}{address(rules)}/leaflet.pdf"' in page


def test_the_rules_of_the_federation_come_first(people: Callable[..., Person]) -> None:
    person = people()
    assert 'href="/rules" aria-current="page">International' in person.http.get("/rules").text
    assert person.http.get("/rules/chess").status_code == 404
    assert person.http.get("/rules/chess/leaflet.pdf").status_code == 404


def test_the_page_is_light(people: Callable[..., Person]) -> None:
    page = people().http.get("/rules").text
    files = re.findall(r'(?:src|href)="/static/([^"]+\.(?:js|css|svg))"', page)
    assert len(set(files)) >= 3
    sizes = [len((STATIC / f"{name}.br").read_bytes()) for name in set(files)]
    assert sum(sizes) + len(gzip.compress(page.encode())) < 60_000


def test_what_can_be_chosen_leads_to_its_rules(people: Callable[..., Person]) -> None:
    person = people()
    assert 'href="/rules#differences"' in person.http.get("/invite").text
    made = person.post("/invitations", control="300+5", color="white", rules="club", public="on")
    assert 'href="/rules/club"' in person.http.get(made.headers["location"]).text


# --- The leaflet -------------------------------------------------------------------------------------------------------------


def bare(text: str) -> str:
    """A text without what setting it may change: spaces, hyphens, and the shape of apostrophes."""
    return re.sub(r"[\s\u00ad\u2010-]+", "", text.replace("'", "’"))


@pytest.mark.parametrize("language", LANGUAGES)
@IN_EACH
def test_the_leaflet_is_one_sheet_that_tells_all(rules: Rules, language: str) -> None:
    pdf = typeset(json.dumps(leaflet.content(rules, language)))
    assert len(pdf) < 150_000
    document = PdfReader(BytesIO(pdf))
    sizes = [(round(float(page.mediabox.width)), round(float(page.mediabox.height))) for page in document.pages]
    assert sizes == [(842, 595), (842, 595)], "two sides of A4, lying"
    text = bare("".join(page.extract_text() for page in document.pages))
    for told in articles(rules, language):
        caption = () if told.diagram is None else (told.diagram.caption,)
        for wanted in (told.title, *told.paragraphs, *told.counts, told.source, *caption):
            assert bare(wanted) in text, wanted
    for row in differences(language).rows:
        assert bare(row.title) in text
    catalog: Any = document.trailer["/Root"]
    assert catalog["/Lang"] == language
    assert catalog["/MarkInfo"]["/Marked"]
    assert document.metadata is not None
    assert bare(document.metadata.title or "") == bare("{title}:{rules}".format(**leaflet.content(rules, language)))
    assert [page.images for page in document.pages if len(page.images)] == [], "pictures are lines, not dots"


def test_what_does_not_fit_on_a_sheet_is_no_leaflet() -> None:
    told = leaflet.content(OFFICIAL, "en")
    told["panels"][1] = told["panels"][1] * 2
    with pytest.raises(RuntimeError, match="do not fit"):
        typeset(json.dumps(told))


async def test_a_leaflet_is_made_once_however_many_ask() -> None:
    first, *others = await asyncio.gather(*(leaflet.printed(CLUB, "fr") for _ in range(8)))
    assert all(each is first for each in others)
    assert await leaflet.printed(CLUB, "fr") is first
    assert await leaflet.printed(CLUB, "nl") is not first


def test_the_leaflet_comes_in_the_language_of_its_address(people: Callable[..., Person]) -> None:
    person = people("de")
    for path, language in [("/nl/rules/club/leaflet.pdf", "nl"), ("/rules/leaflet.pdf", "de")]:
        answer = person.http.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
        assert f"-{language}.pdf" in answer.headers["content-disposition"]
        catalog: Any = PdfReader(BytesIO(answer.content)).trailer["/Root"]
        assert catalog["/Lang"] == language

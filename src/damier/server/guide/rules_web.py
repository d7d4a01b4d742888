"""The page of the rules, and the leaflet to print.

``rules.html`` (``GET /rules``, ``GET /rules/{rule_set}``) is given, next to what every page has: ``chosen`` (the rule set's
name, title and one sentence about it), ``rule_sets`` (all of them, each with its ``address``), ``articles``
(:class:`~damier.server.guide.rules_text.RuleText`) and ``pictures`` (their diagrams, by the article's number),
``differences`` (:class:`~damier.server.guide.differences.Differences`), ``leaflet`` (its address), ``forum`` (the questions about the
rules) and ``by`` (the title of a rule set by its name).
"""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from markupsafe import Markup

from damier.rules import OFFICIAL, RULE_SETS, Rules, by_name
from damier.server.club import Club
from damier.server.guide import leaflet
from damier.server.guide.differences import differences
from damier.server.guide.rules_text import address, articles
from damier.server.lobby import choices
from damier.server.lobby.web import page_frame
from damier.server.site import reader_language

PDF_KEPT: Final = 3600
"""Seconds for which a browser may keep a leaflet."""

Req = Request[Any, Any, Any]


@get("/rules")
async def rules_page(request: Req, club: Club) -> Response[str]:
    """The rules of the world federation."""
    return await _page(request, club, OFFICIAL)


@get("/rules/{rule_set:str}")
async def rule_set_page(request: Req, club: Club, rule_set: str) -> Response[str]:
    """The rules of one rule set."""
    return await _page(request, club, _named(rule_set))


async def _page(request: Req, club: Club, rules: Rules) -> Response[str]:
    language = reader_language(request)
    told = articles(rules, language)
    pictures = {
        each.number: Markup(each.diagram.svg(language))  # noqa: S704 (drawn here)
        for each in told
        if each.diagram is not None
    }
    rule_sets = choices.rule_sets(language)
    return club.site.page(
        request,
        "rules.html",
        **await page_frame(request, club, club.visitors.of(request)),
        forum=await club.forum.page("rules", language, club.visitors.who(request)),
        chosen=next(each for each in rule_sets if each["name"] == rules.name),
        rule_sets=[{**each, "address": address(by_name(each["name"]))} for each in rule_sets],
        by={each["name"]: each["title"] for each in rule_sets},
        articles=told,
        pictures=pictures,
        differences=differences(language),
        leaflet=f"{address(rules)}/leaflet.pdf",
    )


@get("/rules/leaflet.pdf")
async def official_leaflet(request: Req) -> Response[bytes]:
    """The leaflet of the world federation's rules."""
    return await _leaflet(request, OFFICIAL)


@get("/rules/{rule_set:str}/leaflet.pdf")
async def rule_set_leaflet(request: Req, rule_set: str) -> Response[bytes]:
    """The leaflet of one rule set."""
    return await _leaflet(request, _named(rule_set))


async def _leaflet(request: Req, rules: Rules) -> Response[bytes]:
    language = reader_language(request)
    headers = {
        "cache-control": f"public, max-age={PDF_KEPT}",
        "content-disposition": f'inline; filename="damier-{rules.name}-{language}.pdf"',
        "content-language": language,
        "vary": "cookie, accept-language",
    }
    return Response(await leaflet.printed(rules, language), media_type="application/pdf", headers=headers)


def _named(rule_set: str) -> Rules:
    for rules in RULE_SETS:
        if rules.name == rule_set:
            return rules
    raise NotFoundException


ROUTES: Final = (rules_page, rule_set_page, official_leaflet, rule_set_leaflet)

"""Every kind of page that there is, for those tests that look at all of them."""

from __future__ import annotations

MEMBER = "Bracket-Person"

FOR_ALL = (
    "/",
    "/now",
    "/my-games",
    "/invite",
    "/name",
    "/seeks",
    "/join",
    "/log-in",
    "/recover",
    "/offline",
    "/rules",
    "/rules/club",
    "/guide",
    "/guide/board",
    "/guide/coup-turc",
    "/exercise",
    "/exercise/daily",
    "/questions",
    "/report?what=member&of=" + MEMBER,
    "/statistics",
    "/top",
    "/nothing",
)
FOR_MEMBERS = (
    "/",
    "/account",
    "/account/tokens",
    "/friends",
    "/my-games",
    "/seeks",
    f"/@/{MEMBER}",
    f"/@/{MEMBER}/statistics",
    "/guide",
    "/top",
)

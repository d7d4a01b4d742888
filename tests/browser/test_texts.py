"""No text of a page is outside the catalogues, and another language is one file.

The club is run in a language that is nothing but its English in brackets: what stands outside of them was never
translated. Its catalogue is the only file that is added.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from playwright.sync_api import Browser, Page

from damier import i18n
from tests.browser.conftest import Visit
from tests.browser.pages import FOR_ALL, FOR_MEMBERS, MEMBER
from tests.server.conftest import Server

pytestmark = pytest.mark.browser

LANGUAGE = "eo"
ROOT = Path(__file__).resolve().parents[2]


def bracketed(text: str) -> str:
    return f"⟦{text}⟧"


def add_language(locales: Path) -> None:
    """What a translator adds: a catalogue, here made of the English one, and compiled as the tool compiles it."""
    shutil.copytree(i18n.LOCALES, locales)
    folder = locales / LANGUAGE / "LC_MESSAGES"
    folder.mkdir(parents=True)
    text = (
        (locales / "en" / "LC_MESSAGES" / "damier.po")
        .read_text("utf-8")
        .replace("Language: en", f"Language: {LANGUAGE}")
    )
    (folder / "damier.po").write_text(text, "utf-8")
    with (folder / "damier.po").open("rb") as file:
        catalogue = read_po(file, locale=LANGUAGE)
    script: dict[str, str | list[str]] = {}
    for message in catalogue:
        if message.id:
            ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
            forms = tuple(bracketed(each) for each in ids)
            message.string = forms[0] if isinstance(message.id, str) else forms
            script[ids[0]] = forms[0] if len(forms) == 1 else list(forms)
    with (folder / "damier.mo").open("wb") as file:
        write_mo(file, catalogue)
    (folder / "script.json").write_text(json.dumps(script), "utf-8")


@pytest.fixture(scope="module")
def bracket_club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("languages")
    add_language(folder / "locales")
    server = Server(folder / "club")
    server.locales = str(folder / "locales")
    server.start()
    yield server
    server.kill()


TEXTS = """
() => {
  const found = [document.title];
  const look = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE) {
        const within = node.parentElement?.tagName ?? "";
        if (within === "NOSCRIPT") look(new DOMParser().parseFromString(node.textContent, "text/html").body);
        else if (!/^(SCRIPT|STYLE|TITLE)$/.test(within)) found.push(node.textContent);
        continue;
      }
      for (const name of ["aria-label", "title", "alt", "placeholder", "aria-description", "content"])
        if (node.hasAttribute?.(name) && node.tagName !== "META") found.push(node.getAttribute(name));
      if (node.shadowRoot && !node.inert) look(node.shadowRoot);
    }
  };
  look(document.documentElement);
  return found;
}
"""
# Names, moves and times as players write them, addresses, and what each language is called in itself.
NO_TEXT = re.compile(
    rf"Damier|Nederlands|Français|Deutsch|English|BOT|PDN|\d+ \w+ \d+|Chrome, Linux|\bUTC\b|{MEMBER}|https?://\S+|\b[WB]:[WBK0-9,:]*|\b(?:nl|fr|de|en|eo)\b"
)


def unbracketed(text: str) -> str:
    """What of a text stands outside of all brackets."""
    while (shorter := re.sub(r"⟦[^⟦⟧]*⟧", "", text)) != text:
        text = shorter
    return NO_TEXT.sub("", text)


def untranslated(page: Page) -> list[str]:
    texts: list[str] = page.evaluate(TEXTS)
    return sorted({text.strip() for text in texts if re.search(r"[^\W\d_]{2,}", unbracketed(text))})


def test_what_is_outside_the_brackets_is_found() -> None:
    assert unbracketed("⟦one ⟦two⟧ three⟧ 5+3 · left") == " 5+3 · left"


def test_every_text_is_in_the_catalogues(bracket_club: Server, chromium: Browser) -> None:
    visit = Visit(bracket_club, chromium, locale="eo")
    page = visit.page
    found = {}
    for path in FOR_ALL:
        page.goto(path)
        assert page.locator("html").get_attribute("lang") == LANGUAGE
        found[path] = untranslated(page)
    visit.start_at_once()
    found["a game"] = untranslated(page)
    visit.click({"from": 32, "to": 28, "paths": [[32, 28]]})
    visit.wait_for_ply(2)
    found["a game under way"] = untranslated(page)
    visit.join(MEMBER)
    for path in FOR_MEMBERS:
        page.goto(path)
        found[f"{path} of a member"] = untranslated(page)
    visit.errors.clear()  # the page that is not there
    visit.close()
    assert {path: texts for path, texts in found.items() if texts} == {}

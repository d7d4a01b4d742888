"""Without a line: the pages to read are there, the others say what is the matter; and the club can be installed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from .conftest import Visit

pytestmark = pytest.mark.browser

READY = "navigator.serviceWorker.ready.then(({ active }) => active.state === 'activated')"


def test_what_is_there_without_a_line(visit: Callable[..., Visit]) -> None:
    me = visit(service_workers="allow", locale="nl-NL")
    me.page.goto("/")
    me.until(READY)
    me.context.set_offline(True)
    me.page.goto("/my-games")
    expect(me.page.locator("h1")).to_have_text("Geen verbinding")
    assert me.page.evaluate("getComputedStyle(document.querySelector('.button')).borderRadius") == "6px", (
        "it has its styles"
    )
    me.page.locator("main a[href$='/rules']").click()
    expect(me.page.locator("html")).to_have_attribute("lang", "nl")
    me.context.set_offline(False)
    me.page.goto("/my-games")
    expect(me.page.locator("h1")).to_have_text("Mijn partijen")


def test_nobodys_name_is_kept(visit: Callable[..., Visit]) -> None:
    me = visit(service_workers="allow")
    me.join("Kept-by-nobody")
    me.page.goto("/")
    me.until(READY)
    texts = me.page.evaluate(
        """async () => {
          const texts = [];
          for (const name of await caches.keys()) {
            const cache = await caches.open(name);
            for (const key of await cache.keys()) texts.push(key.url, await (await cache.match(key)).text());
          }
          return texts;
        }"""
    )
    assert any("/offline" in text for text in texts)
    assert not any("Kept-by-nobody" in text for text in texts)
    # what people write below a page may be hidden tomorrow
    assert any("/guide/coup-turc" in text for text in texts)
    assert not any('class="questions"' in text for text in texts)


def test_it_can_be_installed(visit: Callable[..., Visit]) -> None:
    me = visit(service_workers="allow", locale="fr-FR")
    me.page.goto("/fr/")
    session = me.context.new_cdp_session(me.page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert '"lang": "fr"' in manifest["data"]
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [each["errorId"] for each in errors if each["errorId"] != "in-incognito"] == []

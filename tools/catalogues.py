"""The catalogues of texts: extract, merge, compile and check them.

    python tools/catalogues.py update    take the texts of the sources into every damier.po
    python tools/catalogues.py compile   write damier.mo and script.json beside every damier.po
    python tools/catalogues.py check     name every text that is missing, stale, fuzzy or broken; status 1 if any

The sources are named in ``babel.cfg``: Python, the templates, and the page's script, whose texts are marked
``t("…")`` and, where a number decides, ``tn("one …", "many …", n)``. The script gets only its own texts, as
``script.json``: each message id with its translation, or with its list of plural forms.

English is the language of the message ids; its catalogue is filled with them and needs no translator. For another
language make an empty ``src/damier/locales/<code>/LC_MESSAGES/damier.po`` and update (docs/languages.md).
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from pathlib import Path
from typing import Any, TypeAlias, cast

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_mapping_cfg  # pyright: ignore[reportUnknownVariableType]
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "src" / "damier" / "locales"
LANGUAGES = sorted(path.parent.parent.name for path in LOCALES.glob("*/LC_MESSAGES/damier.po"))
SOURCE_LANGUAGE = "en"
SCRIPT = "web/"
KEYWORDS = {**DEFAULT_KEYWORDS, "NN_": (1, 2), "t": None, "tn": (1, 2)}
SKIPPED = {".git", ".venv", "node_modules", "build", "dist", "static"}

Methods: TypeAlias = list[tuple[str, str]]
Options: TypeAlias = dict[str, dict[str, Any]]

HEADER = """\
# Damier: the texts in {language}.
# One sentence an entry; names in braces stay as they are. Merged by tools/catalogues.py.
#"""


def po_path(language: str) -> Path:
    return LOCALES / language / "LC_MESSAGES" / "damier.po"


def extract() -> Catalog:
    """Every text marked in the sources, with the files that it stands in."""
    with (ROOT / "babel.cfg").open(encoding="utf-8") as file:
        mapping = cast("tuple[Methods, Options]", parse_mapping_cfg(file, filename="babel.cfg"))
    template = Catalog(charset="utf-8")
    found = extract_from_dir(
        ROOT,
        *mapping,
        keywords=KEYWORDS,
        comment_tags=("Translators:",),
        strip_comment_tags=True,
        directory_filter=lambda directory: Path(directory).name not in SKIPPED,
    )
    for filename, _, message, comments, context in sorted(found, key=lambda entry: (str(entry[0]), entry[1])):
        if filename.endswith(".test.ts"):
            continue
        # no line numbers: they would change with every edit of a source
        template.add(message, None, [(filename, 0)], auto_comments=comments, context=context)
    return template


def read(language: str) -> Catalog:
    with po_path(language).open("rb") as file:
        return read_po(file, locale=language, domain="damier", abort_invalid=True)


def new_catalogue(language: str) -> Catalog:
    # by way of the file's own header: Babel's French, for one, has a third plural for whole millions
    found = re.search(r'^"(Plural-Forms: .*)\\n"$', po_path(language).read_text("utf-8"), re.MULTILINE)
    plurals = found[1] if found else "Plural-Forms: nplurals=2; plural=(n != 1);"
    header = f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"{plurals}\\n"\n'
    return read_po(io.BytesIO(header.encode()), locale=language, domain="damier", charset="utf-8")


def entries(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id]


def update() -> None:
    """Merge the sources' texts into the catalogues; a text that left the sources leaves them too."""
    template = extract()
    for language in LANGUAGES:
        known = {message.id: message for message in entries(read(language))}
        merged = new_catalogue(language)
        merged.header_comment = HEADER.format(language=Locale(language).get_display_name("en"))
        for message in sorted(entries(template), key=lambda message: (sorted(message.locations), str(message.id))):
            text = known[message.id].string if message.id in known else None
            if language == SOURCE_LANGUAGE:
                text = message.id
            merged.add(
                message.id,
                text,
                sorted(set(message.locations)),
                known[message.id].flags if message.id in known else (),
                auto_comments=message.auto_comments,
                user_comments=known[message.id].user_comments if message.id in known else (),
            )
        path = po_path(language)
        with path.open("wb") as file:
            write_po(file, merged, width=0, omit_header=False, include_lineno=False, sort_output=False)
        # the dates and tool versions of Babel's header would change with every run
        lines = path.read_text(encoding="utf-8").splitlines()
        dropped = ('"POT-Creation-Date', '"PO-Revision-Date', '"Last-Translator', '"Generated-By', '"Project-Id')
        dropped += ('"Report-Msgid', '"Language-Team')
        path.write_text("\n".join(line for line in lines if not line.startswith(dropped)) + "\n", encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {sum(not translated(message) for message in entries(merged))} to translate")


def compile_all() -> None:
    """Write what the program reads; nothing is written where nothing changed."""
    for language in LANGUAGES:
        source = po_path(language)
        targets = (source.with_suffix(".mo"), source.with_name("script.json"))
        if all(target.exists() and target.stat().st_mtime >= source.stat().st_mtime for target in targets):
            continue
        catalogue = read(language)
        with targets[0].open("wb") as file:
            write_mo(file, catalogue)
        script: dict[str, str | list[str]] = {}
        for message in entries(catalogue):
            if not translated(message) or not any(place.startswith(SCRIPT) for place, _ in message.locations):
                continue
            key = message.id if isinstance(message.id, str) else message.id[0]
            script[key] = message.string if isinstance(message.string, str) else forms(message)
        text = json.dumps(script, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        targets[1].write_text(text, encoding="utf-8")


def forms(message: Message) -> list[str]:
    """The translation, or each of its plural forms."""
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def translated(message: Message) -> bool:
    texts = forms(message)
    return bool(texts) and all(texts)


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w*)", text))


def complaints() -> list[str]:
    """What keeps the catalogues from being complete, one line a fault."""
    template = {message.id: message for message in entries(extract())}
    found: list[str] = []
    for language in LANGUAGES:
        known = {message.id: message for message in entries(read(language))}

        def complain(what: str, message: object, language: str = language) -> None:
            found.append(f"{po_path(language).relative_to(ROOT)}: {what}: {message!r}")

        for key in template.keys() - known.keys():
            complain("missing", key)
        for key in known.keys() - template.keys():
            complain("stale", key)
        for key in known.keys() & template.keys():
            message = known[key]
            ids = [key] if isinstance(key, str) else list(key)
            strings = forms(message)
            allowed = set[str]().union(*(placeholders(text) for text in ids))
            needed = placeholders(ids[-1])
            if not translated(message):
                complain("not translated", key)
            elif message.fuzzy:
                complain("fuzzy", key)
            elif not all(placeholders(text) <= allowed for text in strings) or placeholders(strings[-1]) != needed:
                complain("other names in braces", key)
    return found


def check() -> int:
    found = complaints()
    for line in found:
        print(line, file=sys.stderr)
    if found:
        print("Run `python tools/catalogues.py update` and translate what is empty.", file=sys.stderr)
    return 1 if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract, merge, compile and check the catalogues of texts.")
    parser.add_argument("action", choices=("update", "compile", "check"))
    action = parser.parse_args().action
    if action == "check":
        return check()
    if action == "update":
        update()
    compile_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The pages and the socket of a game.

What the templates are given
----------------------------
Every page (``layout.html``):

``_(text, **names)``, ``ngettext(one, many, n, **names)``
    the text in the reader's language, its ``{names}`` filled in. (``{% trans %}`` is not in use.)
``asset(name)``
    the address of a file of the bundle by its plain name: ``asset("damier.css")``.
``language``, ``languages``
    the reader's language code; all of them, each with ``code``, ``name`` (in that language) and ``current``.
``path``
    this page's own address, for the field ``next`` of the language form.
``csrf_token``
    goes into the hidden field ``_csrf_token`` of every form that is posted.

``front.html`` (``GET /``) also gets

``rule_sets``
    each with ``name`` ("official", "club"), ``title`` and ``about`` (one sentence).
``levels``
    each with ``number`` (1 …) and ``name``.
``chosen``
    ``color`` ("white", "black", "lot"), ``rules`` and ``level``: what to preselect.
``resume``
    the visitor's unfinished games, the latest first, each with ``url``, ``color`` (the visitor's), ``rules`` (the
    title), ``level``, ``plies``, ``your_turn``, ``fen``, ``at`` (seconds since 1970 of the last event).

Its form posts ``color``, ``rules`` and ``level`` to ``/games``. The language form (every page) posts ``language``
and ``next`` to ``/language``.

``game.html`` (``GET /games/{id}``) also gets

``state``, ``messages``
    JSON, already safe inside ``<script type="application/json">``: the game as this visitor sees it, and the
    script's texts.
``title``
    who plays whom, for the page's title.
``again``
    ``color``, ``rules`` and ``level`` of a new game of the same kind (the colours exchanged), for its form.

``error.html`` gets ``status`` (404 …), ``title`` and ``message`` (both sentences in the reader's language).
"""

"""``damier bot``: connects an engine to a club, where it takes challenges and plays them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Annotated, get_args

import typer

from damier.cli.options import RuleSet
from damier.cli.status import DONE, USAGE, WRONG, Failure, needs, shown

__all__ = ["bot"]

_OURS = (sys.executable, "-c", "from damier.cli import main; raise SystemExit(main())", "hub")


def bot(
    club: Annotated[
        str, typer.Option(metavar="URL", envvar="DAMIER_CLUB", help="The club, such as https://club.example.")
    ],
    hub: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help='The engine: any that speaks the Hub protocol, version 2, with its arguments, such as "./scan hub".',
            show_default="our own",
        ),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Holds the token.", show_default="the token is in DAMIER_TOKEN"),
    ] = None,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Make the token's account a bot's, for good, if it is none.")
    ] = False,
    rules: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Play by this rule set; may be given again.", show_default="all of them"),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Set a parameter of the engine; may be given again.")
    ] = None,
    move_time: Annotated[
        float | None,
        typer.Option(
            min=0.01, metavar="SECONDS", help="Think no longer about a move.", show_default="as the clock has"
        ),
    ] = None,
    most: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="Games at the same time.")] = 2,
    games: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Stop after so many games.", show_default="never")
    ] = None,
    challenge: Annotated[
        str | None, typer.Option(metavar="NAME", help="Challenge this member at the start.", show_default="nobody")
    ] = None,
    clock: Annotated[
        str, typer.Option(metavar="CONTROL", help="The time control of that challenge, as PDN writes it.")
    ] = "300+3",
) -> int:
    """Play at a club with an engine: take challenges, and answer with its moves.

    The token, of the account page, is for "play" and "seek", and for "bot" with --upgrade.

    Ctrl+C ends it; games that are not over go on without it.
    """
    try:
        from damier.client import Client
        from damier.client.bot import Bot, Policy
    except ModuleNotFoundError as missing:
        raise needs("the bot", missing, "client") from missing
    from damier.engine import AsyncHubEngine

    token = _token(token_file)
    known: tuple[str, ...] = get_args(RuleSet)
    chosen = frozenset(rules or known)
    if unknown := chosen.difference(known):
        raise Failure(f"--rules must be one of {', '.join(known)}, not {shown(min(unknown))}", USAGE)
    options: dict[str, str | int | float | bool] = {}
    for each in param or ():
        name, equals, value = each.partition("=")
        if not name or not equals:
            raise Failure(f"--param must be NAME=VALUE, not {shown(each)}", USAGE)
        options[name] = value
    command: str | tuple[str, ...] = hub or _OURS

    def engine(rule_set: str) -> AsyncHubEngine:
        return AsyncHubEngine(command, options=options, rules=rule_set)

    def tell(line: str) -> None:
        print(shown(line), flush=True)

    async def work() -> None:
        async with Client(club, token) as client:
            # a wrong command is told before anybody is kept waiting
            async with engine(min(chosen, key=lambda each: (each != "official", each))) as first:
                tell(f"engine: {first.name}")
            account = await client.account()
            if account.kind != "bot":
                if not upgrade:
                    raise Failure(f"{account.name} is not a bot's account; --upgrade makes it one, for good", WRONG)
                account = await client.become_bot()
            tell(f"playing as {account.name}")
            running = asyncio.create_task(
                Bot(client, engine, Policy(chosen, most=most), seconds=move_time, tell=tell).run(games or float("inf"))
            )
            loop = asyncio.get_running_loop()

            def stop(_number: int, _frame: object) -> None:
                loop.call_soon_threadsafe(running.cancel)

            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, stop)
            try:
                if challenge is not None:
                    await client.challenge(challenge, clock)
                    tell(f"challenged {challenge}")
                await running
            except asyncio.CancelledError:
                tell("stopped")
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)

    try:
        asyncio.run(work())
    except ValueError as error:
        raise Failure(str(error), USAGE) from error
    return DONE


def _token(file: Path | None) -> str:
    if file is None:
        token = os.environ.get("DAMIER_TOKEN", "")
        where = "DAMIER_TOKEN"
    else:
        token = file.read_text("utf-8").strip()
        where = str(file)
    if not token:
        raise Failure(f"the token of the club's account page is missing: {where} is empty", USAGE)
    if not (token.isascii() and token.isprintable()):
        raise Failure(f"what is in {shown(where)} is no token", USAGE)
    return token

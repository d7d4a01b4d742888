"""``damier admin``: who keeps order in a club, and a way back in for who has lost the password."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar

import typer

from damier.cli.status import DONE, USAGE, Failure, needs

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from damier.server.accounts.roles import Roles
    from damier.server.settings import Settings

__all__ = ["admin"]

Answer = TypeVar("Answer")
RoleName: TypeAlias = Literal["player", "moderator", "administrator"]
Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="A member's name.")]
Data: TypeAlias = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="Folder of the games.", show_default="your folder for application data"),
]
Database: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="PostgreSQL: postgresql://USER:PASSWORD@HOST/NAME. DAMIER_DATABASE keeps a password out of lists.",
        show_default="SQLite in the folder",
    ),
]

admin = typer.Typer(
    name="admin",
    help="Appoint moderators and administrators of a club, whether its server runs or not.",
    no_args_is_help=True,
)


@admin.command("list")
def list_(data: Data = None, database: Database = None) -> int:
    """Show the administrators and the moderators, one a line."""
    for each in _ask(data, database, lambda roles, _: roles.staff()):
        print(f"{each.name}\t{each.role}")
    return DONE


@admin.command()
def appoint(
    name: Name,
    role: Annotated[RoleName, typer.Argument(metavar="ROLE", help="player, moderator or administrator.")],
    data: Data = None,
    database: Database = None,
) -> int:
    """Give a member a role; it holds from the next page on that the member opens."""
    written = _ask(data, database, lambda roles, _: roles.appoint(name, role))
    print(f"{written}\t{role}")
    return DONE


@admin.command()
def reset(name: Name, data: Data = None, database: Database = None) -> int:
    """Print a link with which a member chooses a new password: once, within the hour."""

    async def link(roles: Roles, settings: Settings) -> str:
        _written, path = await roles.recovery(name)
        return f"{(settings.address or '').rstrip('/')}{path}"

    print(_ask(data, database, link))
    return DONE


def _ask(data: Path | None, database: str | None, ask: Callable[[Roles, Settings], Awaitable[Answer]]) -> Answer:
    """Ask the club's database. A server may run beside: it reads roles and links anew whenever it needs them."""
    try:
        from sqlalchemy.exc import SQLAlchemyError

        from damier.server import database as databases
        from damier.server.accounts.roles import Roles
        from damier.server.settings import Settings, default_data_folder
    except ModuleNotFoundError as missing:
        raise needs("the commands of the club", missing, "server") from missing
    os.umask(0o077)  # what is kept here is nobody else's to read
    try:
        settings = Settings.from_environment(data or default_data_folder(), database=database)
        databases.address(settings)
    except ValueError as error:
        raise Failure(str(error), USAGE) from error
    if settings.database is None and not databases.file(settings).exists():
        raise Failure(f"there is no club in {settings.data}: `damier serve` makes one")

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Roles]:
        engine = databases.open_engine(settings, 1)
        try:
            present = await databases.revision(engine)
            if present != databases.HEAD:
                raise Failure(
                    f"the database is of another release of Damier (revision {present}, not {databases.HEAD}): "
                    "start the server of this release once"
                )
            yield Roles(engine)
        finally:
            await engine.dispose()

    async def asked() -> Answer:
        async with opened() as roles:
            return await ask(roles, settings)

    try:
        return asyncio.run(asked())
    except (OSError, SQLAlchemyError) as error:
        cause = getattr(error, "orig", None) or error
        raise Failure(f"cannot use {settings.place}: {cause}") from error

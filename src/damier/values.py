"""Frozen values with named fields, and the check of an argument's type.

(Named tuples and dataclasses would make ``import damier`` several times slower.)
"""

from __future__ import annotations

TYPE_CHECKING = False  # not imported from typing, for the same reason
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Value", "expect"]


def expect(value: object, kind: type, what: str) -> None:
    """Raise TypeError with ``what`` (what is wanted, as a clause) for a value of another type.

    >>> expect("e4", int, "a square is a number from 1 to 50")
    Traceback (most recent call last):
      ...
    TypeError: a square is a number from 1 to 50, not str
    """
    if not isinstance(value, kind):
        raise TypeError(f"{what}, not {type(value).__name__}")


class Value:
    """Base of values that are equal, hashed, shown and matched by their fields, in the order of ``__match_args__``.

    A subclass names its fields there, has the same in ``__slots__``, takes them in that order in its constructor, and
    gives them to :meth:`_put`.
    """

    __match_args__: tuple[str, ...] = ()
    __slots__ = ()

    def _put(self, *fields: object) -> None:
        for name, value in zip(self.__match_args__, fields, strict=True):
            object.__setattr__(self, name, value)

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and type(other) is type(self) and other._fields() == self._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._fields()

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({fields})"

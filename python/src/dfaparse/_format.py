"""Formats: built in, of a spec, or found out."""

from __future__ import annotations

import os
import weakref
from typing import Any, Union

from . import _command, _library
from ._source import Source, source_of

FormatLike = Union["Format", str, "os.PathLike[str]", None]


class Format:
    """How an input is to be read.

    `Format("apache_combined")` is a built-in one; a path ending in .dfp is that of a spec,
    .dfac of a saved Program, and KIND:TEXT is a description that another tool has.

    >>> import dfaparse
    >>> points = dfaparse.Format.from_spec("format points { delimited { sep ';' } fields { x f64  y f64 } }")
    >>> dfaparse.read(b"1;2\\n3;4.5\\n", points).to_pylist()
    [{'x': 1.0, 'y': 2.0}, {'x': 3.0, 'y': 4.5}]

    A format can be pickled, so that other processes read by it.
    """

    def __init__(self, name: str | os.PathLike[str], *, encoding: str | None = None) -> None:
        self._begin({"format": os.fspath(name)}, encoding)

    @classmethod
    def from_spec(cls, text: str, *, encoding: str | None = None) -> Format:
        """The format that a spec describes, whose tests are run. A text without braces is a
        description that `Format` takes, such as the name of a format.

        >>> import dfaparse
        >>> dfaparse.Format.from_spec("format x { delimited }")
        Traceback (most recent call last):
            ...
        dfaparse._errors.FormatError: spec:1:22: unexpected "}" in format x; expected {
        """
        self = cls.__new__(cls)
        self._begin({"spec": text} if "{" in text else {"format": text}, encoding)
        return self

    def _begin(self, options: dict[str, Any], encoding: str | None) -> None:
        if encoding:
            options["encoding"] = encoding
        self._options = options
        self._said: str | None = None
        self._number = 0
        library = _library.loaded()
        if library is not None:
            self._hold(library, library.format(options))

    @classmethod
    def _inferred(cls, source: Source) -> Format:
        library = _library.loaded()
        self = cls.__new__(cls)
        self._number = 0
        if library is None:
            self._options, self._said = _command.infer(source)
            return self
        data = source.data
        number = library.format({"infer": source.path or ""}, data)
        self._options = library.format_options(number)
        self._said = library.said(number)
        self._hold(library, number)
        return self

    def _hold(self, library: _library.Library, number: int) -> None:
        self._number = number
        weakref.finalize(self, library.release_format, number).atexit = False

    def _held(self, library: _library.Library) -> int:
        """Its number in the library; there is none yet where it is of a process that had no library."""
        if not self._number:
            self._hold(library, library.format(self._options))
        return self._number

    @property
    def spec(self) -> str | None:
        """The text of its spec, None of a saved Program."""
        if "spec" in self._options:
            return self._options["spec"]
        library = _library.loaded()
        return library.spec(self._held(library)) if library is not None else _command.spec(self._options)

    @property
    def said(self) -> str | None:
        """What was decided, in a sentence, where the format was found out."""
        return self._said

    def __repr__(self) -> str:
        if "spec" in self._options:
            return f"Format.from_spec({self._options['spec']!r})"
        return f"Format({self._options['format']!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Format) and self._options == other._options

    def __hash__(self) -> int:
        return hash(tuple(self._options.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Format._again, (self._options, self._said)

    @classmethod
    def _again(cls, options: dict[str, Any], said: str | None = None) -> Format:
        """The same in another process, which loads the library once it reads."""
        self = cls.__new__(cls)
        self._options, self._said, self._number = options, said, 0
        return self


def format_of(format: FormatLike, source: Source) -> Format:
    """The format that is asked for, or the one that the input shows."""
    if isinstance(format, Format):
        return format
    if format is None:
        return Format._inferred(source)
    if isinstance(format, str):
        return Format.from_spec(format)
    return Format(format)


def infer(src: Any) -> Format:
    """Finds out how an input is to be read: the spec of a delimited one, with types that
    every value has, or a built-in format that its content shows.

    >>> import dfaparse
    >>> f = dfaparse.infer(b"id;price\\n1;2,50\\n2;3,75\\n")
    >>> print(f.said)
    input: separated by semicolon, a header, 2 columns
    >>> dfaparse.read(b"id;price\\n3;4,25\\n", f).to_pylist()
    [{'id': 3, 'price': 4.25}]
    """
    return Format._inferred(source_of(src))


def formats() -> list[str]:
    """The names of the built-in formats.

    >>> import dfaparse
    >>> "apache_combined" in dfaparse.formats()
    True
    """
    library = _library.loaded()
    return library.formats() if library is not None else _command.formats()

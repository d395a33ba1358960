"""Formats: built in, of a spec, or found out."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _command, _library
from ._errors import OptionError
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
    def _inferred(cls, source: Source, how: dict[str, Any]) -> Format:
        library = _library.loaded()
        self = cls.__new__(cls)
        self._number = 0
        options = {"infer": list(source.paths), **how}
        if library is None:  # the command finds it out when it reads
            self._options, self._said = options, None
            return self
        data = source.data
        number = library.format(options, data)
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
    def encoding(self) -> str | None:
        """The encoding of inputs, by its spec or as it was given; None is UTF-8."""
        if "encoding" in self._options or "infer" in self._options:
            return self._options.get("encoding")
        library = _library.loaded()
        if library is None:
            return _command.encoding(self._options)
        return library.format_options(self._held(library)).get("encoding")

    @property
    def said(self) -> str | None:
        """What was decided, in a sentence, where the format was found out."""
        return self._said

    def __repr__(self) -> str:
        if "infer" in self._options:
            return "<dfaparse.Format that is found out>"
        if "spec" in self._options:
            return f"Format.from_spec({self._options['spec']!r})"
        return f"Format({self._options['format']!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Format) and self._options == other._options

    def __hash__(self) -> int:
        return hash(repr(self._options))

    def __reduce__(self) -> tuple[Any, ...]:
        return Format._again, (self._options, self._said)

    @classmethod
    def _again(cls, options: dict[str, Any], said: str | None = None) -> Format:
        """The same in another process, which loads the library once it reads."""
        self = cls.__new__(cls)
        self._options, self._said, self._number = options, said, 0
        return self


#: Options that say how a delimited input is written.
DIALECT = ("sep", "quote", "escape", "comment", "header", "eol", "decimal", "thousands", "null", "types", "all_strings", "lax")


def dialect_of(options: dict[str, Any]) -> dict[str, Any]:
    """Those of options that say how a delimited input is written, as the library takes them."""
    said = {k: options[k] for k in DIALECT if options.get(k) is not None and options[k] is not False}
    if isinstance(said.get("null"), str):
        said["null"] = [said["null"]]
    if "null" in said:
        said["null"] = list(said["null"])
    if "header" in said:
        said["header"] = "none" if said["header"] == 0 else str(said["header"])
    if isinstance(types := said.get("types"), Mapping):
        said["types"] = ", ".join(f"{_quoted(name)}: {type}" for name, type in types.items())
    for name in said:
        if name not in ("null", "all_strings", "lax") and not isinstance(said[name], str):
            raise TypeError(f"{name} is {said[name]!r}, want a text")
    return said


def _quoted(name: str) -> str:
    quote = "`" if '"' in name else '"'
    return f"{quote}{name}{quote}"


def format_of(format: FormatLike, source: Source, how: dict[str, Any]) -> Format:
    """The format that is asked for, or the one that the input shows; how has options of
    `infer`, of which the encoding is one of any format."""
    encoding = how.get("encoding")
    said = next((name for name in DIALECT if name in how), None)
    if format in ("csv", "tsv", "csv_lax") and said:
        return Format._inferred(source, {**how, "format": format})
    if format is not None and said:
        raise OptionError(f"{said}: the format says how an input is written; csv and tsv leave that to options, and so does infer(…)")
    if isinstance(format, Format):
        if encoding and encoding != format._options.get("encoding"):
            raise OptionError("encoding: the format says which, Format(…, encoding=…)")
        return format
    if format is None:
        return Format._inferred(source, how)
    if isinstance(format, str):
        return Format.from_spec(format, encoding=encoding)
    return Format(format, encoding=encoding)


def infer(
    src: Any,
    *,
    encoding: str | None = None,
    union: str | None = None,
    skip_lines: int = 0,
    sep: str | None = None,
    quote: str | None = None,
    escape: str | None = None,
    comment: str | None = None,
    header: int | None = None,
    eol: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    null: str | Sequence[str] | None = None,
    types: Mapping[str, str] | str | None = None,
    all_strings: bool = False,
    lax: bool = False,
) -> Format:
    """Finds out how an input is to be read: the spec of a delimited one, with types that
    every value has, or a built-in format that its content shows. Of several inputs the first
    shows the format, and the types are those of all.

    :param src: as for `read`.
    :param encoding: of the input; without it, it is found out too.
    :param union: how the columns of several inputs are matched, as for `read`.
    :param skip_lines: pass over so many lines first.
    :param sep: what separates fields. What this and the options below do not say is found out.
    :param quote: what fields are quoted by, one symbol, or "none".
    :param escape: what stands before a quote in a field, one symbol, or "none": it is doubled.
    :param comment: what lines begin with that are no records, or "none".
    :param header: of how many lines it is, the last of which names the columns; 0: there is none.
    :param eol: what ends lines: "lf", "crlf", "cr" or "any".
    :param decimal: what stands before fractions: "." or ",".
    :param thousands: what stands between thousands: ".", ",", "'", " ", or "none".
    :param null: the texts that stand for no value, in every column.
    :param types: of columns by their names, as {"id": "u64", "at": 'ts("%F %T")'}, in the words of specs.
    :param all_strings: infer no types.
    :param lax: take quotes in odd places as they stand, short records with nulls, and long ones
        without what is too much.

    >>> import dfaparse
    >>> f = dfaparse.infer(b"id;price\\n1;2,50\\n2;3,75\\n")
    >>> print(f.said)
    input: separated by semicolon, a header, 2 columns
    >>> dfaparse.read(b"id;price\\n3;4,25\\n", f).to_pylist()
    [{'id': 3, 'price': 4.25}]
    """
    options = dict(locals())
    how = {k: options[k] for k in ("encoding", "union", "skip_lines") if options[k]}
    return Format._inferred(source_of(src), how | dialect_of(options))


def formats() -> list[str]:
    """The names of the built-in formats.

    >>> import dfaparse
    >>> "apache_combined" in dfaparse.formats()
    True
    """
    library = _library.loaded()
    return library.formats() if library is not None else _command.formats()

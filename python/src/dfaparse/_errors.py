"""What goes wrong."""

from __future__ import annotations


class ParseError(ValueError):
    """An input that cannot be read: where, and why.

    >>> import dfaparse
    >>> try:
    ...     dfaparse.read(b"1\\n2\\nx\\n", "format n { delimited { sep ',' } fields { n u8! } }")
    ... except dfaparse.ParseError as err:
    ...     err.line, err.offset, err.field, err.detail
    (3, 4, 'n', 'not an integer: "x"')
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        offset: int = 0,
        line: int = 0,
        column: int = 0,
        record: int | None = None,
        field: str | None = None,
        detail: str | None = None,
        expected: str | None = None,
    ) -> None:
        super().__init__(message)
        #: the input's name
        self.file = file
        #: of the byte, from 0
        self.offset = offset
        #: from 1
        self.line = line
        #: of the byte in its line, from 1
        self.column = column
        #: of the data record, from 1; None: none is meant
        self.record = record
        #: name of the column; None: none is meant
        self.field = field
        #: what is wrong, with the text in question
        self.detail = detail
        #: what would have been right
        self.expected = expected


class FormatError(ValueError):
    """A format that there is not, or a spec that does not compile; line and column are
    those of the spec's first fault."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class OptionError(ValueError):
    """An option that cannot be, or does not fit the input."""


class Cancelled(RuntimeError):
    """The reading was ended while somebody waited for it."""

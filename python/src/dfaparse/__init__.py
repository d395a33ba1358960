"""dfaparse reads CSV, logs and formats of your own as typed Arrow columns.

>>> import dfaparse
>>> table = dfaparse.read(b"id,name\\n1,Ada\\n2,Alan\\n")
>>> table.column_names, table.num_rows
(['id', 'name'], 2)
"""

from ._errors import Cancelled, FormatError, OptionError, ParseError
from ._format import Format, formats, infer
from ._read import Scan, read, scan, scan_polars, schema
from ._split import Split, split

__all__ = [
    "Cancelled",
    "Format",
    "FormatError",
    "OptionError",
    "ParseError",
    "Scan",
    "Split",
    "formats",
    "infer",
    "read",
    "scan",
    "scan_polars",
    "schema",
    "split",
]

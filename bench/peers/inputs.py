"""The inputs: generated files, and what a peer has to be told about them."""

import dataclasses
import json
import pathlib
import subprocess

import pyarrow as pa

# One line of the Combined Log Format: nine items, and the parts of the request
# if there are three.
COMBINED = (
    r'^(?P<host>\S+) (?P<ident>\S+) (?P<user>\S+) \[(?P<time>[^\]]+)\] '
    r'"(?P<request>(?P<method>[^ "\\]+) (?P<path>[^ "\\]+) (?P<protocol>[^ "\\]+)|(?:[^"\\]|\\.)*)" '
    r'(?P<status>\S+) (?P<bytes>\S+) "(?P<referer>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)"'
)

# Columns of dfaparse that no peer makes, as they are always null here.
UNASKED = {"combined": {"extra"}}


@dataclasses.dataclass
class Input:
    name: str
    format: str  # of dfaparse
    separator: str = ""  # "" for lines
    quote: str = ""
    header: bool = False
    trailing: bool = False  # a separator also stands after the last field
    file: str = ""
    columns: list = dataclasses.field(default_factory=list)  # (name, Arrow type as text)

    @property
    def lines(self):
        """Says that the input is a log, which has no separator."""
        return self.separator == ""

    def fields(self):
        """The columns that a reader sees that knows no trailing separators."""
        return self.columns + [("_", "utf8")] * self.trailing

    def schema(self):
        return pa.schema([(name, arrow_type(text)) for name, text in self.columns])


INPUTS = [
    Input("taxi", "taxi", ",", '"', header=True),
    Input("yelp", "yelp", ",", '"', header=True),
    Input("lineitem", "lineitem", "|", trailing=True),
    Input("combined", "apache_combined"),
]


def arrow_type(text):
    """The Arrow type that `dfaparse schema --json` calls so."""
    if text.startswith("decimal("):
        precision, scale = text[len("decimal("):-1].split(",")
        return pa.decimal128(int(precision), int(scale))
    if text.startswith("timestamp["):
        unit, _, zone = text[len("timestamp["):-1].partition(", tz=")
        return pa.timestamp(unit, zone or None)
    return pa.type_for_alias({"utf8": "string", "float64": "double"}.get(text, text))


def prepare(command, names, mib, folder):
    """Generates the files that are not there yet, and finds out the columns."""
    chosen = []
    for inp in INPUTS:
        if names and inp.name not in names:
            continue
        path = pathlib.Path(folder) / f"{inp.name}-{mib}MiB.txt"
        if not path.exists():
            subprocess.run([command, "gen", inp.name, "--size", f"{mib}MiB", "-o", path], check=True)
        path.read_bytes()  # into the system's cache
        inp.file = str(path)
        out = subprocess.run([command, "schema", "--json", "-f", inp.format, path], check=True, capture_output=True).stdout
        fields = [json.loads(line) for line in out.splitlines()]
        inp.columns = [(f["name"], f["arrow"]) for f in fields if f["name"] not in UNASKED.get(inp.name, ())]
        chosen.append(inp)
    return chosen

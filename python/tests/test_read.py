"""What `read` and `scan` give, by the library and by the command."""

import errno
import gzip
import io
import json
import pickle

import pyarrow as pa
import pytest

import dfaparse
from dfaparse import _library

ORDERS = b"id,price,at,name\n1,2.50,2026-03-02,Ada\n2,,2026-03-03,\"Lovelace, A\"\n"
NUMBERS = "format n { delimited { sep ',' } fields { n u8!  s str } }"


@pytest.fixture(params=["library", "command"])
def way(request, monkeypatch):
    """Everything here holds for both ways of reading."""
    if request.param == "command":
        monkeypatch.setattr(_library, "_library", None)
        monkeypatch.setattr(_library, "_forked", True)
    else:
        assert _library.loaded() is not None, _library.why()
    return request.param


def test_bytes(way):
    t = dfaparse.read(ORDERS)
    assert t.schema.types == [pa.int64(), pa.float64(), pa.date32(), pa.string()]
    assert t["name"].to_pylist() == ["Ada", "Lovelace, A"]
    assert t["price"].to_pylist() == [2.5, None]


def test_paths_and_compression(way, tmp_path):
    plain, packed = tmp_path / "a.csv", tmp_path / "b.csv.gz"
    plain.write_bytes(ORDERS)
    packed.write_bytes(gzip.compress(ORDERS))
    one = dfaparse.read(plain)
    assert dfaparse.read(str(packed)).equals(one)
    f = dfaparse.infer(plain)
    both = dfaparse.read([plain, packed], f)
    assert both.equals(pa.concat_tables([one, one]))
    assert dfaparse.read([plain, packed], f, n_rows=3).num_rows == 3
    with open(plain, "rb") as file:
        assert dfaparse.read(file).equals(one)
    assert dfaparse.read(io.StringIO(ORDERS.decode())).equals(one)


def test_options(way):
    rows = b"".join(b"%d,%d\n" % (i % 200, i) for i in range(10_000))
    t = dfaparse.read(rows, NUMBERS, columns=["s"], skip_rows=5, n_rows=7, threads=1)
    assert t.column_names == ["s"] and t["s"].to_pylist() == [str(i) for i in range(5, 12)]
    none = dfaparse.read(rows, NUMBERS, columns=[], n_rows=9)
    assert none.column_names == [] and none.num_rows == 9
    with pytest.raises(ValueError, match="nosuch"):
        dfaparse.read(rows, NUMBERS, columns=["nosuch"])
    with pytest.raises(ValueError):
        dfaparse.read(rows, NUMBERS, on_error="perhaps")
    with pytest.raises(TypeError, match="sequence"):
        dfaparse.read(rows, NUMBERS, columns="s")


def test_parse_error(way):
    with pytest.raises(dfaparse.ParseError) as caught:
        dfaparse.read(b"1,a\n2,b\n300,c\n", NUMBERS)
    e = caught.value
    assert isinstance(e, ValueError)
    assert (e.offset, e.line, e.column, e.record, e.field) == (8, 3, 1, 3, "n")
    assert "300" in e.detail and "300" in str(e)


def test_rejects(way, tmp_path):
    s = dfaparse.scan(b"1,a\nx,b\n3,c\n\xff,d\n", NUMBERS, on_error="reject")
    assert s.read()["s"].to_pylist() == ["a", "c"]
    assert s.rejects.select(["line", "offset", "field", "raw"]).to_pylist() == [
        {"line": 2, "offset": 4, "field": "n", "raw": b"x,b"},
        {"line": 4, "offset": 12, "field": "n", "raw": b"\xff,d"},
    ]
    for name in ("r.jsonl", "r.parquet", "r.arrow"):
        dfaparse.read(b"1,a\nx,b\n", NUMBERS, rejects=tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    with pytest.raises(ValueError, match="r.txt"):
        dfaparse.read(b"1,a\n", NUMBERS, rejects=tmp_path / "r.txt")
    null = dfaparse.scan(b"1,a\nx,b\n", "format n { delimited { sep ',' } fields { n u8  s str } }", on_error="null")
    assert null.read()["n"].to_pylist() == [1, None]
    assert null.rejects["nulled"].to_pylist() == [True]


@pytest.mark.parametrize("how", [lambda s: list(s.batches()), pa.table], ids=["batches", "stream"])
def test_rejects_of_a_scan(way, tmp_path, how):
    told = []
    s = dfaparse.scan(b"1,a\nx,b\n", NUMBERS, rejects=tmp_path / "r.jsonl", progress=lambda *seen: told.append(seen))
    how(s)
    (line,) = (tmp_path / "r.jsonl").read_text().splitlines()
    assert json.loads(line)["raw"] == "x,b"
    assert told


def test_formats(way, tmp_path):
    names = dfaparse.formats()
    assert "csv" in names and "apache_combined" in names and len(names) > 90
    line = b'127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326 "-" "Mozilla/4.08"\n'
    assert dfaparse.read(line, "apache_combined")["status"].to_pylist() == [200]
    spec = tmp_path / "n.dfp"
    spec.write_text(NUMBERS)
    assert dfaparse.read(b"1,a\n", spec).num_rows == dfaparse.read(b"1,a\n", str(spec)).num_rows == 1
    assert "apache_common" in dfaparse.Format("apache_combined").spec
    for wrong in ("nosuch_format", "format x { delimited { sep ',' } fields { n u7 } }"):
        with pytest.raises(dfaparse.FormatError):
            dfaparse.read(b"1\n", wrong)
    f = pickle.loads(pickle.dumps(dfaparse.Format.from_spec(NUMBERS)))
    assert dfaparse.read(b"1,a\n", f).num_rows == 1


def test_a_file_that_is_not_there(way):
    for src in ("/nonexistent/a.csv", "/nonexistent/*.csv"):
        for format in ("csv", None):
            with pytest.raises(FileNotFoundError) as raised:
                dfaparse.read(src, format)
            assert raised.value.filename == src and raised.value.errno == errno.ENOENT
            assert raised.value.strerror and src not in raised.value.strerror


def test_schema(way):
    s = dfaparse.schema(ORDERS)
    assert s.names == ["id", "price", "at", "name"]
    assert pa.schema(dfaparse.scan(ORDERS)) == s


def test_scan_opens_again(way):
    s = dfaparse.scan(ORDERS)
    assert pa.table(s).equals(pa.table(s))
    assert [b.num_rows for b in s.batches()] == [2]
    assert s.stats["rows"] == 2


TYPES = """format all { delimited { sep '|' } fields {
  i i8  u u64  f f32  b bool  d dec(10, 2)  day date  t time  at ts  z ts(tz none)  l dur(go)  s str  x binary(hex)
  e enum(aa bb)  w dict  ip ip  id uuid  many list(i32, sep ',')  pairs map(i16, pairs ',', kv '=')
  texts list(str, sep ',')  } }"""
ROW = (
    b"-5|7|0.5|true|1.25|2026-03-02|12:30:00|2026-03-02T09:15:00Z|2026-03-02T09:15:00|1m|text|c0ffee|bb|word|::1|"
    b"123e4567-e89b-12d3-a456-426614174000|1,2,3|a=1,b=2|x,yy\n"
)


def test_types(way):
    """Columns of every shape that buffers have, with and without nulls."""
    t = dfaparse.read(ROW + b"|" * 18 + b"\n" + ROW, TYPES)
    t.validate(full=True)
    first = t.slice(0, 1).to_pylist()[0]
    assert (first["i"], first["u"], first["f"], first["b"], str(first["d"])) == (-5, 7, 0.5, True, "1.25")
    assert (str(first["day"]), str(first["t"]), str(first["at"])) == ("2026-03-02", "12:30:00", "2026-03-02 09:15:00+00:00")
    assert (first["s"], first["x"], first["e"], first["w"], first["ip"]) == ("text", b"\xc0\xff\xee", "bb", "word", "::1")
    assert (first["many"], first["pairs"], first["texts"]) == ([1, 2, 3], [("a", 1), ("b", 2)], ["x", "yy"])
    assert str(first["id"]).replace("-", "") == "123e4567e89b12d3a456426614174000"
    rows = t.to_pylist()
    assert rows[2] == first and all(v in (None, "", [], b"") for v in rows[1].values())
    none = dfaparse.read(b"", TYPES)
    none.validate(full=True)
    assert none.num_rows == 0 and none.schema == t.schema


def test_names_with_commas_and_quotes(way):
    data = b'"a,b","c ""d""","e\nf",g\n1,2,3,4\n'
    names = ["a,b", 'c "d"', "e\nf", "g"]
    for name in names:
        assert dfaparse.read(data, columns=[name]).schema.names == [name]
    assert dfaparse.read(data, columns=names[::-1]).to_pydict() == {"g": [4], "e\nf": [3], 'c "d"': [2], "a,b": [1]}
    twice = dfaparse.read(data, columns=["g", "a,b", "g"])
    assert twice.schema.names == ["g", "a,b", "g"] and [c.to_pylist() for c in twice.columns] == [[4], [1], [4]]


def test_the_name_of_bytes(way):
    assert dfaparse.read(b"a,b\n1,x\n", file_column="f").to_pydict() == {"a": [1], "b": ["x"], "f": ["input"]}
    assert dfaparse.read(b"a,b\n1,x\n", columns=["b"], file_column="f").to_pydict() == {"b": ["x"], "f": ["input"]}
    s = dfaparse.scan(b"x,y\n", NUMBERS, on_error="reject")
    assert s.read().num_rows == 0 and s.rejects["file"].to_pylist() == ["input"]
    with pytest.raises(dfaparse.ParseError, match="^input:1:1: ") as err:
        dfaparse.read(b"x,y\n", NUMBERS)
    assert err.value.file == "input"


def test_the_error_is_told_from_what_else_is_said(way):
    s = dfaparse.scan(b"1,x\nx,x\ny,z\n", NUMBERS, on_error="reject", max_rejects=1)
    with pytest.raises(dfaparse.ParseError, match="^input:3:1: .*more than 1 reject") as err:
        s.read()
    assert (err.value.file, err.value.line, err.value.field) == ("input", 3, "n")
    assert s.rejects["line"].to_pylist() == [2, 3]
    s = dfaparse.scan(b"a,b\n1,x\n", columns=["c"])
    for _ in range(2):
        with pytest.raises(dfaparse.OptionError, match='^no column "c"; the columns are a, b$'):
            s.schema


def test_no_text_is_null(way):
    assert dfaparse.read(b"a,b\nx,\n", null=[]).to_pylist() == [{"a": "x", "b": ""}]


def test_rejects_of_a_format_that_rejects(way):
    s = dfaparse.scan(b"1,x\ny,z\n", NUMBERS[:-1] + "on_error reject }")
    assert s.read().num_rows == 1
    assert s.rejects.select(["line", "field"]).to_pylist() == [{"line": 2, "field": "n"}]


def test_both_ways_agree(monkeypatch):
    by_library = dfaparse.read(ROW * 40_000, TYPES)
    monkeypatch.setattr(_library, "_library", None)
    monkeypatch.setattr(_library, "_forked", True)
    by_command = dfaparse.read(ROW * 40_000, TYPES)
    assert by_library.schema.equals(by_command.schema, check_metadata=True)
    assert by_library.equals(by_command)


@pytest.mark.parametrize(
    "options, want",
    [
        ({"memory": "64MiB"}, "memory is a string, want a whole number"),
        ({"n_rows": 1.5}, "n_rows is a number 1.5, want a whole number"),
        ({"columns": [1]}, "columns is a number, want a text"),
        ({"file_column": "a"}, "there is such a column already"),
    ],
)
def test_options_of_another_type(options, want):
    with pytest.raises((dfaparse.OptionError, TypeError), match=want):
        dfaparse.read(b"a,b\n1,2\n", "csv", **options)

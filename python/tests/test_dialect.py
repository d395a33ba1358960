"""How delimited inputs are written, in place of a spec."""

import datetime
import pathlib

import pytest

import dfaparse


def test_dialect() -> None:
    text = b"% a price list\nzip;price;at\n01067;1.234,5;01.02.2024 03:04\n-;2,5;-\n"
    options = {"sep": ";", "decimal": ",", "thousands": ".", "comment": "%", "null": ["-", ""]}
    options["types"] = {"zip": "str", "at": 'ts("%d.%m.%Y %H:%M")'}
    want = [
        {"zip": "01067", "price": 1234.5, "at": datetime.datetime(2024, 2, 1, 3, 4)},
        {"zip": None, "price": 2.5, "at": None},
    ]
    assert dfaparse.read(text, **options).to_pylist() == want
    assert dfaparse.read(text, dfaparse.infer(text, **options)).to_pylist() == want
    frame = dfaparse.scan_polars(text, **options)
    assert frame.collect().to_dicts() == want


def test_over_a_format() -> None:
    text = b"1|'a|b'\n2|x\n"
    got = dfaparse.read(text, "csv", sep="|", quote="'", header=0, types='"column_1": u8')
    assert got.to_pylist() == [{"column_1": 1, "column_2": "a|b"}, {"column_1": 2, "column_2": "x"}]
    assert dfaparse.read(b"a,b\n1\n2,3\n", lax=True).num_rows == 2
    assert dfaparse.read(b"a,b\n1,2\n", all_strings=True).to_pylist() == [{"a": "1", "b": "2"}]
    assert dfaparse.read(b"a,b\n1,-\n", null="-").to_pylist() == [{"a": 1, "b": None}]


def test_what_cannot_be() -> None:
    text = b"a,b\n1,2\n"
    with pytest.raises(dfaparse.OptionError, match="types.*strng"):
        dfaparse.read(text, types={"a": "strng"})
    with pytest.raises(dfaparse.OptionError, match="quote.*one symbol"):
        dfaparse.read(text, quote="''")
    with pytest.raises(dfaparse.OptionError, match="sep: the format says"):
        dfaparse.read(text, "apache_combined", sep=";")
    with pytest.raises(dfaparse.OptionError, match="sep: the format says"):
        dfaparse.read(text, dfaparse.Format("csv"), sep=";")
    with pytest.raises(TypeError, match="sep"):
        dfaparse.read(text, sep=3)  # type: ignore[arg-type]
    with pytest.raises(Exception, match='there is no column "z"'):
        dfaparse.read(text, types={"z": "u8"})


def test_iteration() -> None:
    scan = dfaparse.scan(b"a\n1\n2\n3\n", batch_size=2)
    for _ in range(2):
        assert [batch.num_rows for batch in scan] == [2, 1]
    assert scan.stats["rows"] == 3


def test_logs() -> None:
    text = b"2025-01-02 03:04:05 +02:00 [main] INFO a\nmore\n2025-01-02 03:04:06 +02:00 [b] WARN c\n"
    f = dfaparse.infer(text)
    assert f.said == "input: a log of no known format: a time, where it comes from, a level and a message"
    rows = dfaparse.read(text).to_pylist()
    assert [row["time"].isoformat() for row in rows] == ["2025-01-02T01:04:05+00:00", "2025-01-02T01:04:06+00:00"]
    assert [(row["source"], row["level"], row["message"]) for row in rows] == [("main", "INFO", "a\nmore"), ("b", "WARN", "c")]
    assert f.spec is not None and dfaparse.read(text, f.spec).to_pylist() == rows
    assert dfaparse.read(b"2025-01-02 03:04:05 INFO a\n2025-01-02 03:04:06 b\n2025-01-02 03:04:07 WARN c\n").to_pylist()[0]["level"] == "INFO"


def test_by_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "prices.txt"
    path.write_text("zip;price\n01067;1,5\n-;2\n")
    options = {"sep": ";", "decimal": ",", "null": ["-"], "types": {"zip": "str"}, "lax": True}
    want = dfaparse.read(path, **options).to_pylist()
    assert want == [{"zip": "01067", "price": 1.5}, {"zip": None, "price": 2.0}]
    monkeypatch.setattr(dfaparse._library, "loaded", lambda: None)
    assert dfaparse.read(path, **options).to_pylist() == want
    assert dfaparse.read(path, "csv", **options).to_pylist() == [{"zip": "01067", "price": "1,5"}, {"zip": None, "price": "2"}]

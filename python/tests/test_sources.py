"""An input without a format, and names of all kinds, as the command takes them."""

import bz2
import functools
import gzip
import http.server
import lzma
import os
import threading
import zipfile
from pathlib import Path

import pytest

import dfaparse
from dfaparse import _library
from dfaparse._tasks import Plan

LOG = b'127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326 "-" "Mozilla/4.08"\n' * 20


@pytest.fixture(params=["library", "command"])
def way(request, monkeypatch):
    if request.param == "command":
        monkeypatch.setattr(_library, "_library", None)
        monkeypatch.setattr(_library, "_forked", True)
    return request.param


@pytest.fixture
def folder(tmp_path):
    """A table in files of several kinds, in folders that name a column."""
    files = {
        "year=2024/a.csv": b"id,price\n1,2.5\n2,3.5\n",
        "year=2024/b.csv.gz": gzip.compress(b"id,price\n3,4.5\n"),
        "year=2025/c.csv.bz2": bz2.compress(b"price,id\n5.5,4\n"),
        "year=2025/d.csv.xz": lzma.compress(b"id,price\n5,7\n"),
        "_SUCCESS": b"",
        "year=2024/a.csv.dfai": b"an index",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_a_log_is_identified(way, tmp_path):
    path = tmp_path / "requests"
    path.write_bytes(LOG)
    for src in (path, LOG):
        assert dfaparse.read(src, columns=["status"])["status"].to_pylist() == [200] * 20
    lines = tmp_path / "lines"
    lines.write_bytes(b'{"a": 1}\n{"a": 2}\n')
    assert dfaparse.read(lines).num_rows == 2


def test_an_encoding_is_found(way, tmp_path):
    path = tmp_path / "menu.csv"
    text = "dish;price\n" + "crème brûlée;7\ncafé;2\n" * 3
    for encoding in ("utf-16", "windows-1252"):
        path.write_bytes(text.encode(encoding))
        table = dfaparse.read(path)
        assert table.column_names == ["dish", "price"] and table["dish"][1].as_py() == "café"
    assert dfaparse.read(path, "csv", encoding="iso-8859-1", columns=["dish;price"]).num_rows == 6
    with pytest.raises(ValueError, match="nosuch"):
        dfaparse.read(path, encoding="nosuch")
    other = tmp_path / "other.csv"
    other.write_text("dish;price\nŻurek;9\n", encoding="utf-8")  # each has its own
    for how in ({}, {"encoding": "auto"}):
        assert dfaparse.read([path, other], **how)["dish"].to_pylist()[-2:] == ["café", "Żurek"]


def test_many_files_are_one_table(way, folder):
    want = {"id": [1, 2, 3, 4, 5], "price": [2.5, 3.5, 4.5, 5.5, 7.0]}
    for src in (folder, folder / "*" / "*", str(folder / "**" / "*.csv*"), sorted(folder.glob("*/*.csv*"))[:1] + [folder / "*" / "[b-d].*"]):
        assert dfaparse.read(src).to_pydict() == want
    table = dfaparse.read(folder, hive=True, file_column="from")
    assert table["year"].to_pylist() == [2024] * 3 + [2025] * 2
    assert table["from"][0].as_py() == str(folder / "year=2024" / "a.csv")
    assert dfaparse.read(folder, skip_rows=1, n_rows=3)["id"].to_pylist() == [2, 3, 4]
    assert dfaparse.read(folder, columns=["price"]).to_pydict() == {"price": want["price"]}
    with pytest.raises(FileNotFoundError):
        dfaparse.read(folder / "*.tsv", "csv")


def test_types_of_folders(way, folder):
    table = dfaparse.read(folder, hive=True, types={"year": "str", "id": "u8"})
    assert (table["year"].to_pylist(), table["id"].to_pylist()) == (["2024"] * 3 + ["2025"] * 2, [1, 2, 3, 4, 5])
    assert dfaparse.read(folder, hive=True, all_strings=True)["year"].to_pylist() == ["2024"] * 3 + ["2025"] * 2
    assert dfaparse.read(folder, "csv", hive=True, types={"year": "str"})["year"][0].as_py() == "2024"
    assert dfaparse.read(folder, hive=True, types={"id": "u8"})["year"][0].as_py() == 2024


def test_data_lies_in_no_folder(way):
    with pytest.raises(dfaparse.OptionError, match="the input is none"):
        dfaparse.read(b"a\n1\n", hive=True)


def test_names_that_are_no_utf8(way, tmp_path):
    folder = tmp_path / "names"
    folder.mkdir()
    for i, name in enumerate((b"\xff.csv", b"\\udcff \xe2\x82.csv", "\\n€😀.csv".encode())):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(b"a\n%d\n" % i)
    paths = sorted(folder.iterdir())
    want = sorted(int(path.read_text()[2]) for path in paths)
    for src in (paths, folder, folder / "*.csv"):
        assert sorted(dfaparse.read(src)["a"].to_pylist()) == want
        assert sorted(dfaparse.read(src, "csv")["a"].to_pylist()) == [str(i) for i in want]
    bad = Path(os.fsdecode(os.fsencode(folder) + b"/\xff.csv"))
    assert dfaparse.read(bad, file_column="from")["from"].to_pylist() == [str(folder / "\ufffd.csv")]
    if way == "library":  # the command has JSON of names that are UTF-8
        assert dfaparse.read(bad, split=dfaparse.split(bad, 1)[0])["a"].to_pylist() == [0]
    bad.write_bytes(b"a\nx\n")
    spec = "format n { delimited { sep ',' } header names fields { a u8! } }"
    scan = dfaparse.scan(bad, spec, on_error="reject")
    assert scan.read().num_rows == 0 and scan.rejects["file"].to_pylist() == [str(folder / "\ufffd.csv")]
    with pytest.raises(FileNotFoundError):
        dfaparse.read(os.fsdecode(b"/nosuch\xff.csv"))


def test_columns_by_name_and_by_position(way, tmp_path):
    (tmp_path / "a.csv").write_text("id,x\n1,2\n")
    (tmp_path / "b.csv").write_text("id,y\n3,4\n")
    with pytest.raises(ValueError, match="b.csv"):
        dfaparse.read(tmp_path / "*.csv")
    by_name = dfaparse.read(tmp_path / "*.csv", union="name")
    assert by_name.to_pydict() == {"id": [1, 3], "x": [2, None], "y": [None, 4]}
    assert dfaparse.read(tmp_path, union="position").to_pydict() == {"id": [1, 3], "x": [2, 4]}
    assert len(dfaparse.scan(tmp_path, union="name").schema) == 3


def test_rejects_of_many_files(way, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("1\nx\n")
    spec = "format n { delimited { sep ',' } fields { n u8! } }"
    scan = dfaparse.scan(tmp_path, spec, on_error="reject")
    assert scan.read().num_rows == 2
    assert [r["file"][-5:] for r in scan.rejects.to_pylist()] == ["a.txt", "b.txt"]
    with pytest.raises((ValueError, RuntimeError), match="x"):
        dfaparse.read(tmp_path, spec, on_error="reject", max_rejects=1)


def test_archives_and_servers(way, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as z:
        z.writestr("a.csv", "id\n1\n")
        z.writestr("b.csv", "id\n2\n")
    assert dfaparse.read(tmp_path / "a.zip")["id"].to_pylist() == [1, 2]

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    (tmp_path / "c.csv").write_text("id\n3\n")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=tmp_path))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        assert dfaparse.read(f"http://127.0.0.1:{server.server_port}/c.csv")["id"].to_pylist() == [3]
    finally:
        server.shutdown()


def test_splits_of_a_folder(way, folder):
    (folder / "year=2024" / "a.csv.dfai").unlink()  # it is none
    splits = dfaparse.split(folder / "year=2024", 2, "csv")
    assert [s.count for s in splits] == [2, 1]
    assert len(Plan(folder, None).paths) == 4

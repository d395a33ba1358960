"""Splits together are the file, by the library and by the command."""

import gzip
import pickle
import zipfile

import pyarrow as pa
import pytest

import dfaparse
from dfaparse import _command, _library
from dfaparse._tasks import Plan

SPEC = "format n extends csv { fields { n u16!  text str } }"


@pytest.fixture(params=["library", "command"])
def way(request, monkeypatch):
    if request.param == "command":
        monkeypatch.setattr(_library, "_library", None)
        monkeypatch.setattr(_library, "_forked", True)
    return request.param


def records(n, wrong=()):
    """Records of several lines, each of which looks like a record, and some that are wrong."""
    lines = "".join(f"{i},x\n" for i in range(20))
    return "n,text\n" + "".join(f'{"x" if i in wrong else i},"{lines}{i}"\n' for i in range(n))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "records.csv"
    path.write_text(records(500, {7, 250, 499}))
    return path


def test_splits_are_the_file(way, file):
    whole = dfaparse.scan(file, SPEC, on_error="reject")
    want = whole.read()
    assert want.num_rows == 497
    for n in (1, 4, 600):
        splits = dfaparse.split(file, n, SPEC)
        assert [s.number for s in splits] == list(range(1, n + 1)) and sum(s.count for s in splits) == 500
        if n == 600:
            splits = splits[::40]
        scans = [dfaparse.scan(file, split=s, on_error="reject") for s in splits]
        tables = [s.read() for s in scans]
        if n < 600:
            assert pa.concat_tables(tables).equals(want)
            assert pa.concat_tables(s.rejects for s in scans).equals(whole.rejects)
            assert sum(s.stats["rows"] for s in scans) == 497
    assert whole.rejects["record"].to_pylist() == [8, 251, 500]


def test_a_split_goes_elsewhere(way, file):
    s = dfaparse.split(file, 3, SPEC)[1]
    for again in (pickle.loads(pickle.dumps(s)), dfaparse.Split.from_json(s.to_json())):
        assert again == s and dfaparse.read(again.path, split=again, n_rows=2)["n"].to_pylist()[0] == s.first_record - 1
    assert (s.of, s.start > 0, s.end > s.start) == (3, True, True)


def test_several_files(way, file, tmp_path):
    other = tmp_path / "other.csv.gz"
    other.write_bytes(gzip.compress(records(100).encode()))
    splits = dfaparse.split([file, other], 6, SPEC)
    assert [s.path for s in splits].count(str(other)) >= 1
    tables = [dfaparse.read(s.path, split=s, on_error="reject") for s in splits]
    assert pa.concat_tables(tables).equals(dfaparse.read([file, other], SPEC, on_error="reject"))


def test_what_cannot_be(way, file):
    s = dfaparse.split(file, 2, SPEC)[1]
    with pytest.raises(ValueError, match="another format"):
        dfaparse.read(file, "csv", split=s)
    with pytest.raises(ValueError, match="n is 0"):
        dfaparse.split(file, 0, SPEC)
    with pytest.raises(TypeError, match="files"):
        dfaparse.split(b"a,b\n", 2, "csv")
    file.write_text(records(501))
    with pytest.raises((ValueError, RuntimeError), match="not any more"):
        dfaparse.read(file, split=s)


def test_tasks_write_rejects_once(file, tmp_path):
    tasks = Plan(file, SPEC, splits=4, rejects=tmp_path / "rejects").tasks()
    for task in tasks + tasks[:2]:  # two run again
        list(task.batches(["n"]))
    found = sorted((tmp_path / "rejects").iterdir())
    assert len(found) == 4
    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "rejects")
    assert sorted(table["record"].to_pylist()) == [8, 251, 500]


def test_folders_and_patterns(file, tmp_path):
    (tmp_path / "_SUCCESS").touch()
    for src in (tmp_path, tmp_path / "*.csv", f"file://{file}"):
        assert Plan(src, SPEC).paths == [str(file)]
    with pytest.raises(FileNotFoundError):
        Plan(tmp_path / "*.tsv", SPEC)
    with pytest.raises(ValueError, match="n_rows"):
        Plan(file, SPEC, n_rows=3)


def test_columns_of_several_files(tmp_path):
    one, other, third = tmp_path / "1.csv", tmp_path / "2.csv", tmp_path / "3.csv"
    one.write_text("a,b\n1,x\n")
    other.write_text("b,a\ny,2\n")
    third.write_text("a,c\n3,z\n")
    tables = [pa.Table.from_batches(task.batches()) for task in Plan([one, other], "csv").tasks()]
    assert [t.schema.names for t in tables] == [["a", "b"]] * 2
    assert pa.concat_tables(tables).equals(dfaparse.read([one, other], "csv"))
    (empty := tmp_path / "0.csv").touch()
    assert [task.path for task in Plan([empty, one], "csv").tasks()] == [str(one)]
    with pytest.raises(dfaparse.FormatError, match="its columns are a, c, and not a, b"):
        for task in Plan([one, third], "csv").tasks():
            list(task.batches())
    with pytest.raises(ValueError, match="skip_rows is of one file"):
        Plan([one, other], "csv", skip_rows=1)


def compressed(path, how):
    with pa.CompressedOutputStream(str(path), how) as f:
        f.write(records(500, {7}).encode())
    return path


def test_what_cannot_be_split_is_one_task(tmp_path):
    single = [compressed(tmp_path / f"a.csv.{end}", how) for end, how in [("zst", "zstd"), ("bz2", "bz2"), ("lz4", "lz4")]]
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a.csv", records(500, {7}))
    wide = tmp_path / "a.csv"
    wide.write_text(records(500, {7}), encoding="utf-16")
    formats = {wide: dfaparse.Format.from_spec(SPEC, encoding="utf-16")}
    for path in (*single, tmp_path / "a.zip", wide):
        (task,) = Plan(path, formats.get(path, SPEC), splits=4, rejects=tmp_path / "rejects").tasks()
        for _ in range(2):
            assert sum(b.num_rows for b in task.batches(["n"])) == 499
    said = SPEC.rstrip().removesuffix("}") + ' encoding "utf-16" }'
    assert dfaparse.Format.from_spec(said).encoding == "UTF-16" and dfaparse.Format("csv").encoding is None
    (task,) = Plan(wide, said, splits=4, on_error="reject").tasks()
    assert sum(b.num_rows for b in task.batches(["n"])) == 499
    with pytest.raises(dfaparse.OptionError, match="UTF-8"):
        dfaparse.split(wide, 2, said)
    assert [_command.encoding({"spec": said}), _command.encoding({"format": "csv"})] == ["UTF-16", None]
    import pyarrow.parquet as pq

    rejects = pq.read_table(tmp_path / "rejects")
    assert rejects["line"].to_pylist() == [2 + 7 * 21] * 5 and rejects["record"].to_pylist() == [8] * 5

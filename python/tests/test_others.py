"""Libraries of columns take a scan as it is."""

import pytest

import dfaparse

ROWS = b"id,name,price\n" + b"".join(b"%d,n%d,%d.5\n" % (i, i % 7, i) for i in range(50_000))


@pytest.fixture
def scan():
    return dfaparse.scan(ROWS, batch_size=1000)


def test_pandas(scan):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame.from_arrow(scan) if hasattr(pd.DataFrame, "from_arrow") else scan.read().to_pandas()
    assert frame["id"].sum() == sum(range(50_000)) and list(frame.columns) == ["id", "name", "price"]


def test_duckdb(scan):
    duckdb = pytest.importorskip("duckdb")
    for _ in range(2):  # it opens again
        assert duckdb.sql("select count(*), sum(id), max(name) from scan where price > 100").fetchall() == [
            (49_900, sum(range(100, 50_000)), "n6")
        ]


def test_polars(scan):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(scan)
    assert frame.shape == (50_000, 3) and frame["id"].sum() == sum(range(50_000))


def test_scan_polars(monkeypatch):
    pl = pytest.importorskip("polars")
    from dfaparse import _read

    asked = []
    opened = _read.Scan._open

    def _open(self, **more):
        asked.append(more)
        return opened(self, **more)

    lazy = dfaparse.scan_polars(ROWS)
    monkeypatch.setattr(_read.Scan, "_open", _open)
    assert lazy.collect().shape == (50_000, 3)
    assert lazy.select("name").collect().columns == ["name"]
    assert asked[-1].get("columns") == ["name"]
    got = lazy.filter(pl.col("id") % 2 == 1).select(pl.col("price").sum()).collect().item()
    assert got == sum(i + 0.5 for i in range(1, 50_000, 2))
    assert set(asked[-1]["columns"]) == {"id", "price"}
    assert lazy.head(5).collect()["id"].to_list() == [0, 1, 2, 3, 4]
    assert asked[-1]["n_rows"] == 5
    assert lazy.select(pl.len()).collect().item() == 50_000
    assert len(asked[-1]["columns"]) == 1
    assert lazy.head(7).select(pl.len()).collect().item() == 7
    assert lazy.filter(pl.col("id") < 9).select(pl.len()).collect().item() == 9
    assert lazy.filter(pl.col("name") == "n3").head(2).collect()["id"].to_list() == [3, 10]

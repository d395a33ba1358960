"""A file that readers which guess cut wrongly: 1,300 records, each with lines that look like
records in its quotes."""

import pytest

SPEC = "format torture extends csv { fields { id u32!  text str  end u8 } }"
WRONG = {5, 640, 1299}  # of 1,300 and 3 more
INNER = "".join(f"{i},row-shaped,{i % 200}\n" for i in range(300))


@pytest.fixture(scope="session")
def torture(tmp_path_factory):
    path = tmp_path_factory.mktemp("torture") / "torture.csv"
    with open(path, "w") as f:
        f.write("id,text,end\n")
        for i in range(1303):
            f.write(f'{"bad" if i in WRONG else i},"{INNER}",{i % 200}\n')
    return str(path)


def squeezed(path, ending, how):
    import pyarrow as pa

    squeezed = f"{path}.{ending}"
    with open(path, "rb") as f, pa.CompressedOutputStream(squeezed, how) as to:
        to.write(f.read())
    return squeezed


@pytest.fixture(scope="session")
def single(torture):
    """The file as one frame of zstd, which is read from its beginning."""
    return squeezed(torture, "zst", "zstd")


@pytest.fixture(scope="session")
def gzipped(torture):
    """The file in gzip, with an index."""
    import dfaparse._command

    path = squeezed(torture, "gz", "gzip")
    spec = f"{path}.dfp"
    with open(spec, "w") as f:
        f.write(SPEC)
    dfaparse._command.run("index", "-f", spec, "--every", "1MiB", path)
    return path


IDS = [i for i in range(1303) if i not in WRONG]


def check_rejects(folder):
    import pyarrow.parquet as pq

    table = pq.read_table(folder).sort_by("record")
    assert table["record"].to_pylist() == [i + 1 for i in sorted(WRONG)]
    assert table["line"].to_pylist() == [2 + 301 * i for i in sorted(WRONG)]
    assert set(table["field"].to_pylist()) == {"id"}

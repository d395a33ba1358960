"""Builds the extension, loads it into DuckDB and asks it: check.py HEADERS

HEADERS is the folder with duckdb.h and duckdb_extension.h. The Python that runs it has the
packages dfaparse, whose library is taken, and duckdb.
"""

import datetime
import subprocess
import sys
import tempfile
from pathlib import Path

import dfaparse
import duckdb

here = Path(__file__).parent
library = Path(dfaparse.__file__).with_name("libdfaparse.so")

with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    subprocess.run(["sh", here / "build.sh", sys.argv[1], library, folder], check=True)
    con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    con.load_extension(str(folder / "dfaparse.duckdb_extension"))

    def ask(query: str) -> list:
        return con.sql(query.replace("FOLDER", str(folder))).fetchall()

    def fails(query: str, *words: str) -> None:
        try:
            rows = ask(query)
        except duckdb.Error as err:
            missing = [word for word in words if word not in str(err)]
            assert not missing, f"{err} does not say {missing}"
        else:
            raise AssertionError(f"{query} gives {rows[:3]}")

    # Records of 300 lines, each of which looks like a record.
    inner = "".join(f"{i},row-shaped,{i % 200}\n" for i in range(300))
    (folder / "torture.csv").write_text("id,text,end\n" + "".join(f'{i},"{inner}",{i % 200}\n' for i in range(1300)))
    assert ask("select count(*), sum(id), min(length(text)), max(length(text)) from dfaparse('FOLDER/torture.csv')") == [
        (1300, sum(range(1300)), len(inner), len(inner))
    ]
    assert ask("""select "end", id from dfaparse('FOLDER/torture.csv') where id between 640 and 642 order by id""") == [
        (40, 640), (41, 641), (42, 642)
    ]
    assert len(ask("select * from dfaparse('FOLDER/torture.csv') limit 3")) == 3

    (folder / "types.csv").write_text("id,price,day,seen,name,ok\n1,2.5,2026-01-02,2026-01-02T10:00:00Z,Ada,true\n2,,,,\"a, b\",false\n")
    at = datetime.datetime(2026, 1, 2, 10, tzinfo=datetime.timezone.utc)
    (first, second) = ask("select id, price, day, seen = timestamptz '2026-01-02 10:00:00+00', name, ok from dfaparse('FOLDER/types.csv') order by id")
    assert first == (1, 2.5, at.date(), True, "Ada", True), first
    assert second == (2, None, None, None, "a, b", False), second

    (folder / "case.csv").write_text("a,A,a_1,A\n1,2,3,4\n")
    assert con.sql(f"select * from dfaparse('{folder}/case.csv')").columns == ["a", "A_1", "a_1_1", "A_2"]
    assert ask("""select "A_2", a_1_1, "A_1", a from dfaparse('FOLDER/case.csv')""") == [(4, 3, 2, 1)]

    (folder / "bad.csv").write_text("1\n2\nq\n")
    fails("""select sum(x) from dfaparse('FOLDER/bad.csv', format := 'format b { delimited { sep "," } fields { x u8! } }')""", "bad.csv:3:1", '"x"', '"q"')
    fails("select * from dfaparse('FOLDER/none.csv')", "none.csv")
    fails("select * from dfaparse(null)", "the path is null")
    fails("select * from dfaparse('FOLDER/bad.csv', format := 'nosuch')", "nosuch")
    print(f"DuckDB {duckdb.__version__} has loaded the extension: {ask('''select count(*) from dfaparse('FOLDER/torture.csv')''')[0][0]} records")

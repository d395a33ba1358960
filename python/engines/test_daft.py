"""Daft on this machine."""

import asyncio

import daft
from conftest import IDS, INNER, SPEC, check_rejects
from daft.io.pushdowns import Pushdowns

import dfaparse.daft


async def tasks(source):
    return [task async for task in source.get_tasks(Pushdowns())]


def test_torture(torture, tmp_path):
    options = {"splits": 5, "rejects": str(tmp_path / "rejects")}
    assert len(asyncio.run(tasks(dfaparse.daft.Source(torture, SPEC, **options)))) == 5
    frame = dfaparse.daft.read(torture, SPEC, **options)
    assert frame.column_names == ["id", "text", "end"]
    rows = frame.to_pydict()
    assert sorted(rows["id"]) == IDS and set(rows["text"]) == {INNER}
    check_rejects(tmp_path / "rejects")
    assert sorted(dfaparse.daft.read(torture, SPEC, **options).select("id").to_pydict()["id"]) == IDS
    check_rejects(tmp_path / "rejects")
    assert frame.where(daft.col("id") == 700).count_rows() == 1
    assert len(frame.select("end", "id").limit(3).to_pydict()["id"]) == 3


def test_a_task_that_is_run_again(torture):
    task = asyncio.run(tasks(dfaparse.daft.Source(torture, SPEC, splits=4, on_error="reject")))[2]

    async def rows():
        return [batch.to_pydict() async for batch in task.read()]

    first = asyncio.run(rows())
    assert first == asyncio.run(rows()) and len(first) > 0


def test_compressed(single, gzipped, tmp_path):
    for path, n in ((single, 1), (gzipped, 4)):
        folder = str(tmp_path / str(n))
        assert len(asyncio.run(tasks(dfaparse.daft.Source(path, SPEC, splits=4)))) == n
        frame = dfaparse.daft.read(path, SPEC, splits=4, rejects=folder)
        assert sorted(frame.to_pydict()["id"]) == IDS
        check_rejects(folder)

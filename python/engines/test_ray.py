"""Ray Data on this machine."""

import pytest
import ray
from conftest import IDS, INNER, SPEC, check_rejects

import dfaparse.ray


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    yield
    ray.shutdown()


def test_torture(torture, tmp_path):
    source = dfaparse.ray.Datasource(torture, SPEC, splits=5, rejects=str(tmp_path / "rejects"))
    assert len(source.get_read_tasks(2)) == 5
    dataset = dfaparse.ray.read(torture, SPEC, splits=5, rejects=str(tmp_path / "rejects"))
    assert dataset.schema().names == ["id", "text", "end"]
    rows = dataset.take_all()
    assert sorted(r["id"] for r in rows) == IDS and {r["text"] for r in rows} == {INNER}
    check_rejects(tmp_path / "rejects")
    assert sorted(r["id"] for r in dataset.select_columns(["id"]).take_all()) == IDS  # again
    check_rejects(tmp_path / "rejects")


def test_a_task_that_is_run_again(torture):
    task = dfaparse.ray.Datasource(torture, SPEC, splits=4, on_error="reject").get_read_tasks(4)[2]
    first, again = ([t.to_pydict() for t in task()] for _ in range(2))
    assert first == again and len(first) > 0


def test_compressed(single, gzipped, tmp_path):
    for path, tasks in ((single, 1), (gzipped, 4)):
        folder = str(tmp_path / str(tasks))
        assert len(dfaparse.ray.Datasource(path, SPEC, splits=4).get_read_tasks(4)) == tasks
        rows = dfaparse.ray.read(path, SPEC, splits=4, rejects=folder).take_all()
        assert sorted(r["id"] for r in rows) == IDS
        check_rejects(folder)

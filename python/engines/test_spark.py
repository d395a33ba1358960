"""Spark in local mode, with a process for each task."""

import datetime
import decimal
import os
import sys

import pytest
from conftest import IDS, INNER, SPEC, check_rejects
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from dfaparse.spark import DataSource


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[4,3]")  # a task that fails is run again
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.dataSource.register(DataSource)
    yield session
    session.stop()


def test_torture(spark, torture, tmp_path):
    read = spark.read.format("dfaparse").option("spec", SPEC).option("splits", 5).option("rejects", str(tmp_path / "rejects"))
    frame = read.load(torture)
    assert frame.dtypes == [("id", "bigint"), ("text", "string"), ("end", "smallint")]
    assert frame.rdd.getNumPartitions() == 5
    rows = frame.select("id", F.length("text").alias("n"), F.spark_partition_id().alias("task")).collect()
    assert [r.id for r in rows] == IDS and {r.n for r in rows} == {len(INNER)}
    assert len({r.task for r in rows}) >= 4
    assert [r.id for r in frame.select("id").collect()] == IDS  # it runs again, and rejects are the same
    check_rejects(tmp_path / "rejects")


def test_compressed(spark, single, gzipped, tmp_path):
    for path, tasks in ((single, 1), (gzipped, 4)):
        folder = str(tmp_path / str(tasks))
        frame = spark.read.format("dfaparse").option("spec", SPEC).option("splits", 4).option("rejects", folder).load(path)
        assert frame.rdd.getNumPartitions() == tasks
        assert [r.id for r in frame.select("id").collect()] == IDS
        check_rejects(folder)


def test_a_task_that_is_run_again(spark, torture, tmp_path):
    frame = spark.read.format("dfaparse").option("spec", SPEC).option("splits", 4).option("on_error", "reject").load(torture)
    marks = str(tmp_path)

    def fail_once(batches):
        from pyspark import TaskContext

        mark = os.path.join(marks, str(TaskContext.get().partitionId()))
        for batch in batches:
            if not os.path.exists(mark):
                open(mark, "w").close()
                raise RuntimeError("once")
            yield batch

    again = frame.select("id").mapInArrow(fail_once, "id long")
    assert [r.id for r in again.collect()] == IDS
    assert len(list(tmp_path.iterdir())) >= 4


def test_columns_and_filters(spark, torture):
    read = spark.read.format("dfaparse").option("spec", SPEC).option("splits", 4).option("on_error", "reject")
    frame = read.schema("end int, id long").load(torture)
    assert frame.where("id >= 100 and id < 110 and end <> 3").orderBy("id").collect() == [(i, i) for i in range(100, 110)]
    assert frame.where("end = 7").count() == 7
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    frame = read.option("push_filters", "true").schema("end int, id long").load(torture)
    assert frame.where("id >= 100 and id < 110 and end <> 3").orderBy("id").collect() == [(i, i) for i in range(100, 110)]
    assert frame.where("end = 7").count() == 7
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")


def test_types(spark, tmp_path):
    path = tmp_path / "types.txt"
    path.write_text("5|7|1.25|2026-03-02|12:30:00|2026-03-02T09:15:00Z|2026-03-02T09:15:00|c0ffee|word|1,2|a=1\n" + "|" * 10 + "\n")
    spec = """format t { delimited { sep '|' } fields { u u64  i i8  d dec(10, 2)  day date  t time  at ts  z ts(tz none)
      x binary(hex)  w dict  many list(u16, sep ',')  pairs map(i16, pairs ',', kv '=') } }"""
    rows = spark.read.format("dfaparse").option("spec", spec).load(str(path)).collect()
    row = rows[0].asDict()
    assert (row["u"], row["i"], row["d"], row["day"]) == (5, 7, decimal.Decimal("1.25"), datetime.date(2026, 3, 2))
    assert (row["at"], row["z"]) == (datetime.datetime(2026, 3, 2, 9, 15), datetime.datetime(2026, 3, 2, 9, 15))
    assert (str(row["t"])[:8], bytes(row["x"]), row["w"], row["many"], row["pairs"]) == ("12:30:00", b"\xc0\xff\xee", "word", [1, 2], {"a": 1})
    assert rows[1].u is None


def test_what_cannot_be(spark, torture):
    with pytest.raises(Exception, match="no option nosuch"):
        spark.read.format("dfaparse").option("nosuch", "1").load(torture).count()
    with pytest.raises(Exception, match="record (6|1300), field"):  # of two tasks that fail, one is first
        spark.read.format("dfaparse").option("spec", SPEC).load(torture).collect()

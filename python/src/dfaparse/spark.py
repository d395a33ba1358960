"""A data source of Spark 4: `spark.read.format("dfaparse")`.

    from dfaparse.spark import DataSource
    spark.dataSource.register(DataSource)
    frame = spark.read.format("dfaparse").option("spec", "csv").load("trips.csv")

Each task reads a split of a file, exactly its records. The options are those of
`dfaparse.read`, and

* `spec`: the format, as `dfaparse.Format` takes it, or the text of a spec; without it, it is
  found out from the first file;
* `splits`: how many tasks there are in all; without it of at most 128 MiB each;
* `rejects`: a folder, which gets a Parquet file of each task with what it left out;
* `push_filters`: "true" leaves rows that a query cannot want out where they are read, if
  spark.sql.python.filterPushdown.enabled is set; Spark refuses it where it is not.

A schema that is given, `spark.read.schema("id long, name string")`, names the columns that
are read; the others are not converted.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import datasource
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from ._tasks import Plan, Task

__all__ = ["DataSource"]

_NUMBERS = ("splits", "skip_rows", "skip_lines", "max_rejects", "threads", "batch_size", "memory")
_TEXTS = ("rejects", "on_error", "shape")
_HERE = ("spec", "push_filters")


class DataSource(datasource.DataSource):
    """Files of any format, as rows of Spark."""

    @classmethod
    def name(cls) -> str:
        return "dfaparse"

    def _plan(self) -> Plan:
        given = {k.lower(): v for k, v in self.options.items()}
        paths = json.loads(given["paths"]) if "paths" in given else [given["path"]] if "path" in given else []
        if not paths:
            raise ValueError('say what to read: spark.read.format("dfaparse").load("trips.csv")')
        options: dict[str, Any] = {k: int(given[k]) for k in _NUMBERS if k in given}
        options |= {k: given[k] for k in _TEXTS if k in given}
        if unknown := sorted(given.keys() - {"path", "paths", *_HERE, *_NUMBERS, *_TEXTS}):
            raise ValueError(f"there is no option {', '.join(unknown)}; there are {', '.join(_HERE + _NUMBERS + _TEXTS)}")
        return Plan(paths, given.get("spec"), **options)

    def schema(self) -> StructType:
        types = pa.schema([pa.field(f.name, known(f.type), f.nullable) for f in self._plan().schema()])
        return from_arrow_schema(types, prefer_timestamp_ntz=True)

    def reader(self, schema: StructType) -> Reader:
        filtering = str(self.options.get("push_filters", "false")).lower() == "true"
        return (FilteringReader if filtering else Reader)(self._plan(), schema)


class Partition(datasource.InputPartition):
    def __init__(self, task: Task) -> None:
        super().__init__(task.number)
        self.task = task


class Reader(datasource.DataSourceReader):
    def __init__(self, plan: Plan, schema: StructType) -> None:
        self.plan = plan
        # What a time zone is called in Arrow is of no matter to Spark; some versions want to be told.
        zone = {"timezone": "UTC"} if "timezone" in inspect.signature(to_arrow_schema).parameters else {}
        self.columns = to_arrow_schema(schema, **zone)
        self.filter: pc.Expression | None = None

    def partitions(self) -> list[Partition]:
        return [Partition(task) for task in self.plan.tasks(os.cpu_count() or 1)]

    def read(self, partition: Partition) -> Iterator[pa.RecordBatch]:
        for batch in partition.task.batches(self.columns.names):
            batch = batch.cast(self.columns)
            yield batch if self.filter is None else batch.filter(self.filter)


class FilteringReader(Reader):
    """Spark refuses a reader that has pushFilters unless its configuration allows that."""

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Rows that cannot be wanted are left out where they are read. Spark applies all filters
        itself again, so that what they mean is its business alone."""
        for f in filters:
            expression = self._expression(f)
            if expression is not None:
                self.filter = expression if self.filter is None else self.filter & expression
            yield f

    def _expression(self, f: Any) -> pc.Expression | None:
        """What a filter says, for types of whose values both have the same idea."""
        path = getattr(f, "attribute", ())
        if len(path) != 1 or path[0] not in self.columns.names:
            return None
        column, type = pc.field(path[0]), self.columns.field(path[0]).type
        match f.__class__.__name__:
            case "IsNotNull":
                return column.is_valid()
            case "EqualTo" if pa.types.is_integer(type) or pa.types.is_string(type):
                return column == pa.scalar(f.value, type)
            case "GreaterThan" if pa.types.is_integer(type):
                return column > pa.scalar(f.value, type)
            case "GreaterThanOrEqual" if pa.types.is_integer(type):
                return column >= pa.scalar(f.value, type)
            case "LessThan" if pa.types.is_integer(type):
                return column < pa.scalar(f.value, type)
            case "LessThanOrEqual" if pa.types.is_integer(type):
                return column <= pa.scalar(f.value, type)
        return None


def known(type: pa.DataType) -> pa.DataType:
    """The type of Spark's in which all values of a type have a place."""
    t = pa.types
    if t.is_unsigned_integer(type):
        wider = {8: pa.int16(), 16: pa.int32(), 32: pa.int64(), 64: pa.decimal128(20, 0)}
        return wider[type.bit_width]
    if t.is_timestamp(type):
        return pa.timestamp("us", type.tz)
    if t.is_duration(type):
        return pa.duration("us")
    if t.is_time(type) or t.is_null(type) or t.is_decimal(type) and type.precision > 38 or type.id == pa.month_day_nano_interval().id:
        return pa.string()
    if t.is_dictionary(type):
        return known(type.value_type)
    if t.is_fixed_size_binary(type):
        return pa.binary()
    if isinstance(type, pa.BaseExtensionType):
        return known(type.storage_type)
    if t.is_map(type):
        return pa.map_(known(type.key_type), known(type.item_type))
    if t.is_list(type) or t.is_large_list(type) or t.is_fixed_size_list(type):
        return pa.list_(known(type.value_type))
    if t.is_struct(type):
        return pa.struct([pa.field(f.name, known(f.type), f.nullable) for f in type])
    return type

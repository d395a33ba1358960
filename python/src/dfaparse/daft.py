"""A source of Daft.

    import dfaparse.daft
    frame = dfaparse.daft.read("trips.csv", "csv")

Each task reads a split of a file, exactly its records, and only the columns that a query
needs.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import daft
import pyarrow as pa
from daft.io.source import DataSource, DataSourceTask
from daft.recordbatch import RecordBatch
from daft.schema import Schema

from ._format import FormatLike
from ._tasks import Plan, Task

if TYPE_CHECKING:
    from daft.io.pushdowns import Pushdowns

__all__ = ["Source", "read"]


class Source(DataSource):
    """Files of any format, as a source of Daft.

    :param src: a path, some, a folder, or a pattern.
    :param format: as for `dfaparse.read`.
    :param splits: how many tasks there are; without it of at most 128 MiB each.
    :param rejects: a folder, which gets a Parquet file of each task with what it left out.
    :param options: others of `dfaparse.read`.
    """

    def __init__(self, src: Any, format: FormatLike = None, *, splits: int | None = None, rejects: str | None = None, **options: Any) -> None:
        self._plan = Plan(src, format, splits=splits, rejects=rejects, **options)
        self._schema = Schema.from_pyarrow_schema(self._plan.schema())

    @property
    def name(self) -> str:
        return "dfaparse"

    @property
    def schema(self) -> Schema:
        return self._schema

    async def get_tasks(self, pushdowns: Pushdowns) -> AsyncIterator[DataSourceTask]:
        columns = None
        if pushdowns.columns:
            wanted = {*pushdowns.columns, *pushdowns.filter_required_column_names()}  # Daft applies filters itself
            columns = [name for name in self._schema.column_names() if name in wanted]
        for task in self._plan.tasks(os.cpu_count() or 1):
            yield SplitTask(task, self._schema, columns)


class SplitTask(DataSourceTask):
    def __init__(self, task: Task, schema: Schema, columns: list[str] | None) -> None:
        self._task = task
        self._columns = columns
        self._schema = schema if columns is None else Schema.from_pyarrow_schema(_pick(schema, columns))

    @property
    def schema(self) -> Schema:
        return self._schema

    async def read(self) -> AsyncIterator[RecordBatch]:
        for batch in self._task.batches(self._columns):
            yield RecordBatch.from_arrow_record_batches([batch], batch.schema)


def _pick(schema: Schema, columns: list[str]) -> pa.Schema:
    types = schema.to_pyarrow_schema()
    return pa.schema([types.field(name) for name in columns])


def read(src: Any, format: FormatLike = None, **options: Any) -> daft.DataFrame:
    """A DataFrame of files. The options are those of `Source`."""
    return Source(src, format, **options).read()

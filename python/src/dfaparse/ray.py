"""A Datasource of Ray Data.

    import dfaparse.ray
    dataset = dfaparse.ray.read("trips.csv", "csv")

Each task reads a split of a file, exactly its records.
"""

from __future__ import annotations

import functools
from typing import Any

import pyarrow as pa
import ray.data
from ray.data import datasource
from ray.data.block import BlockMetadata

from ._format import FormatLike
from ._tasks import Plan, Task

__all__ = ["Datasource", "read"]


class Datasource(datasource.Datasource):
    """Files of any format, for `ray.data.read_datasource`.

    :param src: a path, some, a folder, or a pattern.
    :param format: as for `dfaparse.read`.
    :param splits: how many tasks there are; without it Ray says how many, if they are not too small.
    :param rejects: a folder, which gets a Parquet file of each task with what it left out.
    :param options: others of `dfaparse.read`.
    """

    def __init__(self, src: Any, format: FormatLike = None, *, splits: int | None = None, rejects: str | None = None, **options: Any) -> None:
        super().__init__()
        self._plan = Plan(src, format, splits=splits, rejects=rejects, **options)
        self._schema = self._plan.schema()

    def get_name(self) -> str:
        return "dfaparse"

    def estimate_inmemory_data_size(self) -> int:
        return self._plan.nbytes()

    def get_read_tasks(self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None) -> list[datasource.ReadTask]:
        more: dict[str, Any] = {"per_task_row_limit": per_task_row_limit}
        return [
            datasource.ReadTask(
                functools.partial(_tables, task, self._schema),
                # How many rows are rejected is not known before.
                BlockMetadata(num_rows=None, size_bytes=task.nbytes, input_files=[task.path], exec_stats=None),
                schema=self._schema,
                **more,
            )
            for task in self._plan.tasks(parallelism)
        ]


def _tables(task: Task, schema: pa.Schema) -> Any:
    empty = True
    for batch in task.batches():
        empty = False
        yield pa.Table.from_batches([batch])
    if empty:
        yield schema.empty_table()


def read(src: Any, format: FormatLike = None, **options: Any) -> ray.data.Dataset:
    """A Dataset of files. The options are those of `Datasource`."""
    source = Datasource(src, format, **options)
    return ray.data.read_datasource(source, override_num_blocks=source._plan.splits)

"""Sums over columns, by which the results of two peers are told to be equal.

A column becomes [nulls, sum, length]: of numbers and times the sum of their bits
as signed 64-bit integers, which wraps (floats too: two that differ in the last
place differ here); of texts the sum of all bytes and the length of all texts.
Nulls count as 0 and as the empty text. gopeer/checks.go is the same in Go.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def sums(table, schema):
    """The sums of every column of the schema; a text says what is wrong with a column."""
    return {field.name: column_sums(table, field) for field in schema}


def column_sums(table, field):
    if field.name not in table.column_names:
        return "missing"
    column = table.column(field.name)
    text = pa.types.is_string(field.type)
    want = pa.large_string() if text else field.type
    if column.type != want:
        try:
            column = column.cast(want)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as err:
            return f"{column.type}, not {field.type}: {str(err).splitlines()[0]}"
    nulls, total, length = column.null_count, np.int64(0), 0
    with np.errstate(over="ignore"):
        for chunk in column.chunks:
            chunk = pc.fill_null(chunk, pa.scalar("" if text else 0).cast(want) if chunk.null_count else pa.scalar(None, want))
            if text:
                offsets = np.frombuffer(chunk.buffers()[1], np.int64)[chunk.offset:chunk.offset + len(chunk) + 1]
                if len(chunk) and offsets[-1] > offsets[0]:
                    values = np.frombuffer(chunk.buffers()[2], np.uint8)[offsets[0]:offsets[-1]]
                    total += values.sum(dtype=np.int64)
                    length += int(offsets[-1] - offsets[0])
            else:
                total += bits(chunk).sum(dtype=np.int64)
    return [nulls, int(total), length]


def bits(chunk):
    """The values of a chunk without nulls as integers."""
    t = chunk.type
    if pa.types.is_decimal(t):  # the lower half of 128 bits
        return np.frombuffer(chunk.buffers()[1], np.int64)[2 * chunk.offset:2 * (chunk.offset + len(chunk)):2]
    if pa.types.is_date32(t):
        chunk = chunk.cast(pa.int32())
    elif pa.types.is_timestamp(t):
        chunk = chunk.cast(pa.int64())
    values = chunk.to_numpy(zero_copy_only=False)
    return values.view(np.int64) if values.dtype.itemsize == 8 else values.astype(np.int64)


def difference(want, got):
    """What differs, as text; empty if nothing does."""
    wrong = [f"{name}: {got[name]}" if isinstance(got.get(name), str) else name
             for name in want if got.get(name) != want[name]]
    return "; ".join(wrong)

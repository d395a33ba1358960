"""pyarrow: its CSV reader into a table; Parquet batch by batch, as it streams."""

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

NAME = "pyarrow"
VERSION = pa.__version__


def offers(inp, job):
    return not inp.lines and job != "count"


def options(inp, threads):
    pa.set_cpu_count(threads)
    pa.set_io_thread_count(max(threads, 1))
    schema = inp.schema()
    return dict(
        read_options=pa.csv.ReadOptions(use_threads=threads > 1, column_names=None if inp.header else [name for name, _ in inp.fields()]),
        parse_options=pa.csv.ParseOptions(delimiter=inp.separator, quote_char=inp.quote or False, newlines_in_values=inp.name == "yelp"),
        convert_options=pa.csv.ConvertOptions(column_types=schema, include_columns=schema.names),
    )


def memory(inp, threads):
    return pa.csv.read_csv(inp.file, **options(inp, threads))


def table(result):
    return result


def parquet(inp, threads, out, codec):
    reader = pa.csv.open_csv(inp.file, **options(inp, threads))
    with pa.parquet.ParquetWriter(out, reader.schema, compression=codec) as writer:
        pending, rows = [], 0
        for batch in reader:  # small ones: row groups of the library's usual size
            pending.append(batch)
            rows += len(batch)
            if rows >= 1 << 20:
                writer.write_table(pa.Table.from_batches(pending))
                pending, rows = [], 0
        if pending:
            writer.write_table(pa.Table.from_batches(pending))

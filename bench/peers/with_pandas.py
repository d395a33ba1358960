"""pandas, the C engine. It has one thread."""

import pandas as pd
import pyarrow as pa

NAME = "pandas"
VERSION = pd.__version__
ONE_THREAD = True

TYPES = {"int32": "int32", "int64": "int64", "float64": "float64", "utf8": "str"}


def offers(inp, job):
    return not inp.lines and job != "count"



def memory(inp, threads):
    types, dates, later = {}, [], {}
    for (name, t), arrow in zip(inp.columns, inp.schema().types):
        if t.startswith(("date", "timestamp")):
            dates.append(name)
        elif t in TYPES:
            types[name] = TYPES[t]
        else:  # decimals, which the reader does not know
            types[name], later[name] = "str", pd.ArrowDtype(arrow)
    frame = pd.read_csv(inp.file, engine="c", sep=inp.separator, quoting=0 if inp.quote else 3, header=0 if inp.header else None,
                        names=None if inp.header else [name for name, _ in inp.fields()], usecols=[name for name, _ in inp.columns],
                        dtype=types, parse_dates=dates, date_format="ISO8601", keep_default_na=False)
    return frame.astype(later)


def table(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def parquet(inp, threads, out, codec):
    memory(inp, threads).to_parquet(out, compression=codec)

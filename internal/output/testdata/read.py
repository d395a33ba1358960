"""Reads a file written by dfaparse with pyarrow and prints its types and its
rows, one JSON value a line, for pyarrow_test.go to compare."""

import base64
import datetime
import decimal
import ipaddress
import json
import sys
import uuid

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet


def read(path):
    if path.endswith(".parquet"):
        return pa.parquet.read_table(path)
    if path.endswith(".arrows"):
        return pa.ipc.open_stream(path).read_all()
    return pa.ipc.open_file(path).read_all()


def plain(value, typ, meaning):
    """The value as something that json.dumps writes and Go compares."""
    if value is None:
        return None
    if pa.types.is_dictionary(typ):
        return plain(value, typ.value_type, meaning)
    if pa.types.is_map(typ):
        return [[plain(k, typ.key_type, None), plain(v, typ.item_type, None)] for k, v in value]
    if pa.types.is_list(typ):
        return [plain(v, typ.value_type, None) for v in value]
    if isinstance(value, bytes):
        if meaning == b"ip":
            return str(ipaddress.ip_address(value))
        if meaning == b"uuid":
            return str(uuid.UUID(bytes=value))
        return base64.b64encode(value).decode()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, decimal.Decimal):
        return str(value)
    return value


def rows(table):
    columns = []
    for field, column in zip(table.schema, table.columns):
        meaning = (field.metadata or {}).get(b"dfaparse.type")
        typ = field.type
        if pa.types.is_timestamp(typ) or pa.types.is_duration(typ) or pa.types.is_time64(typ):
            column = column.cast(pa.int64())  # Python's times end at microseconds
            typ = pa.int64()
        elif pa.types.is_time32(typ) or pa.types.is_date32(typ):
            column = column.cast(pa.int32())
            typ = pa.int32()
        columns.append([plain(v, typ, meaning) for v in column.to_pylist()])
    return zip(*columns)


table = read(sys.argv[1])
table.validate(full=True)
print(json.dumps([[f.name, str(f.type)] for f in table.schema]))
for row in rows(table):
    print(json.dumps(row, ensure_ascii=False))

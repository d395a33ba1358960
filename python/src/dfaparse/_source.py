"""Where an input comes from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """Names of inputs, folders and patterns among them, or bytes: what can be opened any number
    of times."""

    paths: tuple[str, ...]
    data: bytes | None

    def size(self) -> int | None:
        """Bytes of it, None where nobody knows."""
        if self.data is not None:
            return len(self.data)
        try:
            if all(os.path.isfile(path) for path in self.paths):
                return sum(os.stat(path).st_size for path in self.paths)
        except OSError:
            pass
        return None


def source_of(src: Any) -> Source:
    """A name, a sequence of names, bytes, or an object with `read`, which is read to its end."""
    if isinstance(src, Source):
        return src
    if isinstance(src, (str, os.PathLike)):
        return Source((_name(src),), None)
    if isinstance(src, (bytes, bytearray, memoryview)):
        return Source((), bytes(src))
    if hasattr(src, "read"):
        data = src.read()
        return Source((), data.encode() if isinstance(data, str) else bytes(data))
    if isinstance(src, Sequence) and src and all(isinstance(s, (str, os.PathLike)) for s in src):
        return Source(tuple(map(_name, src)), None)
    raise TypeError(f"the input is a {type(src).__name__}, want a path, some paths, bytes, or an object with read()")


def _name(path: str | os.PathLike[str]) -> str:
    return os.fsdecode(path).removeprefix("file://")

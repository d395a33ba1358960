"""Where an input comes from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """Paths, or bytes: what can be opened any number of times."""

    paths: tuple[str, ...]
    data: bytes | None

    @property
    def path(self) -> str | None:
        return self.paths[0] if self.paths else None

    def size(self) -> int | None:
        """Bytes of it, None where nobody knows."""
        if self.data is not None:
            return len(self.data)
        try:
            return sum(os.stat(path).st_size for path in self.paths)
        except OSError:
            return None


def source_of(src: Any) -> Source:
    """A path, a sequence of paths, bytes, or an object with `read`, which is read to its end."""
    if isinstance(src, Source):
        return src
    if isinstance(src, (str, os.PathLike)):
        return Source((os.fsdecode(src),), None)
    if isinstance(src, (bytes, bytearray, memoryview)):
        return Source((), bytes(src))
    if hasattr(src, "read"):
        data = src.read()
        return Source((), data.encode() if isinstance(data, str) else bytes(data))
    if isinstance(src, Sequence) and src and all(isinstance(s, (str, os.PathLike)) for s in src):
        return Source(tuple(os.fsdecode(s) for s in src), None)
    raise TypeError(f"the input is a {type(src).__name__}, want a path, some paths, bytes, or an object with read()")

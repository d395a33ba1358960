"""The command, with `python -m dfaparse` and as the script that the wheel installs."""

import os
import sys

from ._command import command


def main() -> None:
    os.execv(command(), ["dfaparse", *sys.argv[1:]])


if __name__ == "__main__":
    main()

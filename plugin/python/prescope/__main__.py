"""Runs the program: `python -m prescope evaluate qrels.txt bm25.run`."""

import os
import sys


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    from . import Error
    from ._store import environment, program

    try:
        path = program()
        os.execve(path, [path] + sys.argv[1:], environment())
    except (Error, OSError) as error:
        sys.stderr.write("prescope: %s\n" % error)
        sys.exit(2)


if __name__ == "__main__":
    main()

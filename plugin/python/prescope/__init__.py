"""Scores of patent search: PRES, Recall, MAP, and live A/B verdicts.

    import prescope
    result = prescope.evaluate("citations.qrels", "bm25.run", "PRES@100,R@100,AP")
    print(result.means)

docs/python.md is the guide. Numbers, verdicts and sentences are made by the C++ library, which the
program `prescope` uses too, so that they are the same to the last bit.
"""

from . import _library
from ._errors import EngineError, Error, FileError, InputError, MemoryShortage, UsageError
from ._live import Experiment, Visit
from ._offline import Qrels, Result, Run, evaluate
from ._rankings import Ranking
from ._store import Rows, Store, program
from ._verdicts import Comparison, Difference, Gate, Pair, compare, gate

__version__ = _library.version().decode()

__all__ = [
    "Comparison",
    "Difference",
    "EngineError",
    "Error",
    "Experiment",
    "FileError",
    "Gate",
    "InputError",
    "MemoryShortage",
    "Pair",
    "Qrels",
    "Ranking",
    "Result",
    "Rows",
    "Run",
    "Store",
    "UsageError",
    "Visit",
    "compare",
    "evaluate",
    "gate",
    "program",
]

# Messages and help name what is public by its public name.
for _name in __all__:
    globals()[_name].__module__ = __name__
del _name

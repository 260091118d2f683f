"""Laws found by machine: from the answers of networks alone to the formula that says which classes are mixed.

`observe` reads the mixed classes off a run, `discover` searches all formulas of exact arithmetic up to a
size for the one that describes the observations in the fewest bits, and `laboratory.Laboratory` chooses the
runs to train. The search knows no theory: none of its modules imports `pconv.theory`, which an import
contract enforces.
"""

from pconv.discover.formula import Formula
from pconv.discover.observation import Observation, SetAside, observe
from pconv.discover.operations import register_function
from pconv.discover.parser import parse
from pconv.discover.scoring import Law, Scorer
from pconv.discover.search import Discovery, discover
from pconv.discover.simulation import shuffled, simulated

__all__ = [
    "Discovery",
    "Formula",
    "Law",
    "Observation",
    "Scorer",
    "SetAside",
    "discover",
    "observe",
    "parse",
    "register_function",
    "shuffled",
    "simulated",
]

"""The options of the model, what it rejects, and how it explains its decisions."""
import dataclasses
import random

# KAI's evident defects that the model can copy (Options.kai_defects).
#   double-eviction  a victim that is recorded and potential is taken off its
#                    queue twice (docs/kai/actions.md §14.4); off: victims are a set
#   stale-task-list  the list of tasks to place outlives a simulation
#                    (docs/kai/actions.md §3.3, last paragraph)
KAI_DEFECTS = ("double-eviction", "stale-task-list")


class OutsideModel(Exception):
    """The cluster needs something that the model does not support."""


@dataclasses.dataclass(frozen=True)
class Options:
    """kai_defects: names from KAI_DEFECTS that are copied.
    shuffle_seed: if not None, a random order with this seed wherever KAI
    follows Go's map order.  An answer that changes with it is only one of
    KAI's possible answers.
    search_limit: maximum number of simulations per cycle; beyond, OutsideModel."""
    kai_defects: frozenset = frozenset()
    shuffle_seed: object = None
    search_limit: int = 3000


class ArbitraryOrder:
    """The order of things that KAI does not order: as given, or shuffled."""

    def __init__(self, seed):
        self.random = None if seed is None else random.Random(seed)

    def __call__(self, items):
        items = list(items)
        if self.random:
            self.random.shuffle(items)
        return items


class Trace:
    """Prints what was tried, indented by depth; silent without a stream."""

    def __init__(self, stream=None):
        self.stream = stream

    def __bool__(self):
        return self.stream is not None

    def __call__(self, depth, text, *args):
        if self.stream is not None:
            print("  " * depth + (text % args if args else text),
                  file=self.stream)

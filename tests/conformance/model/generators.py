"""Scenarios for one probe: victims are added one batch at a time, filtered,
and turned into candidate sets by one of two generators.  docs/kai/actions.md §9.3-9.5.

A batch is a list of tasks that one step took from one job.
"""
import collections

from .cluster import ACTIVE_ALLOCATED, ACTIVE_USED, GPU, PartialJob
from .gangs import take_victims
from .nodes import requested
from .orders import Container
from .placement import matches_affinity

EPSILON = 1e-9


def names(batches):
    return " ".join("[%s]" % " ".join(t.name for t in b) for b in batches) \
        or "none"


def distinct(batches):
    """Tasks of the batches, each once, in order."""
    seen = {}
    for b in batches:
        for t in b:
            seen.setdefault(id(t), t)
    return list(seen.values())


class Accumulator:
    """The growing list of potential victims of one probe."""

    def __init__(self, session, pending, recorded, candidates, node_names):
        self.session, self.pending, self.recorded = session, pending, recorded
        self.node_names = node_names
        self.batches = []
        self.recorded_ids = {id(t) for b in recorded for t in b}
        self.queue = Container(
            session, [PartialJob(j) for j in candidates
                      if j.is_preemptible and j.has(ACTIVE_ALLOCATED)],
            victims=True)

    def states(self):
        """Yields once before any step and after each step that added victims, if the filters accept the accumulated
        scenario."""
        trace = self.session.trace
        why = self._refusal()
        trace(4, "recorded only: %s", why or "passes the filters")
        if why is None:
            yield
        while self.queue:
            job = self.queue.pop()
            tasks, more = take_victims(job, self.session.any_order)
            if any(id(t) in self.recorded_ids for t in tasks):
                rest = [t for t in job.tasks
                        if id(t) not in self.recorded_ids]
                if any(t.status in ACTIVE_ALLOCATED for t in rest):
                    self.queue.push(PartialJob(job, rest))
                trace(4, "victim %s: already recorded", names([tasks]))
                continue
            if more:
                taken = {id(t) for t in tasks}
                self.queue.push(PartialJob(
                    job, [t for t in job.tasks if id(t) not in taken]))
            self.batches.append(tasks)
            why = self._refusal()
            trace(4, "victim %s added: %s", names([tasks]),
                  why or "passes the filters")
            if why is None:
                yield

    # ------------------------------------------------------------ filters
    def _refusal(self):
        """docs/kai/actions.md §9.4"""
        victims = distinct(self.recorded + self.batches)
        nodes = set(self.node_names) | {t.node for t in victims}
        for t in self.pending:
            if (t.job.selector or t.job.affinity) and not any(
                    matches_affinity(t.job, self.session.nodes[n])
                    for n in nodes):
                return "node affinity filter says no"
        if not self._idle_gpus_suffice(victims):
            return "idle GPU filter says no"
        return None

    def _idle_gpus_suffice(self, victims):
        demands = sorted((requested(t, None)[GPU] for t in self.pending),
                         reverse=True)
        if sum(demands) == 0:
            return True
        nodes = self.session.nodes
        capacity = {n.name: sum(n.gpu_sum()) for n in nodes.values()}
        for t in victims:
            capacity[t.node] += nodes[t.node].accepted(t)[GPU]
        best = sorted(capacity.values(), reverse=True)[:len(self.pending)]
        for demand in demands:
            for i, room in enumerate(best):
                if room >= demand - EPSILON:
                    best[i] -= demand
                    break
            else:
                return False
        return True


def node_local_greedy(session, pending, recorded, candidates, node_names):
    """Yields lists of batches (potential victims): docs/kai/actions.md §9.5."""
    victims = Accumulator(session, pending, recorded, candidates, node_names)
    for _ in victims.states():
        if not victims.batches:
            if recorded:
                yield []
            continue
        newest = victims.batches[-1][-1].job
        seen = set()
        for node in sorted({t.node for t in newest.tasks
                            if t.node and t.status in ACTIVE_USED}):
            jobs = []
            for b in victims.batches:
                if b[0].job not in jobs and any(t.node == node for t in b):
                    jobs.append(b[0].job)
            if not jobs:
                continue
            scenario = [_all_taken(session, job, recorded + victims.batches)
                        for job in jobs]
            key = frozenset(id(t) for b in scenario for t in b)
            if key not in seen:
                seen.add(key)
                yield scenario


def _all_taken(session, job, batches):
    """Everything taken from a job so far, including recorded victims, as one batch."""
    tasks = []
    for b in batches:
        if b[0].job is job:
            tasks += [t for t in session.any_order(b) if t not in tasks]
    return tasks


def multi_node_gang(session, pending, recorded, candidates, node_names):
    """Yields lists of batches (potential victims): docs/kai/actions.md §9.5."""
    victims = Accumulator(session, pending, recorded, candidates, node_names)
    for _ in victims.states():
        if not victims.batches:
            yield []
        else:
            yield from _node_prefixes(session, pending, recorded,
                                      victims.batches, node_names)


def _node_prefixes(session, pending, recorded, batches, node_names):
    def freed(t):
        return session.nodes[t.node].accepted(t)[GPU]

    def free_without_potential(name):
        return sum(session.nodes[name].gpu_sum()) + freed_by_recorded[name]

    freed_by_recorded = collections.Counter()
    for b in recorded:
        for t in b:
            freed_by_recorded[t.node] += freed(t)
    batches_on = collections.defaultdict(list)       # node -> batch indices
    for i, b in enumerate(batches):                  # by first appearance
        for t in b:
            if i not in batches_on[t.node]:
                batches_on[t.node].append(i)
    capacity = {}
    for name, indices in batches_on.items():
        capacity[name] = free_without_potential(name) + sum(
            freed(t) for i in indices for t in batches[i] if t.node == name)
    demands = [requested(t, None)[GPU] for t in pending]
    if not demands:
        return
    nodes = sorted((n for n in batches_on
                    if capacity[n] >= min(demands) - EPSILON),
                   key=capacity.get)                 # ties in the original order
    remaining = max(0, sum(demands) - sum(
        free_without_potential(n) for n in node_names if n not in batches_on))
    size = _smallest_prefix(nodes, capacity, remaining)
    step = 1
    while size is not None:
        picked = sorted({i for n in nodes[:size] for i in batches_on[n]})
        yield [batches[i] for i in session.any_order(picked)]
        if size >= len(nodes):
            return
        size = min(size + step, len(nodes))
        step *= 2


def _smallest_prefix(nodes, capacity, demand):
    covered = 0
    for size in range(len(nodes) + 1):
        if covered >= demand - EPSILON:
            return size
        if size < len(nodes):
            covered += capacity[nodes[size]]
    return None


GENERATORS = (("NodeLocalGreedy", node_local_greedy),
              ("MultiNodeGang", multi_node_gang))

"""The solver behind consolidation, reclaim and preempt: how many tasks are
tried, which scenarios, and what a simulation accepts.  docs/kai/actions.md §9.
"""
import collections

from .cluster import ACTIVE_ALLOCATED, ACTIVE_USED, PartialJob
from .gangs import chunk, flat_satisfied
from .generators import GENERATORS, distinct, names
from .options import OutsideModel
from .orders import Container
from .placement import allocate_job
from .reclaim import ScenarioValidator


class Solver:
    """For one contender; `action` is consolidation, reclaim or preempt."""

    def __init__(self, session, action, contender, candidates, node_names,
                 min_runtime):
        self.session, self.action, self.contender = session, action, contender
        self.candidates, self.node_names = candidates, node_names
        self.min_runtime = min_runtime
        self.reclaim_rules = ScenarioValidator(session, contender)
        self.failed = set()                          # fingerprints
        self.trace = session.trace

    def solve(self):
        """True: the session contains the solution, with its evictions committed."""
        self.tasks = chunk(self.contender, True)
        used_before = self.contender.count(ACTIVE_USED)
        if not self.tasks:
            return False
        for name, generate in GENERATORS:
            self.trace(2, "%s", name)
            if not self._search(generate):
                continue
            if not (flat_satisfied(self.contender, ACTIVE_USED) and
                    self.contender.count(ACTIVE_USED) > used_before):
                # KAI keeps the statement without committing it: 14.1
                raise OutsideModel("undiscarded statement")
            self.session.commit_evictions(self.action)
            return True
        return False

    # ------------------------------------------------------------- probes
    def _search(self, generate):
        """Doubling, bisection, final probe: docs/kai/actions.md §9.2.  True: the final
        probe's simulation is left in the session."""
        self.recorded = []
        n = len(self.tasks)
        solved, unsolved, k = 0, None, 1
        while True:
            if not self._trial(generate, k):
                unsolved = k
                break
            solved = k
            if k == n:
                break
            k = min(2 * k, n)
        if solved == 0:
            return False
        while unsolved is not None and unsolved - solved > 1:
            middle = (solved + unsolved) // 2
            if self._trial(generate, middle):
                solved = middle
            else:
                unsolved = middle
        return self._probe(generate, n) is not None

    def _trial(self, generate, k):
        """A probe that is undone; its victims are recorded."""
        result = self._probe(generate, k)
        if result is None:
            return False
        saved, self.recorded = result
        self.session.restore(saved)
        return True

    def _probe(self, generate, k):
        """The first scenario that succeeds: (state before it, victims to record)."""
        first = self.tasks[:k]
        running = [t for t in self.contender.tasks
                   if t.status in ACTIVE_ALLOCATED]
        partial = PartialJob(self.contender, running + first,
                             lower_minimums=True)
        pending = chunk(partial, True)
        node_names = list(dict.fromkeys(
            list(self.node_names) +
            [t.node for b in self.recorded for t in b]))
        self.trace(3, "probe %d of %d tasks: %s; recorded victims %s", k,
                   len(self.tasks), names([pending]), names(self.recorded))
        for potential in generate(self.session, pending, self.recorded,
                                  self.candidates, node_names):
            fingerprint = (_sorted_names([first]),
                           _sorted_names(self.recorded),
                           _sorted_names(potential))
            self.trace(5, "scenario %s", names(potential))
            if fingerprint in self.failed:
                self.trace(6, "failed before")
                continue
            self.session.simulations += 1
            if self.session.simulations > self.session.options.search_limit:
                raise OutsideModel("search too long")
            saved = self.session.save()
            if self._simulate(partial, pending, self.recorded + potential,
                              node_names):
                return saved, _to_record(self.recorded + potential)
            self.session.restore(saved)
            self.failed.add(fingerprint)
        self.trace(3, "probe %d: no scenario", k)
        return None

    # --------------------------------------------------------- simulation
    def _simulate(self, partial, pending, batches, node_names):
        """docs/kai/actions.md §9.6"""
        session, victims = self.session, distinct(batches)
        if not victims:
            self.trace(6, "no victims")
            return False
        home = [t.node for t in victims]
        self._evict(victims, batches)
        nodes = list(dict.fromkeys(list(node_names) + home))
        victim_jobs = {t.job.name for t in victims}
        jobs = [j for j in session.cluster.jobs_by_name()
                if j is not self.contender
                and (j.has_pending or j.name in victim_jobs)]
        queue = Container(session, sorted(jobs + [partial],
                                          key=lambda j: j.name))
        reached = False
        while queue:
            job = queue.pop()
            if job is not partial and job.name not in victim_jobs:
                continue
            placed, why = allocate_job(session, job, nodes, virtual=True)
            self._trace_placement(job, placed, why)
            if job is partial:
                if not placed:
                    return False
                reached = True
            elif not placed:
                chunk(job, True)                     # refilled: docs/kai/actions.md §3.3
        if not reached:
            self.trace(6, "contender not reached")
            return False
        return self._accepts(pending, victims, batches)

    def _evict(self, victims, batches):
        for t in victims:
            self.session.evict_virtually(t)
        if self.session.copies("double-eviction"):
            times = collections.Counter(id(t) for b in batches for t in b)
            for t in victims:
                for _ in range(times[id(t)] - 1):
                    self.session.charge(t, -1)

    def _accepts(self, pending, victims, batches):
        """The validators of the action."""
        if self.action == "consolidation":
            lost = [t for t in victims if t.status == "Releasing"]
            self.trace(6, "validator: %s", "accepted" if not lost else
                       "%s would be lost" % names([lost]))
            return not lost
        if self.session.copies("double-eviction"):
            victims = [t for b in batches for t in b]
        by_job = {}
        for t in victims:
            by_job.setdefault(t.job, []).append(t)
        why = None
        for job, tasks in by_job.items():
            if self.min_runtime.refuses_scenario(
                    self.action, self.contender, job, tasks):
                why = "minimum runtime of %s" % job.name
                break
        if why is None and self.action == "reclaim":
            why = self.reclaim_rules.refusal(pending, by_job)
        self.trace(6, "validator: %s", why or "accepted")
        return why is None

    def _trace_placement(self, job, placed, why):
        if not self.trace:
            return
        what = "contender" if job.whole is self.contender else "victim job"
        if placed is None:
            self.trace(6, "%s %s not placed: %s", what, job.name, why)
        else:
            self.trace(6, "%s %s: %s", what, job.name, ", ".join(
                "%s %s %s" % (t.name, "pipelined to" if t.status == "Pipelined"
                              else "restored on", t.node) for t in placed))


def _sorted_names(batches):
    return tuple(sorted({t.name for b in batches for t in b}))


def _to_record(batches):
    """The first batch of each task that is still evicted or moved. A merged batch with recorded tasks is kept only for
    its new ones."""
    first_batch = {}
    for i, b in enumerate(batches):
        for t in b:
            if t.status in ("Releasing", "Pipelined"):
                first_batch.setdefault(id(t), i)
    return [batches[i] for i in sorted(set(first_batch.values()))]

"""The five actions.  docs/kai/actions.md §8, 10 and 11."""
from .cluster import ACTIVE_ALLOCATED, ACTIVE_USED, ALLOCATED, GPU, seconds
from .gangs import chunk, flat_satisfied, ready
from .generators import EPSILON
from .min_runtime import MinRuntime
from .nodes import requested
from .orders import Container, total_requested
from .placement import allocate_job, larger_than_any_node
from . import reclaim
from .solver import Solver

DEFAULT_ACTIONS = ("allocate, consolidation, reclaim, preempt, "
                   "stalegangeviction")


def run_actions(session):
    for name in session.config.get("actions", DEFAULT_ACTIONS).split(","):
        name = name.strip()
        session.trace(0, "%s", name)
        if name == "allocate":
            allocate(session)
        elif name == "stalegangeviction":
            evict_stale_gangs(session)
        else:
            EvictingAction(session, name).run()


# ------------------------------------------------------------------- allocate
def allocate(session):
    """docs/kai/actions.md §8.2"""
    queue = Container(session, [j for j in session.cluster.jobs_by_name()
                                if ready(j) and j.has_pending])
    while queue:
        job = queue.pop()
        had_allocated = job.has(ALLOCATED)
        tasks, why = allocate_job(session, job, session.nodes, virtual=False)
        if not tasks:
            session.trace(1, "%s (queue %s): %s", job.name, job.queue, why)
            continue
        waits = _must_wait(job)
        for t in tasks:
            if t.status == "Allocated":
                if waits:
                    node, groups = t.node, t.groups
                    session.take_back(t)
                    session.put(t, node, "Pipelined", groups)
                else:
                    t.status, job.task_list = "Binding", None
                    session.binds[t.name] = t.node
        session.trace(1, "%s (queue %s): %s", job.name, job.queue, ", ".join(
            "%s %s %s" % (t.name, "waits for" if t.status == "Pipelined"
                          else "bound to", t.node) for t in tasks))
        if not waits and not had_allocated:
            job.last_start = 0
        if job.has_pending:
            queue.push(job)


def _must_wait(job):
    """Convert-to-pipelined rule of docs/kai/actions.md §5."""
    return any(p.count(("Pipelined",)) and p.count(ALLOCATED) < p.minimum
               for p in job.pod_sets.values())


# --------------------------------------------- consolidation, reclaim, preempt
class EvictingAction:
    """docs/kai/actions.md §8.1 and 8.3"""

    def __init__(self, session, name):
        self.session, self.name, self.trace = session, name, session.trace
        self.min_runtime = MinRuntime(session)
        self.uses_signatures = session.params.get("useSchedulingSignatures",
                                                  True)
        self.failed = FailedJobs()

    def run(self):
        if self.name == "consolidation" and self.session.params.get(
                "maxNumberConsolidationPreemptees", -1) == 0:
            return
        queue = Container(self.session, [
            j for j in self.session.cluster.jobs_by_name()
            if ready(j) and j.has_pending and not _is_delayed(j)
            and (j.is_preemptible or self.name != "consolidation")])
        while queue:
            contender = queue.pop()
            tasks = chunk(contender, True)
            self.trace(1, "contender %s (queue %s): %s", contender.name,
                       contender.queue, " ".join(t.name for t in tasks))
            outcome = self._try(contender, tasks)
            self.trace(1, "%s: %s", contender.name, outcome)

    def _try(self, contender, tasks):
        """Gates, then the solver; returns what came out, in words."""
        session = self.session
        request = total_requested(tasks, session.cluster.smallest_gpu)
        if self.name == "reclaim":
            why = reclaim.gate(session, contender, request)
            if why:
                return "gate: " + why
        # one pool for consolidation, else one per leaf queue
        key = ("" if self.name == "consolidation" else contender.queue,
               contender.signature)
        if self.uses_signatures and self.failed.covers(key, contender):
            return "gate: no easier than a job that failed"
        if any(larger_than_any_node(session, t) for t in tasks):
            return "gate: larger than any node"          # not remembered
        why = self._gate_before_search(contender, tasks)
        if why is None:
            solver = Solver(session, self.name, contender,
                            self._candidates(contender, request),
                            self._feasible_nodes(contender), self.min_runtime)
            if solver.solve():
                return "solved"
            why = "no solution"
        if self.uses_signatures:
            self.failed.remember(key, contender)
        return why

    def _gate_before_search(self, contender, tasks):
        session = self.session
        if self.name == "consolidation":
            free = sum(sum(n.gpu_sum()) for n in session.nodes.values()
                       if n.is_schedulable)
            wanted = sum(requested(t, None)[GPU] for t in tasks)
            if free < wanted - EPSILON:
                return "gate: %g GPUs free in the cluster, wants %g" % (free,
                                                                        wanted)
        if self.name == "preempt" and not contender.is_preemptible:
            amount = total_requested(tasks, session.cluster.largest_gpu)
            why = session.queues.over_quota(contender, amount)
            if why:
                return "gate: non-preemptible and " + why
        return None

    def _candidates(self, contender, request):
        kept = []
        for job in self.session.cluster.jobs_by_name():
            why = self._not_a_candidate(contender, job, request)
            if why is None:
                kept.append(job)
            elif self.trace and job.has(ACTIVE_ALLOCATED) \
                    and job is not contender:
                self.trace(2, "%s is not a candidate: %s", job.name, why)
        self.trace(2, "candidates: %s",
                   " ".join(j.name for j in kept) or "none")
        return kept

    def _not_a_candidate(self, contender, job, request):
        if job is contender:
            return "the contender"
        if not job.is_preemptible:
            return "not preemptible"
        if not self.session.queues.is_leaf(job.queue):
            return "queue unknown or not a leaf"
        if not job.has(ACTIVE_ALLOCATED):
            return "nothing allocated"
        if self.name == "reclaim":
            if job.queue == contender.queue:
                return "same queue"
            if not reclaim.keeps_candidate(self.session, contender, job,
                                           request):
                return "its queue is within its share or quota"
        if self.name == "preempt":
            if job.queue != contender.queue:
                return "other queue"
            if job.priority >= contender.priority:
                return "priority not lower"
        if self.name != "consolidation" and self.min_runtime.refuses_candidate(
                self.name, contender, job):
            return "minimum runtime"
        return None

    def _feasible_nodes(self, contender):
        """A finished pod counts as one without GPU: docs/kai/actions.md §8.3."""
        nodes = self.session.nodes
        if any(t.needs_no_gpu or t.status == "Succeeded"
               for t in contender.tasks):
            names = list(nodes)
        else:
            names = [n.name for n in nodes.values() if max(n.gpu_sum()) > 0]
        self.trace(2, "feasible nodes: %s", " ".join(names) or "none")
        return names


def _is_delayed(job):
    """docs/kai/actions.md §11.3"""
    newest = job.age if job.last_eviction is None \
        else min(job.age, job.last_eviction)
    return newest < job.delay


class FailedJobs:
    """The smallest failed job per signature: docs/kai/actions.md §10."""

    def __init__(self):
        self.requests = {}                           # key -> sorted requests

    @staticmethod
    def _pending_requests(job):
        return sorted(tuple(requested(t, None)[:3]) + (t.gpu_memory,)
                      for t in job.tasks if t.status == "Pending")

    def covers(self, key, job):
        """A like job failed and this one is not easier."""
        if key not in self.requests:
            return False
        mine, theirs = self._pending_requests(job), self.requests[key]
        if not mine or not theirs:
            return True
        if len(mine) < len(theirs):
            return False
        return not any(_no_larger(x, y) and x != y
                       for x, y in zip(mine, theirs))

    def remember(self, key, job):
        mine, theirs = self._pending_requests(job), self.requests.get(key)
        if theirs is None or (len(mine) <= len(theirs) and all(
                _no_larger(x, y) for x, y in zip(mine, theirs))):
            self.requests[key] = mine


def _no_larger(x, y):
    return all(a <= b for a, b in zip(x, y))


# --------------------------------------------------------- stale gang eviction
def evict_stale_gangs(session):
    """docs/kai/actions.md §11.2"""
    default = session.params.get("globalDefaultStalenessGracePeriod", "60s")
    for job in session.jobs:
        age, job.stale_since = job.stale_since, None
        if job.has(("Succeeded",)) or not job.has(ACTIVE_USED) \
                or flat_satisfied(job, ACTIVE_USED):
            continue
        job.stale_since = age = age or 0
        grace = seconds(job.grace or default)
        if grace < 0 or age < grace:
            session.trace(1, "%s is stale for %ds, grace %ds", job.name, age,
                          grace)
            continue
        session.trace(1, "%s is stale: evicted", job.name)
        for t in job.tasks:
            if t.status in ACTIVE_ALLOCATED:
                session.evictions.append((t, "stalegangeviction"))
                t.status = "Releasing"

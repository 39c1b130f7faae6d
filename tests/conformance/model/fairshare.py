"""The queue tree: what each queue deserves, holds and gets as fair share, and
the capacity rules.  docs/kai/fairshare.md §1 to 4 and 8.
"""
import math

from .cluster import ALLOCATED, CPU, GPU, MEMORY, RESOURCES, seconds
from .nodes import requested

UNLIMITED = -1
DEFAULT_QUEUE_PRIORITY = 100
_FIELDS = ((GPU, "gpu", 1), (CPU, "cpu", 1), (MEMORY, "memory", 1e6))


class Queue:
    """Lists are indexed by resource (CPU, MEMORY, GPU).
    D deserved, L limit, W weight, F fair share, R request, A allocated,
    N allocated to non-preemptible jobs: the letters of docs/kai/fairshare.md §1."""

    def __init__(self, name, parent, age, priority):
        self.name, self.parent, self.age = name, parent, age
        self.priority = priority
        self.D, self.L = [UNLIMITED] * 3, [UNLIMITED] * 3
        self.W, self.F = [1] * 3, [0] * 3
        self.R, self.A, self.N = [0] * 3, [0] * 3, [0] * 3
        self.preempt_min_runtime = self.reclaim_min_runtime = None

    @classmethod
    def read(cls, raw):
        priority = raw.get("priority")
        q = cls(raw["name"], raw.get("parent"), raw["age"],
                DEFAULT_QUEUE_PRIORITY if priority is None else priority)
        for r, key, unit in _FIELDS:
            values = raw.get(key, [-1, -1, 1]) or [0, 0, 0]
            d, l, w = (0 if v is None else v for v in values)
            if unit != 1:                            # megabytes
                d, l = max(UNLIMITED, d * unit), max(UNLIMITED, l * unit)
            q.D[r], q.L[r], q.W[r] = d, l, w
        if raw.get("preempt_min_runtime") is not None:
            q.preempt_min_runtime = seconds(raw["preempt_min_runtime"])
        if raw.get("reclaim_min_runtime") is not None:
            q.reclaim_min_runtime = seconds(raw["reclaim_min_runtime"])
        return q

    def requestable(self, r):
        return self.R[r] if self.L[r] == UNLIMITED \
            else min(self.L[r], self.R[r])

    def allocatable(self, r):
        """The most that the queue may use by share and limit; -1: unlimited."""
        if self.D[r] == UNLIMITED:
            return self.L[r]
        most = max(self.D[r], self.F[r])
        return most if self.L[r] == UNLIMITED else min(self.L[r], most)


def within(amount, bound):
    """amount <= bound in all three resources, -1 is unlimited."""
    return all(b == UNLIMITED or a <= b for a, b in zip(amount, bound))


def exceeds(amount, bound):
    """amount > bound in some resource, -1 is unlimited."""
    return any(b != UNLIMITED and a > b for a, b in zip(amount, bound))


def plus(a, b):
    return [x + y for x, y in zip(a, b)]


class QueueTree:
    def __init__(self, raw_queues, full_hierarchy=True):
        self.queues = {q["name"]: Queue.read(q) for q in raw_queues}
        if not full_hierarchy:
            self._flatten()
        self._drop_orphans()
        self.has_children = {q.parent for q in self.queues.values()}

    def __contains__(self, name):
        return name in self.queues

    def __getitem__(self, name):
        return self.queues[name]

    def __iter__(self):
        return iter(self.queues.values())

    def _flatten(self):
        """fullHierarchyFairness false: everything below one top queue."""
        self.queues = {n: q for n, q in self.queues.items() if q.parent}
        for q in self:
            q.parent = "default"
        self.queues["default"] = Queue("default", None, 0,
                                       DEFAULT_QUEUE_PRIORITY)

    def _drop_orphans(self):
        while True:
            orphans = [n for n, q in self.queues.items()
                       if q.parent and q.parent not in self.queues]
            if not orphans:
                return
            for n in orphans:
                del self.queues[n]

    def is_leaf(self, name):
        """Jobs are served only in known leaf queues."""
        return name in self.queues and name not in self.has_children

    def upward(self, name):
        """The queue and its ancestors, leaf first."""
        queue = self.queues.get(name)
        while queue:
            yield queue
            queue = self.queues.get(queue.parent) if queue.parent else None

    def path(self, name):
        """Names from the top queue down to this one."""
        return [q.name for q in self.upward(name)][::-1]

    def leveled(self, a, b):
        """First pair of names that differs on the paths from the top:
        docs/kai/fairshare.md §9.2."""
        pa, pb = self.path(a), self.path(b)
        for x, y in zip(pa, pb):
            if x != y:
                return x, y
        return pa[-1], pb[-1]

    # -------------------------------------------------------- accounting
    def charge(self, name, amount, non_preemptible, sign=1):
        """docs/kai/fairshare.md §3"""
        for q in self.upward(name):
            for r in RESOURCES:
                q.A[r] += sign * amount[r]
                if non_preemptible:
                    q.N[r] += sign * amount[r]

    def add_request(self, name, amount):
        for q in self.upward(name):
            for r in RESOURCES:
                q.R[r] += amount[r]

    def charge_snapshot(self, cluster):
        """A, N and R at the start of the cycle."""
        for job in cluster.jobs:
            if job.queue not in self:
                continue
            for t in job.tasks:
                if t.status in ALLOCATED:
                    amount = cluster.nodes[t.node].accepted(t)
                    self.charge(job.queue, amount, not job.is_preemptible)
                    self.add_request(job.queue, amount)
                elif t.status == "Pending":
                    self.add_request(job.queue,
                                     requested(t, cluster.smallest_gpu))

    # ---------------------------------------------------------- division
    def compute_fair_shares(self, total, parent=None):
        """docs/kai/fairshare.md §4, level by level."""
        members = [q for q in self if q.parent == parent]
        for r in RESOURCES:
            if members:
                self._divide(total[r], r, members)
        for q in members:
            self.compute_fair_shares(q.F, q.name)

    def _divide(self, total, r, members):
        left = total
        for q in members:                            # step 1: quota
            give = min(total if q.D[r] == UNLIMITED else q.D[r],
                       q.requestable(r))
            q.F[r] += give
            left -= give
        if left <= 0:
            return
        priorities = sorted({q.priority for q in members}, reverse=True)
        fractions = {}
        for p in priorities:                         # step 2: by weight
            left, fractions[p] = self._divide_by_weight(
                left, r, [q for q in members if q.priority == p])
        for p in priorities:                         # step 3: roundings
            if left <= 0:
                break
            order = sorted(fractions[p].items(), key=lambda x: (
                -x[1], -self[x[0]].age, x[0]))
            for name, _fraction in order:
                if left == 0:
                    break
                give = min(1, left)
                self[name].F[r] += give
                left -= give

    @staticmethod
    def _divide_by_weight(left, r, members):
        fractions = {}
        while True:
            at_start, again = left, False
            weights = sum(q.W[r] for q in members
                          if q.requestable(r) - q.F[r] > 0)
            if weights == 0:
                break
            scaled = {}
            for q in members:
                if q.requestable(r) - q.F[r] > 0:
                    w = q.W[r] / weights             # no usage data: U = 0
                    scaled[q.name] = max(0, w + 1.0 * (w - 0))
            scale = sum(scaled.values())
            if scale == 0:
                break
            for q in members:
                if left == 0:
                    break
                satisfied = q.R[r] <= q.F[r] or (
                    q.L[r] != UNLIMITED and q.L[r] <= q.F[r])
                if satisfied or q.W[r] == 0:
                    continue
                want = max(0, q.requestable(r) - q.F[r])
                share = at_start * (scaled[q.name] / scale)
                if want <= share:
                    give = want
                    fractions.pop(q.name, None)
                else:
                    give = math.floor(share)
                    if share - give > 0:
                        fractions[q.name] = share - give
                if give == 0:
                    continue
                q.F[r] += give
                left -= give
                again |= want < share
            if not again or left == 0:
                break
        return left, fractions

    # ---------------------------------------------------------- capacity
    def over_capacity(self, job, amount):
        """Why the job may not take the amount, or None: docs/kai/fairshare.md §8."""
        why = self._over(job.queue, amount, "limit", lambda q: (q.L, q.A))
        if why is None and not job.is_preemptible:
            why = self.over_quota(job, amount)
        return why

    def over_quota(self, job, amount):
        return self._over(job.queue, amount, "quota", lambda q: (q.D, q.N))

    def _over(self, name, amount, what, fields):
        for q in self.upward(name):
            bound, held = fields(q)
            for r in RESOURCES:
                if amount[r] != 0 and bound[r] != UNLIMITED \
                        and bound[r] < held[r] + amount[r]:
                    return "over the %s of queue %s" % (what, q.name)
        return None

    # ----------------------------------------------------- saving, undoing
    def save(self):
        return [(q, q.A[:], q.N[:]) for q in self]

    @staticmethod
    def restore(saved):
        for q, a, n in saved:
            q.A, q.N = a[:], n[:]

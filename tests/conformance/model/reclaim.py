"""The rules of reclaim: gate, victim filter, scenario validation.
docs/kai/fairshare.md §9.
"""
import math

from .cluster import ACTIVE_ALLOCATED, RESOURCE_NAMES, RESOURCES
from .fairshare import UNLIMITED, exceeds, plus, within
from .orders import total_requested


def gate(session, contender, request):
    """Why the job may not reclaim at all, or None: docs/kai/fairshare.md §9.1."""
    q = session.queues[contender.queue]
    if not all(q.A[r] + request[r] <= q.F[r] for r in RESOURCES):
        return "queue would exceed its fair share"
    if not contender.is_preemptible and not within(plus(q.N, request), q.D):
        return "non-preemptible and queue would exceed its quota"
    return None


def keeps_candidate(session, contender, victim, request):
    """docs/kai/fairshare.md §9.2"""
    x, y = session.queues.leveled(contender.queue, victim.queue)
    x, y = session.queues[x], session.queues[y]
    if not within(plus(x.A, request), x.D):
        return exceeds(y.A, [y.allocatable(r) for r in RESOURCES])
    below = False
    for r in RESOURCES:
        if request[r] > 0 and y.D[r] != UNLIMITED:
            if y.A[r] > y.D[r]:
                return True
            below |= y.A[r] < y.D[r]
    return not below


class ScenarioValidator:
    """docs/kai/fairshare.md §9.3, on the queue state when the search began."""

    def __init__(self, session, contender):
        self.session, self.contender = session, contender
        self.queues = session.queues
        self.A = {q.name: q.A[:] for q in session.queues}
        self.N = {q.name: q.N[:] for q in session.queues}
        self.ignores_placed = session.params.get("allowConsolidatingReclaim",
                                                 True)
        self.multiplier = float(session.plugin_args.get("proportion", {}).get(
            "relcaimerSaturationMultiplier", "1"))

    def refusal(self, placed, victims_by_job):
        """Why the scenario is refused, or None.  placed: the contender's tasks
        of this probe; victims_by_job: job -> victim tasks as chosen."""
        request = total_requested(placed, self.session.cluster.smallest_gpu)
        portions = self._portions(victims_by_job)
        remaining, involved = {}, {}
        why = self._strategies(request, portions, remaining, involved)
        return why or self._boundaries(request, remaining, involved)

    # ----------------------------------------------------------- portions
    def _portions(self, victims_by_job):
        """Victim queue -> amounts judged one by one."""
        portions = {}
        for job, tasks in self.session.any_order(victims_by_job.items()):
            elastic, core = [], []
            for p in self.session.any_order(job.pod_sets.values()):
                mine = [t for t in tasks if t in p.tasks]
                core += mine[:p.minimum]
                elastic += mine[p.minimum:]
            amounts = [self._amount([t]) for t in elastic]
            amounts.append(self._amount(core))
            amounts = [a for a in amounts if a]
            if amounts:
                portions.setdefault(job.queue, []).extend(amounts)
        return portions

    def _amount(self, tasks):
        total = None
        for t in tasks:
            if self.ignores_placed and t.status in ACTIVE_ALLOCATED:
                continue                             # placed again
            node = t.node
            if t.status == "Releasing" and t.before_eviction:
                node = t.before_eviction[1]
            amount = self.session.nodes[node].accepted(t)[:3]
            total = plus(total or [0, 0, 0], amount)
        return total

    # -------------------------------------------------------------- step A
    def _strategies(self, request, portions, remaining, involved):
        for name, amounts in self.session.any_order(portions.items()):
            x, y = self.queues.leveled(self.contender.queue, name)
            x, y = self.queues[x], self.queues[y]
            fits_quota = within(plus(self.A[x.name], request), x.D)
            allocatable = [y.allocatable(r) for r in RESOURCES]
            left = remaining.setdefault(y.name, self.A[y.name][:])
            touched = {r for a in amounts for r in RESOURCES if a[r] > 0}
            involved.setdefault(name, set()).update(touched)
            for amount in amounts:
                if not (exceeds(left, allocatable) or
                        fits_quota and exceeds(left, y.D)):
                    return "no strategy: queue %s holds %s, not beyond its " \
                        "share, and %s" % (
                            y.name, _show(left), "not beyond its quota"
                            if fits_quota else
                            "the contender's queue %s would exceed its quota"
                            % x.name)
                for q in self.queues.upward(name):
                    rest = remaining.setdefault(q.name, self.A[q.name][:])
                    for r in RESOURCES:
                        rest[r] -= amount[r]
                    involved.setdefault(q.name, set()).update(involved[name])
        return None

    # -------------------------------------------------------------- step B
    def _boundaries(self, request, remaining, involved):
        wanted = {r for r in RESOURCES if request[r] > 0}
        for q in self.queues.upward(self.contender.queue):
            mine = plus(remaining.get(q.name, self.A[q.name]), request)
            for name, rest in remaining.items():
                s = self.queues[name]
                if s.parent != q.parent or s is q:
                    continue
                for r in involved[name] | wanted:
                    ratio = _ratio(mine[r], q.F[r])
                    if ratio > 1 and s.F[r] > 0 and ratio * self.multiplier \
                            >= _ratio(rest[r], s.F[r]):
                        return "saturation: %s of %s %.3f, of %s %.3f" % (
                            RESOURCE_NAMES[r], q.name, ratio, name,
                            _ratio(rest[r], s.F[r]))
            if not self.contender.is_preemptible and not within(
                    plus(self.N[q.name], request), q.D):
                return "non-preemptible over the quota of %s" % q.name
        return None


def _ratio(amount, share):
    if share == 0:
        return math.inf if amount > 0 else 0
    return 0 if share == UNLIMITED else amount / share


def _show(amount):
    return "[cpu %gm, memory %gG, gpu %g]" % (amount[0], amount[1] / 1e9,
                                              amount[2])

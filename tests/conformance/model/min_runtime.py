"""Protection of victims by minimum runtime, as KAI's plugin does it.
docs/kai/actions.md §12.  `kind` is "preempt" or "reclaim" throughout.
"""
from .cluster import ACTIVE_USED, seconds


class MinRuntime:
    def __init__(self, session):
        self.queues = session.queues
        args = session.plugin_args.get("minruntime", {})
        self.default = {
            "preempt": seconds(args.get("defaultPreemptMinRuntime", "0s")),
            "reclaim": seconds(args.get("defaultReclaimMinRuntime", "0s"))}
        self.by_queue = args.get("reclaimResolveMethod", "lca") == "queue"

    def _value(self, kind, name):
        queue = self.queues[name]
        return queue.preempt_min_runtime if kind == "preempt" \
            else queue.reclaim_min_runtime

    def _first_set(self, kind, name):
        """From the queue upward; an explicit 0 ends the walk."""
        for queue in self.queues.upward(name):
            value = self._value(kind, queue.name)
            if value is not None:
                return value
        return self.default[kind]

    def minimum(self, kind, contender, victim):
        if kind == "preempt" or self.by_queue:
            return self._first_set(kind, victim.queue)
        mine = self.queues.path(contender.queue)
        theirs = self.queues.path(victim.queue)
        if mine[0] != theirs[0]:                     # different top queues
            value = self._value(kind, theirs[0])
            return self.default[kind] if value is None else value
        common = 0
        while common < min(len(mine), len(theirs)) \
                and mine[common] == theirs[common]:
            common += 1
        return self._first_set(kind, theirs[min(common, len(theirs) - 1)])

    def protects(self, kind, contender, victim):
        start = victim.last_start
        if start is None or isinstance(start, str):  # unknown or unparsable
            return False
        return start < self.minimum(kind, contender, victim)

    def refuses_candidate(self, kind, contender, victim):
        """Victim filter: elastic jobs pass."""
        return not victim.is_elastic and self.protects(kind, contender, victim)

    def refuses_scenario(self, kind, contender, victim, tasks):
        """Scenario validator for one victim job and its victim tasks."""
        if not victim.is_elastic or not self.protects(kind, contender, victim):
            return False
        for pod_set in victim.pod_sets.values():
            lost = sum(t in pod_set.tasks for t in tasks)
            if lost and pod_set.minimum > pod_set.count(ACTIVE_USED) - lost:
                return True
        return False

"""One scheduling cycle's state and the changes that can be made to it.
docs/kai/actions.md §1.3, 2 and 5.
"""
from .cluster import Cluster
from .fairshare import QueueTree
from .options import ArbitraryOrder, Options, Trace
from .orders import QueueOrder


class Session:
    def __init__(self, cluster, config, options=Options(), trace=Trace()):
        self.options, self.trace = options, trace
        self.any_order = ArbitraryOrder(options.shuffle_seed)
        self.config = config
        self.params = config.get("params", {})
        self.plugin_args = config.get("arguments", {})
        self.spreads = config.get("plugins", "default") == "spread"
        self.cluster = Cluster(cluster)
        self.nodes, self.jobs = self.cluster.nodes, self.cluster.jobs
        self.queues = QueueTree(cluster["queues"],
                                self.params.get("fullHierarchyFairness", True))
        self.queues.charge_snapshot(self.cluster)
        self.queues.compute_fair_shares(self.cluster.total)
        self.queue_order = QueueOrder(self.cluster, self.queues)
        self.fresh_groups = 0
        self.simulations = 0
        # decisions
        self.binds = {}                              # task name -> node
        self.evictions = []                          # (task, action)

    def copies(self, defect):
        return defect in self.options.kai_defects

    # ------------------------------------------------------------- changes
    def charge(self, task, sign=1):
        job = task.job
        self.queues.charge(job.queue, self.nodes[task.node].accepted(task),
                           not job.is_preemptible, sign)

    def put(self, task, node_name, status, groups=None):
        """Allocates or pipelines a pending task (the allocate action)."""
        if task.is_shared:
            task.groups = groups
        task.node, task.status = node_name, status
        task.nodes_holding_it = frozenset([node_name])
        self.nodes[node_name].add_task(task)
        self.charge(task)
        task.job.task_list = None

    def take_back(self, task):
        """Undo of put."""
        self.nodes[task.node].remove_task(task)
        self.charge(task, -1)
        task.status, task.node = "Pending", None
        task.job.task_list = None

    def evict_virtually(self, task):
        node = self.nodes[task.node]
        node.remove_task(task)
        node.add_task(task, "Releasing")
        self.charge(task, -1)
        task.before_eviction = (task.status, task.node, task.groups)
        task.status, task.virtually_evicted = "Releasing", True
        task.job.task_list = None

    def place_virtually(self, task, node_name, groups):
        """Pipelines in a simulation; a victim that is placed on its old node is unevicted instead."""
        task.job.task_list = None
        if self._finds_own_place(task, node_name, groups):
            node = self.nodes[task.before_eviction[1]]
            node.remove_task(task, "Releasing")
            task.status, task.node, task.groups = task.before_eviction
            task.virtually_evicted = False
            node.add_task(task)
        else:
            if task.is_shared:
                task.groups = groups
            task.node, task.status = node_name, "Pipelined"
            task.virtually_evicted = False
            task.nodes_holding_it |= {node_name}
            self.nodes[node_name].add_task(task)
        self.charge(task)

    @staticmethod
    def _finds_own_place(task, node_name, groups):
        return (task.status == "Releasing" and task.virtually_evicted
                and node_name in task.nodes_holding_it
                and (not task.is_shared or
                     sorted(groups) == sorted(task.before_eviction[2])))

    def fresh_group(self):
        self.fresh_groups += 1
        return "fresh%d" % self.fresh_groups

    def commit_evictions(self, action):
        """Makes the virtual evictions of the kept simulation real."""
        for job in self.jobs:
            for t in job.tasks:
                moved = t.before_eviction and t.status == "Pipelined"
                if t.virtually_evicted or moved:
                    self.evictions.append((t, action))
                    t.virtually_evicted, t.before_eviction = False, None
                    job.last_eviction = 0            # counts at once: 11.3
                    if not self.copies("stale-task-list"):
                        job.task_list = None

    # ----------------------------------------------------- saving, undoing
    def save(self):
        return ([(n, n.save()) for n in self.nodes.values()],
                self.queues.save(),
                [(t, t.status, t.node, t.groups, t.virtually_evicted,
                  t.before_eviction, t.nodes_holding_it)
                 for job in self.jobs for t in job.tasks])

    def restore(self, saved):
        nodes, queues, tasks = saved
        for node, state in nodes:
            node.restore(state)
        self.queues.restore(queues)
        for (t, status, t.node, t.groups, t.virtually_evicted,
             t.before_eviction, t.nodes_holding_it) in tasks:
            if t.status != status:
                t.job.task_list = None
            t.status = status

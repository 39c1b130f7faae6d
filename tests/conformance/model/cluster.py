"""A cluster as the model sees it: nodes, queues, jobs, tasks, read from the
short form of a case (README.md, "The cluster").

Words as in the specification: task = pod, job = PodGroup, pod set = leaf of a
job's sub-group tree, set = inner node of it.

Amounts are vectors [milli CPU, memory bytes, GPUs, pod slots].
"""
import json
import re

from .nodes import Node
from .options import OutsideModel

CPU, MEMORY, GPU, SLOTS = range(4)
RESOURCES = (CPU, MEMORY, GPU)              # the resources that queues are charged for
RESOURCE_NAMES = ("cpu", "memory", "gpu")

# Status sets: docs/kai/actions.md §1.1
ALLOCATED = ("Allocated", "Binding", "Bound", "Running")
ACTIVE_ALLOCATED = ALLOCATED + ("Pipelined",)
ACTIVE_USED = ACTIVE_ALLOCATED + ("Releasing", "StuckInReleasing")
ALIVE = ACTIVE_ALLOCATED + ("Pending", "Gated")
STATUS_OF_STATE = {"terminating": "Releasing", "stuck": "StuckInReleasing", "bound": "Bound",
                    "gated": "Gated", "succeeded": "Succeeded", "failed": "Failed"}

DEFAULT_PRIORITY = 50
FIRST_NON_PREEMPTIBLE_PRIORITY = 100


def seconds(text):
    """Go duration -> seconds: "90s" 90, "2m0s" 120, "-1s" -1."""
    unit = {"s": 1, "m": 60, "h": 3600}
    total = sum(int(n) * unit[u]
                for n, u in re.findall(r"(\d+)([smh])", text))
    return -total if text.startswith("-") else total


def request_vector(request):
    return [request.get("cpu", 0), request.get("memory", 0) * 1e9,
            request.get("gpus", 0), 1]


class Task:
    """A pod. Only status, node, groups and the last four fields change."""

    def __init__(self, name, job, pod, request, index):
        self.name = name
        self.job = job
        self.request = request_vector(request)       # GPU 0 if shared
        self.fraction = float(request["fraction"]) if request.get("fraction") else 0
        self.gpu_memory = request.get("gpu_memory", 0)       # MiB
        self.devices = request.get("devices", 1)
        self.is_shared = bool(self.fraction or self.gpu_memory)
        self.priority_label = pod.get("task_priority")
        self.created = -(job.age - pod.get("order", index))
        self.nominated_node = pod.get("nominated")
        self.node = pod.get("node")
        self.groups = pod.get("gpu_groups")
        self.status = STATUS_OF_STATE.get(
            pod.get("state"), "Running" if self.node else "Pending")
        # in a simulation
        self.virtually_evicted = False
        self.before_eviction = None                  # (status, node, groups)
        self.nodes_holding_it = frozenset([self.node] if self.node else [])

    @property
    def needs_no_gpu(self):
        return self.request[GPU] == 0 and not self.is_shared

    def is_placeable(self, virtual):
        """docs/kai/actions.md §1.3"""
        return self.status == "Pending" or (
            virtual and self.status == "Releasing" and self.virtually_evicted)


class PodSet:
    def __init__(self, name, minimum, tasks=()):
        self.name, self.minimum, self.tasks = name, minimum, list(tasks)

    def count(self, statuses):
        return sum(t.status in statuses for t in self.tasks)


class GroupSet:
    """Inner node of the tree; members are names of pod sets or sets."""

    def __init__(self, name, members, required):
        self.name, self.members = name, members
        self.required_given = required is not None
        self.required = len(members) if required is None else required


class Job:
    """A PodGroup. Times are ages in seconds before now."""

    def __init__(self, raw, priority):
        self.name, self.queue, self.age = raw["name"], raw["queue"], raw["age"]
        self.priority = priority
        self.is_preemptible = {"preemptible": True, "non-preemptible": False
                               }.get(raw.get("preemptibility"), priority <
                                     FIRST_NON_PREEMPTIBLE_PRIORITY)
        self.selector = raw.get("selector") or {}
        self.affinity = raw.get("affinity") or []         # [key, op, values]
        self.tolerations = raw.get("tolerations") or []
        self.delay = seconds(raw["delay"]) if raw.get("delay") else 0
        self.grace = raw.get("grace")
        self.last_start = raw.get("last_start")              # age; text if unparsable
        self.last_eviction = raw.get("last_eviction")
        self.stale_since = raw.get("stale")
        self.tasks = []
        self.task_list = None                        # cache, see gangs.chunk
        self.pod_sets, self.sets = read_tree(raw)
        self.whole = self                            # see PartialJob

    def has(self, statuses):
        return any(t.status in statuses for t in self.tasks)

    def count(self, statuses):
        return sum(t.status in statuses for t in self.tasks)

    @property
    def has_pending(self):
        return self.has(("Pending",))

    @property
    def is_elastic(self):
        """Tasks of any status count: docs/kai/actions.md §3.2."""
        return any(p.minimum < len(p.tasks) for p in self.pod_sets.values())


class PartialJob(Job):
    """A job restricted to some of its tasks.

    lower_minimums: as for the preemptor of a probe (docs/kai/actions.md §9.2)."""

    def __init__(self, job, tasks=None, lower_minimums=False):
        whole = job.whole
        self.__dict__.update(whole.__dict__)
        self.whole, self.task_list = whole, None
        keep = {id(t) for t in (job.tasks if tasks is None else tasks)}
        self.pod_sets = {
            name: PodSet(name, p.minimum,
                         [t for t in p.tasks if id(t) in keep])
            for name, p in whole.pod_sets.items()}
        self.sets = {}
        for name, s in whole.sets.items():
            copy = self.sets[name] = GroupSet(name, s.members, s.required)
            copy.required_given = s.required_given
        self.tasks = [t for p in self.pod_sets.values() for t in p.tasks]
        if lower_minimums:
            for p in self.pod_sets.values():
                if p.tasks:
                    p.minimum = min(p.minimum, len(p.tasks))
            self._lower_required("")

    def _lower_required(self, name):
        populated = 0
        for member in self.sets[name].members:
            if member in self.pod_sets:
                populated += bool(self.pod_sets[member].tasks)
            else:
                populated += self._lower_required(member)
        if self.sets[name].required_given:
            self.sets[name].required = min(self.sets[name].required, populated)
        return populated > 0


def read_tree(raw):
    """(pod sets, sets) of a job; the root set is "": docs/kai/actions.md §3.1."""
    groups = raw.get("subgroups") or []
    if not groups:
        minimum = 1 if raw.get("min") is None else raw["min"]
        return ({"default": PodSet("default", minimum)},
                {"": GroupSet("", ["default"], raw.get("min_subgroups"))})
    parents = {g.get("parent") for g in groups if g.get("parent")}
    pod_sets, required = {}, {"": raw.get("min_subgroups")}
    for g in groups:
        if g["name"] in parents:
            required[g["name"]] = g.get("min_subgroups")
        else:
            pod_sets[g["name"]] = PodSet(g["name"], g.get("min") or 0)
    members = {name: [] for name in required}
    for g in groups:
        members[g.get("parent") or ""].append(g["name"])
    return pod_sets, {name: GroupSet(name, members[name], required[name])
                      for name in required}


def signature(job):
    """What makes two jobs alike for the pool of failed jobs, taken once from
    the snapshot: docs/kai/actions.md §10.  Of the fields listed there the pods of the
    cases have only these three (priority belongs to the PodGroup).  The depth
    of a pod set counts, because KAI hashes the topology constraint of every
    set above it, even an absent one."""
    constraints = json.dumps([job.selector or None, job.affinity or None,
                              job.tolerations or None], sort_keys=True)
    parts = []
    for pod_set in job.pod_sets.values():
        waiting = [t for t in pod_set.tasks
                   if t.status not in ACTIVE_ALLOCATED]
        if waiting:
            parts.append("/" * _depth(job, pod_set.name) +
                         constraints * len(waiting))
    return tuple(sorted(parts))


def _depth(job, name):
    """The number of sets above a pod set or set."""
    for s in job.sets.values():
        if name in s.members:
            return 1 + _depth(job, s.name)
    return 0


class Cluster:
    """nodes: name -> Node; jobs in the order of the input; total: schedulable
    nodes less what pods of other schedulers hold there."""

    def __init__(self, raw):
        if raw.get("topologies"):
            raise OutsideModel("topology")
        self.nodes = {n["name"]: Node(n) for n in raw["nodes"]}
        memories = [n.gpu_memory for n in self.nodes.values()
                    if n.allocatable[GPU] and n.gpu_memory > 100]
        # divisors that convert GPU memory into GPUs without a node
        self.smallest_gpu = min(memories) if memories else None
        self.largest_gpu = max(memories) if memories else None
        self.total = [0, 0, 0]
        for n in self.nodes.values():
            if n.is_schedulable:
                for r in RESOURCES:
                    self.total[r] += n.allocatable[r]
        self._read_foreign_pods(raw.get("foreign_pods", []))
        self.jobs = [self._read_job(j, raw) for j in raw["jobs"]]
        for job in self.jobs:
            job.signature = signature(job)
        self.job_named = {j.name: j for j in self.jobs}

    def jobs_by_name(self):
        return sorted(self.jobs, key=lambda j: j.name)

    def _read_foreign_pods(self, pods):
        for pod in pods:
            node = self.nodes[pod["node"]]
            if "reservation" in pod["name"]:            # uses only its slot
                node.add([0, 0, 0, 1], "Running")
                continue
            amount = request_vector(pod["request"])
            node.add(amount,
                     "Releasing" if pod.get("state") == "terminating" else "Running")
            if node.is_schedulable:
                for r in RESOURCES:
                    self.total[r] -= amount[r]

    def _read_job(self, raw, cluster):
        if raw.get("anti_affinity") or raw.get("pod_affinity") or raw.get("labels"):
            raise OutsideModel("pod affinity")
        classes = cluster["priorities"]
        default = DEFAULT_PRIORITY
        if cluster.get("default_priority"):
            default = classes.get(cluster["default_priority"], DEFAULT_PRIORITY)
        job = Job(raw, classes.get(raw.get("priority"), default))
        for i, pod in enumerate(raw["pods"]):
            task = Task("%s-%d" % (raw["name"], i), job, pod,
                        pod.get("request") or raw["request"], i)
            if task.is_shared and any("pods" in n for n in cluster["nodes"]):
                raise OutsideModel("shared GPUs with few pod slots")
            if pod.get("state") == "terminating" and not task.node:
                raise OutsideModel("terminating pod without node")
            if task.node and task.status not in ("Succeeded", "Failed"):
                self.nodes[task.node].add_task(task)
            pod_set = job.pod_sets.get(pod.get("subgroup") or "default")
            if pod_set is not None:                  # else outside the job
                pod_set.tasks.append(task)
                job.tasks.append(task)
        return job

"""Makes a cluster smaller while a difference remains. Not minimal: repeats passes of removals until none helps, or the
limit of calls is reached.

Not minimal: one pass of removals after another until none helps, or the limit
of calls is reached.
"""
import copy

from model import Options
from model.cycle import run_actions, settle
from model.session import Session

MOST_CALLS = 400
# optional keys of a job, node or queue
JOB_KEYS = ("delay", "last_eviction", "last_start", "stale", "grace", "tolerations", "selector", "affinity",
            "preemptibility", "stays_terminating", "min_subgroups")
POD_KEYS = ("task_priority", "order", "nominated", "request")
NODE_KEYS = ("taints", "labels", "cordon", "not_ready", "pods")
QUEUE_KEYS = ("priority", "preempt_min_runtime", "reclaim_min_runtime", "cpu", "memory")


def shrink(case, first_round, differs):
    """(smaller case, rounds).  differs(case, rounds) -> bool."""
    rounds = first_round
    late = _start_at(case, first_round)
    if late is not None and differs(late, 1):
        case, rounds = late, 1
    budget = [MOST_CALLS]

    def attempt(change):
        """Applies a change to a copy, which is kept if the difference remains."""
        nonlocal case
        smaller = copy.deepcopy(case)
        if budget[0] <= 0 or change(smaller) is False:
            return False
        budget[0] -= 1
        if not differs(smaller, rounds):
            return False
        case = smaller
        return True

    while budget[0] > 0:
        if not any([_drop_jobs(lambda: case, attempt),
                    _drop_each(lambda: case, attempt)]):
            break
    attempt(_tidy)
    return case, rounds


def _tidy(case):
    """Empty lists and priority classes that no job names."""
    cluster = case["cluster"]
    if not cluster.get("foreign_pods"):
        cluster.pop("foreign_pods", None)
    used = {j.get("priority") for j in cluster["jobs"]}
    used.add(cluster.get("default_priority"))
    cluster["priorities"] = {k: v for k, v in cluster["priorities"].items() if k in used}


def _start_at(case, number):
    """The case in the state before the given round, computed by the model."""
    if number == 1:
        return None
    cluster = case["cluster"]
    for i in range(1, number):
        session = Session(cluster, case["config"], Options())
        run_actions(session)
        cluster = settle(cluster, session, i)
    return dict(case, cluster=cluster)


def _drop_jobs(current, attempt):
    """Halves, quarters and so on, down to single jobs."""
    changed = False
    size = max(1, len(current()["cluster"]["jobs"]) // 2)
    while size:
        i = 0
        while i < len(current()["cluster"]["jobs"]):
            def change(c, i=i):
                del c["cluster"]["jobs"][i:i + size]
            if attempt(change):
                changed = True
            else:
                i += size
        size //= 2
    return changed


def _drop_each(current, attempt):
    """Nodes, queues, pods, foreign pods, and single settings."""
    return any([attempt(c) for c in _changes(current())])


def _changes(case):
    """Functions that remove one thing each, found by name when applied."""
    cluster = case["cluster"]
    for x in cluster.get("foreign_pods", []):
        yield _without("foreign_pods", x["name"])
    for node in cluster["nodes"]:
        yield _without_node(node["name"])
    for queue in cluster["queues"]:
        yield _without_queue(queue["name"])
    for job in cluster["jobs"]:
        for i in reversed(range(len(job["pods"]))):
            yield _without_pod(job["name"], i)
    for key in ("plugins", "actions", "arguments", "params"):
        if key in case["config"]:
            yield lambda c, key=key: c["config"].pop(key) and None
    for kind, keys in (("nodes", NODE_KEYS), ("queues", QUEUE_KEYS),
                       ("jobs", JOB_KEYS)):
        for thing in cluster[kind]:
            for key in keys:
                if key in thing:
                    yield _without_key(kind, thing["name"], key)
    for job in cluster["jobs"]:
        for key in POD_KEYS:
            if any(key in p for p in job["pods"]):
                yield _without_pod_key(job["name"], key)


def _find(cluster, kind, name):
    return next((x for x in cluster[kind] if x["name"] == name), None)


def _without(kind, name):
    def change(c):
        c["cluster"][kind] = [x for x in c["cluster"][kind] if x["name"] != name]
    return change


def _without_node(name):
    """The node and its pods."""
    def change(c):
        cluster = c["cluster"]
        if len(cluster["nodes"]) == 1:
            return False
        _without("nodes", name)(c)
        cluster["foreign_pods"] = [x for x in cluster.get("foreign_pods", [])
                            if x["node"] != name]
        for job in cluster["jobs"]:
            job["pods"] = [p for p in job["pods"] if p.get("node") != name]
            for p in job["pods"]:
                if p.get("nominated") == name:
                    del p["nominated"]
        cluster["jobs"] = [j for j in cluster["jobs"] if j["pods"]]
    return change


def _without_queue(name):
    """A queue that no job and no other queue uses."""
    def change(c):
        cluster = c["cluster"]
        if any(j["queue"] == name for j in cluster["jobs"]) or any(
                q.get("parent") == name for q in cluster["queues"]):
            return False
        _without("queues", name)(c)
    return change


def _without_pod(job_name, index):
    """A pod; a plain gang still requires all of its pods."""
    def change(c):
        job = _find(c["cluster"], "jobs", job_name)
        if job is None or index >= len(job["pods"]) or len(job["pods"]) == 1:
            return False
        if job.get("min") == len(job["pods"]):
            job["min"] -= 1
        del job["pods"][index]
    return change


def _without_key(kind, name, key):
    def change(c):
        thing = _find(c["cluster"], kind, name)
        if thing is None or key not in thing:
            return False
        del thing[key]
    return change


def _without_pod_key(job_name, key):
    def change(c):
        job = _find(c["cluster"], "jobs", job_name)
        if job is None:
            return False
        for p in job["pods"]:
            p.pop(key, None)
    return change

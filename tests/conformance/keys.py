"""The keys that a case may have, so that a misspelt key is found. README.md explains them."""

TOP = set("source tags config notes expect rounds fairshare groups_stable answer_of difference program now nodes "
          "topologies priorities default_priority queues jobs foreign_pods manifests".split())
CONFIG = set("actions plugins arguments actionArguments params queueDepthPerAction".split())
NODE = set("name gpus cpu memory gpu_memory pods labels taints cordon not_ready mig mig_strategy".split())
QUEUE = set("name parent age priority gpu cpu memory preempt_min_runtime reclaim_min_runtime display".split())
AFFINITY = {"affinity", "pod_affinity", "anti_affinity"}
JOB = AFFINITY | set("name namespace queue age priority preemptibility min min_subgroups subgroups topology delay "
                     "grace last_start last_eviction stale stays_terminating annotations request pods selector "
                     "tolerations labels claims qos also".split())
SUBGROUP = {"name", "parent", "min", "min_subgroups", "topology"}
POD = AFFINITY | set("node state gpu_groups subgroup task_priority order age nominated annotations request labels "
                     "claims qos also".split())
FOREIGN_POD = set("name namespace scheduler node request labels state age".split())
REQUEST = {"cpu", "memory", "gpus", "fraction", "gpu_memory", "devices", "mig"}
EXPECT = {"after", "unchanged", "jobs", "pods", "nodes", "at_most", "annotations", "requeue"}
PLACE = {"status", "node", "gpu_groups", "numa_zones"}
AT_MOST = {"binds", "evictions", "pipelined"}
ROUND = AT_MOST | {"groups"}
REQUEUE = {"nominated", "skipped", "commits", "rollbacks"}


def with_keys(case):
    """(what it is, mapping, the keys it may have) for every mapping of a case, as in its file."""
    yield "the case", case, TOP
    yield "config", case.get("config", {}), CONFIG
    for kind, keys in (("nodes", NODE), ("queues", QUEUE), ("jobs", JOB), ("foreign_pods", FOREIGN_POD)):
        for thing in case.get(kind, []):
            yield "%s %s" % (kind, thing.get("name")), thing, keys
            yield "the request of %s" % thing.get("name"), thing.get("request", {}), REQUEST
    for job in case["jobs"]:
        for pod in job["pods"] if isinstance(job["pods"], list) else []:
            if isinstance(pod, dict):
                yield "a pod of %s" % job["name"], pod, POD
                yield "a request of %s" % job["name"], pod.get("request", {}), REQUEST
        for group in job.get("subgroups", []):
            yield "a sub group of %s" % job["name"], group, SUBGROUP
    yield from with_expected_keys(case)


def with_expected_keys(case):
    expect = case.get("expect", {})
    yield "expect", expect, EXPECT
    yield "at_most", expect.get("at_most", {}), AT_MOST
    yield "requeue", expect.get("requeue", {}), REQUEUE
    for place in [*expect.get("jobs", {}).values(), *expect.get("pods", {}).values()]:
        if isinstance(place, dict):
            yield "an expected place", place, PLACE
    for decided in case.get("rounds") or []:
        yield "a round", decided, ROUND


def unknown(case):
    """The first unknown key, as text; nothing if all are known."""
    for what, mapping, keys in with_keys(case):
        for key in mapping:
            if key not in keys:
                return "%s has an unknown key %r" % (what, key)
    return ""

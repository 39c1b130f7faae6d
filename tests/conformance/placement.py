"""Compares the placements of the pods of a case with `expect`: replays the decisions of a program."""
import collections
import re

import cases
import manifests
from program import need

ON_NODE = ("Running", "Binding", "Bound", "Releasing", "StuckInReleasing")
STATUS = {"running": "Running", "pending": "Pending", "terminating": "Releasing", "stuck": "StuckInReleasing",
          "bound": "Bound", "gated": "Gated", "succeeded": "Succeeded", "failed": "Failed"}
REPORTED = {"StuckInReleasing": ("Releasing",), "Bound": ("Running", "Pending"), "Gated": ("Pending",)}
KINDS = ("binds", "evictions", "pipelined")
EXPECTED = re.compile(r"(\w+)(?: on (\S+))?")


class Mismatch(Exception):
    """The program ran, but its decisions differ from the expectation."""


class Pod:
    """A pod of the cluster, and the result of the decisions about it."""

    def __init__(self, pod, job):
        request = pod.get("request") or job.get("request", {})
        self.job = job["name"]
        self.gpus = request.get("gpus", 0)
        self.is_shared = bool(request.get("fraction") or request.get("gpu_memory"))
        self.stays_terminating = bool(job.get("stays_terminating"))
        self.status = STATUS[manifests.state_of(pod)]
        self.node = pod.get("node", "")
        self.groups = pod.get("gpu_groups", [])
        self.zones = None

    def moved(self, status, node, groups=(), zones=None):
        copy = Pod.__new__(Pod)
        copy.__dict__.update(self.__dict__, status=status, node=node, groups=list(groups), zones=zones)
        return copy

    def describe(self):
        return self.status + (" on " + self.node if self.node else "")


def pods_of(cluster):
    """Every pod of a job by its full name."""
    return {"%s/%s-%d" % (job.get("namespace", "default"), job["name"], i): Pod(pod, job)
            for job in cluster["jobs"] for i, pod in enumerate(job["pods"])}


# ------------------------------------------------------------------------------------------------------- replaying
def pod_of(event, state, what):
    need(isinstance(event, dict) and isinstance(event.get("pod"), str), "%s entry without a pod" % what)
    need(event["pod"] in state, "%s of unknown pod %s" % (what, event["pod"]))
    return event["pod"]


def node_of(event, nodes, what):
    need(event.get("node") in nodes, "pod %s %s to unknown node %r" % (event["pod"], what, event.get("node")))
    return event["node"]


def allow(pod, name, statuses, decided, verb):
    if pod.status not in statuses:
        raise Mismatch("cycle %s %s pod %s, which is %s" % (decided["cycle"], verb, name, pod.status))


def in_cycle(state, decided, nodes):
    """The pods as the scheduler sees them at the end of the cycle."""
    found = dict(state)
    bound = set()
    for event in decided.get("binds") or []:
        name = pod_of(event, state, "bind")
        need(name not in bound, "pod %s bound twice in one cycle" % name)
        bound.add(name)
        allow(state[name], name, ("Pending",), decided, "binds")
        found[name] = state[name].moved("Binding", node_of(event, nodes, "bound"), event.get("gpuGroups") or [],
                                        event.get("numaZones"))
    for event in decided.get("evictions") or []:
        name = pod_of(event, state, "eviction")
        pod = found[name]
        allow(pod, name, ("Running", "Binding", "Bound", "Releasing"), decided, "evicts")
        found[name] = pod.moved("Releasing", pod.node, pod.groups, pod.zones)
    for event in decided.get("pipelined") or []:
        name = pod_of(event, state, "pipelined")
        pod = found[name]
        allow(pod, name, ("Pending", "Releasing"), decided, "pipelines")
        found[name] = pod.moved("Pipelined", node_of(event, nodes, "pipelined"), event.get("gpuGroups") or pod.groups,
                                event.get("numaZones"))
    return found


def settled(state):
    """The pods before the next cycle."""
    found = {}
    for name, pod in state.items():
        if pod.status == "Pipelined" or pod.status == "Releasing" and not pod.stays_terminating:
            pod = pod.moved("Pending", "", (), pod.zones)
        elif pod.status == "Binding":
            pod = pod.moved("Running", pod.node, pod.groups, pod.zones)
        found[name] = pod
    return found


# -------------------------------------------------------------------------------------------------------- comparing
def wanted(value):
    """An expectation ("Running on node0", or a mapping) as a mapping."""
    if isinstance(value, dict):
        return value
    match = EXPECTED.fullmatch(value)
    if not match:
        raise cases.BadCase("%r is not a status like \"Running on node0\"" % value)
    return {"status": match[1], "node": match[2]}


def wanted_pods(expect, state):
    """(pod name, expectation) for every pod that a job or a pod is expected for."""
    for job, value in expect.get("jobs", {}).items():
        names = [name for name, pod in state.items() if pod.job == job]
        if not names:
            raise cases.BadCase("no pod of the expected job %s" % job)
        yield from ((name, wanted(value)) for name in names)
    for pod, value in expect.get("pods", {}).items():
        if cases.full_name(pod) not in state:
            raise cases.BadCase("no expected pod %s" % pod)
        yield cases.full_name(pod), wanted(value)


def check_limits(decided, at_most):
    for kind in KINDS:
        count = len(decided.get(kind) or [])
        if count > at_most.get(kind, 0):
            raise Mismatch("cycle %s has %d %s, at most %d allowed" % (
                decided["cycle"], count, kind, at_most.get(kind, 0)))


def check_pod(name, pod, want, when):
    if pod.status != want["status"]:
        raise Mismatch("%s: pod %s is %s, expected %s%s" % (
            when, name, pod.describe(), want["status"], " on " + want["node"] if want.get("node") else ""))
    if want.get("node") and pod.node != want["node"]:
        raise Mismatch("%s: pod %s (%s) is on %s, expected %s" % (
            when, name, pod.status, pod.node or "no node", want["node"]))
    if want.get("numa_zones") is not None and pod.zones is not None:
        if sorted(pod.zones) != sorted(want["numa_zones"]):
            raise Mismatch("%s: pod %s uses NUMA zones %s, expected %s" % (
                when, name, pod.zones, want["numa_zones"]))


def gpus_left(node, gpus, state):
    """(idle, releasing) GPUs of a node; None if a pipelined fraction leaves them open."""
    idle, releasing = gpus, 0
    groups = collections.defaultdict(list)
    for pod in state.values():
        if pod.node != node:
            continue
        if pod.is_shared:
            if pod.status == "Pipelined":
                return None
            for group in pod.groups if pod.status in ON_NODE else ():
                groups[group].append(pod.status)
            continue
        idle -= pod.gpus if pod.status in ON_NODE else 0
        releasing += {"Releasing": pod.gpus, "Pipelined": -pod.gpus}.get(pod.status, 0)
    releasing += sum(all(status == "Releasing" for status in members) for members in groups.values())
    return idle - len(groups), releasing


def check_node(node, gpus, want, state, when):
    left = gpus_left(node, gpus, state)
    if left is None:
        return
    for what, have, should in (("idle", left[0], want["idle_gpus"]), ("releasing", left[1], want["releasing_gpus"])):
        if have != should:
            raise Mismatch("%s: node %s has %g %s GPUs, expected %g" % (when, node, have, what, should))


def check_groups(expect, state, when):
    """Pods of the same expected group on a node must share one real GPU."""
    real = {}
    for name, want in wanted_pods(expect, state):
        pod, groups = state[name], want.get("gpu_groups")
        if not groups or not pod.is_shared or pod.status not in ON_NODE:
            continue
        if len(pod.groups) != len(groups):
            raise Mismatch("%s: pod %s uses GPU groups %s, expected %d" % (when, name, pod.groups, len(groups)))
        for group, used in zip(groups, pod.groups):
            first = real.setdefault((pod.node, group), used)
            if first != used:
                raise Mismatch("%s: pod %s shares GPU %s, expected %s" % (when, name, used, first))


def check_state(case, state, when, with_groups):
    expect = case["expect"]
    for name, want in wanted_pods(expect, state):
        check_pod(name, state[name], want, when)
    gpus = {node["name"]: node.get("gpus", 0) for node in case["cluster"]["nodes"]}
    for node, want in expect.get("nodes", {}).items():
        check_node(node, gpus[node], want, state, when)
    if with_groups:
        check_groups(expect, state, when)


def check_reported(answer, state):
    """The reported end state must agree with the reported decisions."""
    need(isinstance(answer.get("pods"), list), 'no list "pods" in the output')
    reported = {}
    for pod in answer["pods"]:
        need(isinstance(pod, dict) and "name" in pod and "phase" in pod, "pods entry without name or phase")
        need(pod["name"] in state, "unknown pod %s reported" % pod["name"])
        reported[pod["name"]] = pod
    for name, pod in state.items():
        if name not in reported:
            need(pod.status in ("Succeeded", "Failed"), "pod %s is not reported" % name)
            continue
        phase, node = reported[name]["phase"], reported[name].get("node") or ""
        if phase not in REPORTED.get(pod.status, (pod.status,)):
            raise Mismatch("pod %s is reported %s, its events say %s" % (name, phase, pod.status))
        if pod.status in ON_NODE and node != pod.node:
            raise Mismatch("pod %s is reported on %s, its events say %s" % (name, node or "no node", pod.node))


def cycles(expect):
    """The number of cycles until the expectation holds, and the number of further cycles for which it must hold."""
    return expect.get("after", 1), expect.get("unchanged", 0)


def judge(case, answer, with_groups):
    """Raises Mismatch. Without `after`, the state inside the only cycle counts; with it, the settled state after that
    many cycles, and the state inside each later cycle."""
    expect = case["expect"]
    until, _ = cycles(expect)
    nodes = {node["name"] for node in case["cluster"]["nodes"]}
    state = pods_of(case["cluster"])
    for number, decided in enumerate(answer["rounds"], 1):
        check_limits(decided, expect.get("at_most", {}))
        inside = in_cycle(state, decided, nodes)
        state = settled(inside)
        if number == until and "after" in expect:
            check_state(case, state, "after cycle %d" % number, with_groups)
        elif number >= until:
            check_state(case, inside, "in cycle %d" % number, with_groups)
    check_reported(answer, state)

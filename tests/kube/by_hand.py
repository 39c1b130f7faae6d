"""Measures the requests of a schedule without a scheduler: the time that the API server, the controllers and KWOK need
on this machine. Everything is known in advance, so nothing is watched or decided; no scheduler on this machine can
be much faster.

Everything is known beforehand, so nothing is watched or decided: no scheduler on this machine can be much faster.
"""
import re
import time

from cluster import wait_until
from creator import raw, send_all
from workloads import POD_GROUPS, PODS, group, pod

CREATORS, WRITERS = 8, 32


def creation(name):
    return "POST", PODS, pod(name)


def deletion(name):
    return "DELETE", f"{PODS}/{name}"


def binding(name, node):
    return "POST", f"{PODS}/{name}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                                              "target": {"apiVersion": "v1", "kind": "Node", "name": f"node-{node:03}"}}


def grouping(name, uid):
    """Its PodGroup, which is deleted with the pod."""
    body = group(f"pg-{name}", "borrower", 1)
    body["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid}]
    return "POST", POD_GROUPS, body


def seconds_until_all_run(plane):
    begin = time.monotonic()
    waiting = f"{PODS}?limit=1&fieldSelector=status.phase%3DPending"
    wait_until(lambda: not plane.api.items(waiting), 120, "all pods to run", 0.2)
    return time.monotonic() - begin


class ByHand:
    def __init__(self, plane, nodes):
        self.plane, self.nodes = plane, nodes

    def timed(self, requests, connections):
        run = send_all(self.plane, [raw(*r) for r in requests], connections)
        begin = time.monotonic()
        answers = run()
        return time.monotonic() - begin, answers

    def gang(self, size):
        created, _ = self.timed([creation(f"gang-{i}") for i in range(size)], CREATORS)
        bound, _ = self.timed([binding(f"gang-{i}", i % self.nodes) for i in range(size)], WRITERS)
        print(f"by hand, gang of {size}: {created + bound:.2f} s, its binds {bound:.2f} s", flush=True)
        self.timed([deletion(f"gang-{i}") for i in range(size)], WRITERS)

    def fill(self, count):
        names = [f"fill-{i}" for i in range(count)]
        created, answers = self.timed([creation(n) for n in names], CREATORS)
        uids = dict(re.search(rb'"name":"(fill-\d+)".*?"uid":"([^"]+)"', a).groups() for a in map(bytes, answers))
        bound, _ = self.timed([binding(n, i % self.nodes) for i, n in enumerate(names)], WRITERS)
        ran = seconds_until_all_run(self.plane)
        grouped, _ = self.timed([grouping(n, uids[n.encode()].decode()) for n in names], WRITERS)
        print(f"by hand, {count} pods: {created + bound + grouped:.1f} s: created in {created:.1f}, bound in "
              f"{bound:.1f}, PodGroups in {grouped:.1f}; {created + bound + ran + grouped:.1f} s until all run", flush=True)

    def reclaim(self, count):
        """After fill()."""
        time.sleep(3)
        deleted, _ = self.timed([deletion(f"fill-{i}") for i in range(count)], CREATORS)
        created, _ = self.timed([creation(f"owed-{i}") for i in range(count)], CREATORS)
        bound, _ = self.timed([binding(f"owed-{i}", i % self.nodes) for i in range(count)], WRITERS)
        print(f"by hand, reclaim by {count}: {deleted + created + bound:.1f} s: deleted in {deleted:.1f}, created in "
              f"{created:.1f}, bound in {bound:.1f}", flush=True)

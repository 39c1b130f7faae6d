"""Measures the memory of muster serve: bench_memory.py [--nodes N] [--pods N]. Prints one line per stage, each in a
fresh process.

Nodes and pods exist only in the API server: there are no kubelets, and all pods are bound, four to a PodGroup.
"""
import argparse
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from by_hand import CREATORS
from cluster import ControlPlane, Muster, wait_until
from creator import raw, send_all
from workloads import POD_GROUPS, PODS, QUEUES, group, pod, queue

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MUSTER", str(ROOT / "build/release/src/muster"))
GANG = 4


def megabytes(process, field):
    lines = open(f"/proc/{process.pid}/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def node(name):
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "250", "nvidia.com/gpu": "8"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"allocatable": amounts, "capacity": amounts}}


def bound_pod(i, nodes):
    return pod(f"pod-{i}", 1, group=f"gang-{i // GANG}", nodeName=f"node-{i % nodes}")


def measure(plane, what):
    """The time until it is ready is the time of the first list."""
    begin = time.monotonic()
    with Muster(plane, BINARY, name=f"muster-{time.monotonic_ns()}") as muster:
        wait_until(muster.is_ready, 120, "muster to be ready")
        ready = time.monotonic() - begin
        wait_until(lambda: muster.metric("kai_muster_cycles_total") >= 3, 60, "three cycles")
        now, peak = megabytes(muster.process, "VmRSS"), megabytes(muster.process, "VmHWM")
        print(f"{what}: {now:.1f} MB, at most {peak:.1f} MB, ready after {ready:.1f} s, a cycle "
              f"{muster.metric('kai_e2e_scheduling_latency_milliseconds'):.1f} ms", flush=True)
    return now


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=8000)
    options = parser.parse_args()
    send = lambda plane, requests: send_all(plane, requests, CREATORS)()
    with ControlPlane(kwok=False, controllers=False, fast=True) as plane:
        plane.install(ROOT / "deploy")
        plane.api.post(QUEUES, queue("department", 8 * options.nodes, parent=""))
        plane.api.post(QUEUES, queue("team", 8 * options.nodes))
        empty = measure(plane, "empty")
        send(plane, [raw("POST", "/api/v1/nodes", node(f"node-{i}")) for i in range(options.nodes)])
        with_nodes = measure(plane, f"{options.nodes} nodes")
        send(plane, [raw("POST", POD_GROUPS, group(f"gang-{i}", "team", GANG)) for i in range(options.pods // GANG)])
        send(plane, [raw("POST", PODS, bound_pod(i, options.nodes)) for i in range(options.pods)])
        full = measure(plane, f"{options.nodes} nodes, {options.pods} pods")
    print(f"{(with_nodes - empty) * 1e3 / options.nodes:.1f} kB a node, "
          f"{(full - with_nodes) * 1e3 / options.pods:.1f} kB a pod with a quarter of a PodGroup")


if __name__ == "__main__":
    main()

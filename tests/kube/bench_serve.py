"""Measures the speed of muster serve, with everything on this machine: bench_serve.py [by-hand fill gang reclaim one].

Prints one line per figure, measured from the first create to the last bind that the API server acknowledges. by-hand:
the same requests without a scheduler, which is the best that this machine allows.
"""
import argparse
import os
import pathlib
import re
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from by_hand import CREATORS, ByHand, seconds_until_all_run
from cluster import ControlPlane, Muster, is_running, wait_until
from creator import raw, send_all
from workloads import POD_GROUPS, PODS, QUEUES, group, pod, queue

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MUSTER", str(ROOT / "build/release/src/muster"))


def create_all(plane, pods):
    return send_all(plane, [raw("POST", PODS, body) for body in pods], CREATORS)


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(process):
    for line in open(f"/proc/{process.pid}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0


class Snapshot:
    """Counters up to one point in time."""

    def __init__(self, plane, muster):
        self.cpu = {name: cpu_seconds(p.pid) for name, p in {**plane.processes, "muster": muster.process}.items()}
        self.cpu["client"] = cpu_seconds("self")
        self.writes, self.buckets = {}, {}
        for line in muster.page("/metrics")[1].splitlines():
            value = line.rsplit(" ", 1)[-1]
            if line.startswith("kai_muster_api_requests_total") and 'method="GET"' not in line:
                what = " ".join(re.search(f'{label}="([^"]*)"', line)[1] for label in ("method", "resource"))
                self.writes[what] = self.writes.get(what, 0) + float(value)
            if line.startswith("kai_muster_watch_to_bind_milliseconds_bucket"):
                self.buckets[float(re.search('le="([^"]*)"', line)[1])] = float(value)

    def since(self, before):
        for name in ("cpu", "writes", "buckets"):
            old = getattr(before, name)
            setattr(self, name, {key: value - old.get(key, 0) for key, value in getattr(self, name).items()})
        return self

    def quantile(self, q):
        """Upper bound of the bucket that contains the quantile of watch-to-bind, in milliseconds."""
        most = max(self.buckets.values(), default=0)
        return next((bound for bound, count in sorted(self.buckets.items()) if count >= q * most), 0)


def furnished(plane, nodes):
    """With nodes, and queues that owe each other half of them."""
    plane.install(ROOT / "deploy")
    plane.kubectl("delete", "deployment", "muster", "-n", "kai-scheduler")
    plane.add_nodes(nodes)
    plane.api.post(QUEUES, queue("department", 8 * nodes, parent=""))
    for name in ("owner", "borrower"):
        plane.api.post(QUEUES, queue(name, 4 * nodes))
    return plane


class Bench:
    def __init__(self, nodes):
        self.nodes = nodes
        self.total = 8 * nodes

    def __enter__(self):
        self.plane = furnished(ControlPlane(fast=True).__enter__(), self.nodes)
        self.api = self.plane.api
        self.muster = Muster(self.plane, BINARY).__enter__()
        self.muster.wait_ready()
        return self

    def __exit__(self, *_):
        self.muster.__exit__()
        self.plane.__exit__()

    def bound(self):
        return self.muster.metric("kai_task_scheduling_latency_milliseconds_count")

    def is_quiet(self):
        page = self.muster.page("/metrics")[1]
        return all(f"kai_muster_{name} 0\n" in page for name in ("open_binds", "open_evictions", "waiting_requests"))

    def measure(self, name, count, start, step=0.2, runs=False):
        """Runs start() and waits for `count` further binds, then for the remaining writes.

        `step`: seconds between two checks, which have a cost as well. `runs`: also reports when all pods run.
        """
        before, bound_before = Snapshot(self.plane, self.muster), self.bound()
        first = None
        begin = time.monotonic()
        created = []
        creating = threading.Thread(target=lambda: (start(), created.append(time.monotonic() - begin)))
        creating.start()
        while (now := self.bound() - bound_before) < count:
            if now and first is None:
                first = time.monotonic()
            if time.monotonic() - begin > 300:
                print(self.muster.log()[-3000:], file=sys.stderr)
                raise AssertionError(f"{name}: {now} of {count} bound after 300 s")
            time.sleep(step)
        last = time.monotonic()
        creating.join()
        during = Snapshot(self.plane, self.muster).since(before)
        all_run = f"; {last - begin + seconds_until_all_run(self.plane):.1f} s until all run" if runs else ""
        wait_until(self.is_quiet, 120, "all writes to be done", 0.3)
        time.sleep(1)
        self.show(name, count, f"{last - begin:.2f} s ({count / (last - begin):.0f} pods/s), created in "
                  f"{created[0]:.2f} s, first to last bind {last - (first or last):.2f} s{all_run}", during,
                  Snapshot(self.plane, self.muster).since(before))

    def show(self, name, count, times, during, total):
        print(f"{name}: {times}, "
              f"{sum(total.writes.values()) / count:.1f} writes a pod, watch to bind p50 <= "
              f"{during.quantile(.5):g} ms, p99 <= {during.quantile(.99):g} ms, "
              f"muster: {during.cpu['muster']:.2f} s of CPU, peak {peak_mb(self.muster.process):.0f} MB")
        print("    CPU: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in during.cpu.items()))
        print("    writes, by the last bind and in all: " +
              ", ".join(f"{what} {during.writes.get(what, 0):.0f} {number:.0f}"
                        for what, number in total.writes.items() if number), flush=True)

    def filling(self):
        return create_all(self.plane, [pod(f"fill-{i}", queue="borrower") for i in range(self.total)])


def run_by_hand(nodes):
    with ControlPlane(fast=True) as plane:
        hand = ByHand(furnished(plane, nodes), nodes)
        hand.gang(min(500, 8 * nodes))
        hand.fill(8 * nodes)
        hand.reclaim(min(500, 8 * nodes))


def run(scenario, nodes):
    if scenario == "by-hand":
        return run_by_hand(nodes)
    with Bench(nodes) as bench:
        if scenario == "fill":
            bench.measure(f"{bench.total} one-GPU pods", bench.total, bench.filling(), runs=True)
        if scenario == "gang":
            bench.api.post(POD_GROUPS, group("gang", "owner", 500))
            bench.measure("gang of 500", 500, create_all(
                bench.plane, [pod(f"gang-{i}", group="gang") for i in range(500)]), step=0.02)
        if scenario in ("reclaim", "one"):
            bench.measure("filling", bench.total, bench.filling())
            wait_until(lambda: all(map(is_running, bench.plane.pods())), 120, "all pods to run", 1)
        if scenario == "reclaim":
            bench.measure("reclaim by 500 pods", 500, create_all(
                bench.plane, [pod(f"owed-{i}", queue="owner") for i in range(500)]))
        if scenario == "one":
            bench.measure("reclaim by one pod", 1, create_all(bench.plane, [pod("owed", queue="owner")]), step=0.01)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*", default=["by-hand", "fill", "gang", "reclaim", "one"])
    parser.add_argument("--nodes", type=int, default=500)
    options = parser.parse_args()
    for scenario in options.scenarios:
        run(scenario, options.nodes)

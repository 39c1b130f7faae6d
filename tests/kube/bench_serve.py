"""How fast muster serve is on this machine, everything on it: bench_serve.py [fill gang reclaim one] [--nodes 500].

Prints one line per figure. From the first create to the last bind that the API server has acknowledged.
"""
import argparse
import json
import os
import pathlib
import resource
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Api, ControlPlane, Muster, wait_until
from workloads import POD_GROUPS, PODS, QUEUES, group, pod, queue

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MUSTER", str(ROOT / "build/release/src/muster"))
CREATORS = 16


def create_all(plane, pods):
    """As fast as the API server takes them."""
    shared = iter(pods)
    lock = threading.Lock()

    def work():
        api = Api(plane.port, plane.directory / "ca.crt")
        while True:
            with lock:
                body = next(shared, None)
            if body is None:
                return
            api.post(PODS, body)
    threads = [threading.Thread(target=work) for _ in range(CREATORS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def cpu_seconds(process):
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(process):
    for line in open(f"/proc/{process.pid}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0


class Bench:
    def __init__(self, nodes):
        self.nodes = nodes
        self.total = 8 * nodes

    def __enter__(self):
        self.plane = ControlPlane(fast=True).__enter__()
        self.plane.install(ROOT / "deploy")
        self.plane.kubectl("delete", "deployment", "muster", "-n", "kai-scheduler")
        self.plane.add_nodes(self.nodes)
        self.api = self.plane.api
        self.api.post(QUEUES, queue("department", self.total, parent=""))
        self.api.post(QUEUES, queue("owner", self.total // 2))
        self.api.post(QUEUES, queue("borrower", self.total // 2))
        self.muster = Muster(self.plane, BINARY).__enter__()
        self.muster.wait_ready()
        return self

    def __exit__(self, *_):
        self.muster.__exit__()
        self.plane.__exit__()

    def bound(self):
        return self.muster.metric("kai_task_scheduling_latency_milliseconds_count")

    def writes(self):
        lines = self.muster.page("/metrics")[1].splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines
                   if line.startswith("kai_muster_api_requests_total") and 'method="GET"' not in line)

    def quantile(self, q):
        """Upper bound of the bucket that holds the quantile of watch-to-bind, in milliseconds."""
        buckets = []
        for line in self.muster.page("/metrics")[1].splitlines():
            if line.startswith("kai_muster_watch_to_bind_milliseconds_bucket"):
                buckets.append((float(line.split('le="')[1].split('"')[0].replace("+Inf", "inf")),
                                float(line.rsplit(" ", 1)[1])))
        return next((bound for bound, count in buckets if buckets and count >= q * buckets[-1][1]), 0)

    def measure(self, name, count, start):
        """Runs start() and waits for `count` further binds."""
        before, writes, cpu = self.bound(), self.writes(), cpu_seconds(self.muster.process)
        first = None
        begin = time.monotonic()
        start()
        created = time.monotonic() - begin
        while (now := self.bound() - before) < count:
            if now and first is None:
                first = time.monotonic() - begin
            if time.monotonic() - begin > 300:
                print(self.muster.log()[-3000:], file=sys.stderr)
                raise AssertionError(f"{name}: {now} of {count} bound after 300 s")
            time.sleep(0.02)
        took = time.monotonic() - begin
        writes_each = (self.writes() - writes) / count
        print(f"{name}: {took:.2f} s ({count / took:.0f} pods/s), created in {created:.2f} s, "
              f"{writes_each:.1f} writes a pod, {cpu_seconds(self.muster.process) - cpu:.2f} s of CPU, "
              f"peak {peak_mb(self.muster.process):.0f} MB, watch to bind p50 <= {self.quantile(.5):g} ms, "
              f"p99 <= {self.quantile(.99):g} ms", flush=True)
        return took

    def fill(self, count, queue_name="borrower"):
        create_all(self.plane, (pod(f"fill-{i}", queue=queue_name) for i in range(count)))

    def gang(self, name, count, queue_name):
        self.api.post(POD_GROUPS, group(name, queue_name, count))
        create_all(self.plane, (pod(f"{name}-{i}", group=name) for i in range(count)))


def run(scenario, nodes):
    with Bench(nodes) as bench:
        if scenario == "fill":
            bench.measure(f"{bench.total} one-GPU pods", bench.total, lambda: bench.fill(bench.total))
        if scenario == "gang":
            bench.measure("gang of 500", 500, lambda: bench.gang("gang", 500, "owner"))
        if scenario in ("reclaim", "one"):
            bench.measure("filling", bench.total, lambda: bench.fill(bench.total))
            wait_until(lambda: bench.muster.metric("kai_muster_open_binds") == 0, 60, "all binds to be seen")
            time.sleep(5)
        if scenario == "reclaim":
            bench.measure("reclaim by 500 pods", 500, lambda: create_all(
                bench.plane, (pod(f"owed-{i}", queue="owner") for i in range(500))))
        if scenario == "one":
            bench.measure("reclaim by one pod", 1, lambda: bench.api.post(PODS, pod("owed", queue="owner")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*", default=["fill", "gang", "reclaim", "one"])
    parser.add_argument("--nodes", type=int, default=500)
    options = parser.parse_args()
    for scenario in options.scenarios:
        run(scenario, options.nodes)

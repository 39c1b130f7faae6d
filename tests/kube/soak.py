#!/usr/bin/env python3
"""Creates and deletes pods with new names, and checks that nothing grows.

    soak.py --minutes M [--rate R]

R pods a second (default: 50) with new names, labels and PodGroups are created, run for a few seconds and are deleted. Prints
one line per minute: memory, interned values, open writes, slow cycles, findings of self-checks. Memory, interned values and
slow cycles may grow by at most a fifth between the first third and the end of the run (medians over a tenth of the run
each). Self-checks must have run without findings, and no binds and evictions may be open at the end. MUSTER names the
program.
"""
import argparse
import pathlib
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Api, ControlPlane, Muster, wait_until
from test_serve import BINARY, ROOT
from workloads import PODS, QUEUES, pod, queue

LIVES = 4  # seconds
SLACK = {"slow cycle ms": 4, "memory MiB": 4, "interned": 4096}  # interned values are swept when there are this many


class Churn(threading.Thread):
    def __init__(self, plane, rate):
        super().__init__(daemon=True)
        self.api, self.rate, self.is_over, self.made = Api(plane.port, plane.directory / "ca.crt"), rate, False, 0

    def run(self):
        begin, gone = time.monotonic(), 0
        while not self.is_over:
            if self.made < (time.monotonic() - begin) * self.rate:
                self.make(self.made)
                self.made += 1
            else:
                time.sleep(0.005)
            while gone < self.made - int(LIVES * self.rate):
                self.api.request("DELETE", f"{PODS}/soak-{gone}", {"gracePeriodSeconds": 0})
                gone += 1

    def make(self, number):
        self.api.post(PODS, pod(f"soak-{number}", 1, queue=("team-a", "team-b")[number % 2], labels={"soak": f"{number}"}))


def memory(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def open_writes(m):
    return m.metric("kai_muster_open_binds") + m.metric("kai_muster_open_evictions")


def slow_cycle(m, seconds):
    """The 99th percentile of the cycles in this time, in milliseconds, sampled every half second."""
    begin, seen = time.monotonic(), []
    while not seen or time.monotonic() < begin + seconds:
        seen.append(m.metric("kai_e2e_scheduling_latency_milliseconds"))
        time.sleep(0.5)
    return sorted(seen)[int(0.99 * len(seen))]


def look(m, seconds):
    return {"slow cycle ms": slow_cycle(m, seconds), "memory MiB": memory(m.process),
            "interned": m.metric("kai_muster_interned")}


def growth(seen):
    """What is larger at the end than after a third of the time."""
    part = max(1, len(seen) // 10)
    early, late = seen[len(seen) // 3:][:part], seen[-part:]
    for what in seen[0]:
        before, after = (statistics.median(sample[what] for sample in samples) for samples in (early, late))
        print(f"{what}: {before:.1f} early, {after:.1f} late")
        if after > 1.2 * before + SLACK[what]:
            yield f"{what} grew from {before:.1f} to {after:.1f}"


def checked(m):
    if not m.metric("kai_muster_self_checks_total"):
        yield "no self-check was made"
    if m.metric("kai_muster_drift_objects_total"):
        yield f"self-checks found {m.metric('kai_muster_drift_objects_total'):.0f} objects wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--rate", type=float, default=50)
    options = parser.parse_args()
    with ControlPlane(fast=True) as plane:
        plane.install(ROOT / "deploy")
        plane.kubectl("delete", "deployment", "muster", "-n", "kai-scheduler")
        plane.add_nodes(50)
        for made in (queue("department", 400, parent=""), queue("team-a", 200), queue("team-b", 200)):
            plane.api.post(QUEUES, made)
        with Muster(plane, BINARY) as m:
            m.wait_ready()
            churn = Churn(plane, options.rate)
            churn.start()
            seen = []
            begin = time.monotonic()
            while time.monotonic() < begin + 60 * options.minutes:
                seen.append(look(m, min(60, 10 * options.minutes)))
                print(f"{(time.monotonic() - begin) / 60:.1f} min: {churn.made} pods,",
                      ", ".join(f"{what} {value:.1f}" for what, value in seen[-1].items()) + ",",
                      f"{open_writes(m):.0f} open writes, {m.metric('kai_muster_self_checks_total'):.0f} self-checks,",
                      f"{m.metric('kai_muster_drift_objects_total'):.0f} wrong", flush=True)
            churn.is_over = True
            churn.join(30)
            wait_until(lambda: open_writes(m) == 0, 60, "open writes to end")
            faults = [*growth(seen), *checked(m)]
    if faults:
        sys.exit("\n".join(faults))
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

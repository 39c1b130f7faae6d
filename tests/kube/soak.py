#!/usr/bin/env python3
"""Churn with new names, and a look whether anything grows.

    soak.py --minutes M [--rate R]

R pods a second (50 unless told) come with new names, labels and PodGroups, run for a few seconds and go. Every minute a line:
memory, what is interned, open writes, the longest cycle. At the end memory and what is interned must not have grown by more
than a fifth since a third of the time was over, and open binds and evictions must be back at none. MUSTER names the program.
"""
import argparse
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Api, ControlPlane, Muster, wait_until
from test_serve import BINARY, ROOT
from workloads import PODS, QUEUES, pod, queue

LIVES = 4  # seconds


class Churn(threading.Thread):
    def __init__(self, plane, rate):
        super().__init__(daemon=True)
        self.api, self.rate, self.is_over, self.made = Api(plane.port, plane.directory / "ca.crt"), rate, False, 0

    def run(self):
        begin = time.monotonic()
        gone = 0
        while not self.is_over:
            wanted = int((time.monotonic() - begin) * self.rate)
            for number in range(self.made, wanted):
                self.api.post(PODS, pod(f"soak-{number}", 1, queue=("team-a", "team-b")[number % 2], labels={"soak": f"{number}"}))
            self.made = max(self.made, wanted)
            for number in range(gone, max(gone, self.made - int(LIVES * self.rate))):
                self.api.request("DELETE", f"{PODS}/soak-{number}", {"gracePeriodSeconds": 0})
                gone = number + 1
            time.sleep(0.02)


def memory(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def open_writes(m):
    return m.metric("kai_muster_open_binds") + m.metric("kai_muster_open_evictions")


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
                time.sleep(min(60, 10 * options.minutes))
                seen.append((memory(m.process), m.metric("kai_muster_interned")))
                print(f"{(time.monotonic() - begin) / 60:.1f} min: {churn.made} pods, {seen[-1][0]:.0f} MiB, "
                      f"{seen[-1][1]:.0f} interned, {open_writes(m):.0f} open writes", flush=True)
            churn.is_over = True
            churn.join(30)
            wait_until(lambda: open_writes(m) == 0, 60, "open writes to end")
            early, late = seen[len(seen) // 3], seen[-1]
            for what, before, after in zip(("memory", "interned"), early, late):
                if after > 1.2 * before + 4:
                    sys.exit(f"{what} grew from {before:.0f} to {after:.0f}")
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()

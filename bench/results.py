#!/usr/bin/env python3
"""KAI's way against ours on traces: makes the tables of docs/results.md.

    bench/results.py [--muster build/release/src/muster] [--openb DIRECTORY] [--pages DIRECTORY]

Both runs have the same jobs, nodes and seed; the one decides with `kaiExact: true`, the other by default. DIRECTORY of
--openb has openb_pod_list_*.csv and openb_node_list_*.csv (docs/traces.md says where they are to be had).
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

KAI = "schedulerParams: {kaiExact: true}\n"
OURS = "schedulerParams: {kaiExact: false}\n"
NODES = "gpus,cpu,memory,count\n8,128,1024,{}\n"

# Name, options of `muster trace make`, nodes of 8 GPUs.
SYNTHETIC = [("steady, with a daily swing", "--jobs 1500 --days 7 --seed 1 --checkpoint-every 1h", 28),
             ("bursts of large gangs", "--jobs 1000 --days 7 --seed 2 --bursts 10 --burst-share 0.1 --burst-gangs 8:2,16:1 "
              "--checkpoint-every 1h", 24)]


def percentile(values, share):
    """Nearest rank, as the report has it."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)] if ordered else None


def lasting(seconds):
    if seconds is None:
        return "–"
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}h {rest // 60:02}m" if hours else f"{rest // 60}m {rest % 60:02}s" if rest >= 60 else f"{rest}s"


def measures(run):
    queues, jobs = run["queues"], run["jobs"]
    waits = [job["waitSeconds"] for job in jobs if job["firstStart"]]
    evicted = sum(sum(queue["evictions"].values()) for queue in queues)
    return {"jobs finished": f"{sum(queue['finished'] for queue in queues):,} of {len(jobs):,}",
            "wait, mean": lasting(sum(waits) / len(waits) if waits else None),
            "wait, p50": lasting(percentile(waits, 50)), "wait, p95": lasting(percentile(waits, 95)),
            "wait, p99": lasting(percentile(waits, 99)), "longest wait": lasting(max(waits, default=None)),
            "GPUs used": f"{run['cluster']['gpuUtilisation']:.1%}",
            "idle though somebody waited": f"{run['cluster']['gpuFragmentation']:.1%}",
            "GPU-hours lost": f"{sum(queue['gpuSeconds']['lost'] for queue in queues) / 3600:,.0f}",
            "pods evicted": f"{evicted:,}", "until the last finished": lasting(run["cluster"]["makespanSeconds"])}


class Results:
    def __init__(self, options, home):
        self.options, self.home = options, home
        (home / "kai.yaml").write_text(KAI)
        (home / "ours.yaml").write_text(OURS)

    def muster(self, *arguments):
        return subprocess.run([self.options.muster, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout

    def compare(self, title, *arguments):
        page = ["--report", str(pathlib.Path(self.options.pages) / f"{title.split(',')[0].split()[0]}.html")] if self.options.pages else []
        compared = json.loads(self.muster("simulate", *arguments, "--now", "2025-06-02T00:00:00Z", "--seed", "1", "-o", "json",
                                          "--config", str(self.home / "kai.yaml"), "--compare", str(self.home / "ours.yaml"), *page))
        kai, ours = map(measures, compared["runs"])
        print(f"\n### {title[0].upper()}{title[1:]}\n\n| | KAI's way | muster |\n|---|---|---|")
        for name in kai:
            print(f"| {name} | {kai[name]} | {ours[name]} |")

    def synthetic(self, title, make, nodes):
        (self.home / "jobs.csv").write_text(self.muster("trace", "make", *make.split()))
        (self.home / "nodes.csv").write_text(NODES.format(nodes))
        self.compare(title, "--trace", str(self.home / "jobs.csv"), "--trace-nodes", str(self.home / "nodes.csv"), "--until", "idle")

    def openb(self, directory, share):
        """On one of so many nodes: the whole cluster has room for all at once."""
        lines = (directory / "openb_node_list_gpu_node.csv").read_text().splitlines()
        (self.home / "nodes.csv").write_text("\n".join(lines[:1] + lines[1::share]) + "\n")
        self.compare(f"openb, on one of {share} nodes", "--trace", str(directory / "openb_pod_list_default.csv"), "--trace-format",
                     "openb", "--trace-nodes", str(self.home / "nodes.csv"), "--until", "idle")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--muster", default="build/release/src/muster")
    parser.add_argument("--openb", type=pathlib.Path)
    parser.add_argument("--pages", help="a directory for the pages of the runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        results = Results(options, pathlib.Path(home))
        for title, make, nodes in SYNTHETIC:
            results.synthetic(title, make, nodes)
        if options.openb:
            results.openb(options.openb, 100)


if __name__ == "__main__":
    main()

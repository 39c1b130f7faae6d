#!/usr/bin/env python3
"""Compares KAI-Scheduler's decisions with muster's on traces, and prints the tables of docs/results.md.

    bench/results.py [--muster build/release/src/muster] [--seeds N] [--openb DIRECTORY] [--without OPTION…]

Both runs have the same jobs, nodes and seed. One decides with `kaiExact: true`, the other with the default options. A
week is chaotic: a single different placement changes all later ones. So each table combines several seeds, and counts
the seeds in which muster was better or worse. --without measures an option of docs/differences.md: muster without it
against KAI's way.
DIRECTORY of --openb has openb_pod_list_*.csv and openb_node_list_*.csv (docs/traces.md says where to get them).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

NODES = "gpus,cpu,memory,count\n8,128,1024,{}\n"

# Name, options of `muster trace make`, nodes of 8 GPUs.
SYNTHETIC = [("steady, with a daily swing", "--jobs 1500 --days 7 --checkpoint-every 1h", 28),
             ("bursts of large gangs", "--jobs 1000 --days 7 --bursts 10 --burst-share 0.1 --burst-gangs 8:2,16:1 "
              "--checkpoint-every 1h", 24)]

# First nodes of the slices of openb; a slice has every 100th node from there. One weight of `avoidFragments` was chosen
# on the first ten slices.
SLICES = [("slices of its nodes", range(0, 50, 5)), ("other slices of its nodes", range(50, 100, 5))]


def percentile(values, share):
    """The nearest-rank percentile, as in the report."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)] if ordered else 0


def lasting(seconds):
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}h {rest // 60:02}m" if hours else f"{rest // 60}m {rest % 60:02}s" if rest >= 60 else f"{rest}s"


# Name, formatting, and whether less is better.
MEASURES = [("jobs finished", "{:,.0f}".format, False), ("wait, mean", lasting, True), ("wait, p50", lasting, True),
            ("wait, p95", lasting, True), ("wait, p99", lasting, True), ("longest wait", lasting, True),
            ("GPU-hours waited", "{:,.0f}".format, True), ("GPUs used", "{:.1%}".format, False),
            ("idle with jobs pending", "{:.1%}".format, True), ("GPU-hours lost", "{:,.0f}".format, True),
            ("pods evicted", "{:,.0f}".format, True),
            ("until the last finished", lasting, True)]


def measures(run):
    queues, jobs = run["queues"], run["jobs"]
    started = [job for job in jobs if job["firstStart"]]
    waits = [job["waitSeconds"] for job in started]
    return [sum(queue["finished"] for queue in queues), statistics.mean(waits), *(percentile(waits, p) for p in (50, 95, 99, 100)),
            sum(job["waitSeconds"] * job["gpus"] for job in started) / 3600, run["cluster"]["gpuUtilisation"],
            run["cluster"]["gpuFragmentation"],
            sum(queue["gpuSeconds"]["lost"] for queue in queues) / 3600,
            sum(sum(queue["evictions"].values()) for queue in queues), run["cluster"]["makespanSeconds"]]


class Results:
    def __init__(self, options, home):
        self.options, self.home = options, home
        without = ", ".join(f"{option}: false" for option in options.without)
        (home / "kai.yaml").write_text("schedulerParams: {kaiExact: true}\n")
        (home / "ours.yaml").write_text(f"schedulerParams: {{compatibility: {{{without}}}}}\n")

    def muster(self, *arguments):
        return subprocess.run([self.options.muster, *arguments], check=True, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL).stdout

    def compare(self, *arguments):
        compared = json.loads(self.muster("simulate", *arguments, "--now", "2025-06-02T00:00:00Z", "--seed", "1", "-o", "json",
                                          "--config", str(self.home / "kai.yaml"), "--compare", str(self.home / "ours.yaml")))
        return tuple(map(measures, compared["runs"]))

    @staticmethod
    def table(title, pairs):
        several = len(pairs) > 1
        print(f"\n### {title[0].upper()}{title[1:]}\n\n| | KAI's way | muster |" + (" better | worse |" if several else ""))
        print("|---|---|---|" + ("---|---|" if several else ""))
        for i, (name, text, is_less_better) in enumerate(MEASURES):
            kai, ours = [pair[0][i] for pair in pairs], [pair[1][i] for pair in pairs]
            less, more = sum(o < k for k, o in zip(kai, ours)), sum(o > k for k, o in zip(kai, ours))
            better, worse = (less, more) if is_less_better else (more, less)
            print(f"| {name} | {text(statistics.mean(kai))} | {text(statistics.mean(ours))} |"
                  + (f" {better} | {worse} |" if several else ""))

    def synthetic(self, title, make, nodes):
        trace, machines = self.home / "jobs.csv", self.home / "nodes.csv"
        machines.write_text(NODES.format(nodes))
        pairs = []
        for seed in range(1, self.options.seeds + 1):
            trace.write_text(self.muster("trace", "make", *make.split(), "--seed", str(seed)))
            pairs.append(self.compare("--trace", str(trace), "--trace-nodes", str(machines), "--until", "idle"))
        self.table(f"{title}: the mean of {len(pairs)} weeks", pairs)

    def openb(self, directory):
        """Runs openb on slices of every 100th node, because the whole cluster has room for all its pods at once."""
        lines = (directory / "openb_node_list_gpu_node.csv").read_text().splitlines()
        machines = self.home / "nodes.csv"
        for name, first_nodes in SLICES:
            pairs = []
            for first in first_nodes:
                machines.write_text("\n".join(lines[:1] + lines[1 + first::100]) + "\n")
                pairs.append(self.compare("--trace", str(directory / "openb_pod_list_default.csv"), "--trace-format", "openb",
                                          "--trace-nodes", str(machines), "--until", "idle"))
            self.table(f"openb, on {name}: the mean of {len(pairs)}", pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--muster", default="build/release/src/muster")
    parser.add_argument("--seeds", type=int, default=12, help="weeks of each synthetic trace")
    parser.add_argument("--openb", type=pathlib.Path)
    parser.add_argument("--without", nargs="+", default=[], metavar="OPTION")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        results = Results(options, pathlib.Path(home))
        for title, make, nodes in SYNTHETIC:
            results.synthetic(title, make, nodes)
        if options.openb:
            results.openb(options.openb)


if __name__ == "__main__":
    main()

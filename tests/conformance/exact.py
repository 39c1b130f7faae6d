#!/usr/bin/env python3
"""Compares what `muster simulate --kai-exact` decides on 2,000 generated clusters with exact-decisions.txt.

    exact.py                          all of them, with build/release/src/muster
    exact.py --only scale/            those whose name matches
    exact.py --record                 writes the file anew; only where a change of these decisions is intended

A line of the file has a cluster's profile and seed, then a hash of the decisions of each round: binds, evictions,
moves and GPU groups, as compare.py reads them. The last line of the output is "N passed, N failed". Exit status:
0 nothing failed, 1 something did, 2 wrong usage.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import sys

import cases
import compare
import gen
import manifests
import program
import run

RECORD = cases.HERE / "exact-decisions.txt"
FIRST_SEED = 900000
# Clusters of profile scale take much longer than the others, and one round of them shows most differences.
CLUSTERS, ROUNDS = 195, 3
AT_SCALE, ROUNDS_AT_SCALE = 50, 1
HEADER = """\
# What muster --kai-exact decides: profile/seed of a generated cluster, and a hash of the decisions of each round.
# Written by tests/conformance/exact.py --record.
"""


def all_clusters():
    """(profile, seed) of the clusters that are recorded."""
    for profile in sorted(gen.PROFILES):
        count = AT_SCALE if profile == "scale" else CLUSTERS
        yield from ((profile, seed) for seed in range(FIRST_SEED, FIRST_SEED + count))


def rounds_of(profile):
    return ROUNDS_AT_SCALE if profile == "scale" else ROUNDS


def name_of(cluster):
    return "%s/%d" % cluster


def hash_of(decided):
    return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()[:6]


def decisions(runner, cluster):
    """A hash per round, or why there is none."""
    profile, seed = cluster
    try:
        return [hash_of(r) for r in compare.ask(runner, gen.generate(seed, profile), rounds_of(profile))]
    except program.Broken as error:
        return str(error)


def recorded():
    """{name: hashes} of the file."""
    lines = [line.split() for line in RECORD.read_text().splitlines() if not line.startswith("#")]
    return {name: hashes for name, *hashes in lines}


def difference(found, wanted):
    """What to print about a cluster, or nothing."""
    if isinstance(found, str):
        return found
    if wanted is None:
        return "not recorded"
    return next(("round %d differs" % number for number, (ours, theirs) in enumerate(zip(found, wanted), 1)
                 if ours != theirs), None)


def hint(cluster, muster):
    profile, seed = cluster
    return """\
To see what it decides on the first of them, with an older program as well:
  tests/conformance/gen.py --profile %s --seed %d --out DIR
  %s simulate DIR/cluster.yaml --config DIR/config.yaml --cycles %d --now %s --kai-exact
If the new decisions are intended:
  tests/conformance/exact.py --muster %s --record""" % (
        profile, seed, muster, rounds_of(profile), manifests.NOW, muster)


def write(clusters, found):
    broken = ["%s: %s" % (name_of(c), f) for c, f in zip(clusters, found) if isinstance(f, str)]
    if broken:
        print("\n".join(broken), file=sys.stderr)
        return 1
    RECORD.write_text(HEADER + "".join("%s %s\n" % (name_of(c), " ".join(f)) for c, f in zip(clusters, found)))
    print("%d clusters written to %s" % (len(clusters), RECORD))
    return 0


def judge(clusters, found, options):
    wanted = recorded()
    bad = [(c, why) for c, f in zip(clusters, found) if (why := difference(f, wanted.get(name_of(c))))]
    for cluster, why in bad[:options.show or None]:
        print("%s: %s" % (name_of(cluster), why))
    if bad:
        print(hint(bad[0][0], options.muster))
    print("%d passed, %d failed" % (len(clusters) - len(bad), len(bad)))
    return 1 if bad else 0


def parser():
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = found.add_argument
    add("--muster", type=pathlib.Path, default=run.MUSTER, help="the program (default: %(default)s)")
    add("--only", metavar="REGEX", default="", help="clusters whose name matches")
    add("--every", type=int, default=1, metavar="N", help="only every Nth cluster")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="clusters at the same time (default: %(default)s)")
    add("--timeout", type=float, default=60.0, metavar="S", help="seconds per cluster (default: %(default)g)")
    add("--show", type=int, default=40, metavar="N", help="differences to print (default: %(default)s; 0: all)")
    add("--record", action="store_true", help="write the file instead of comparing with it")
    return found


def main(words=None):
    options = parser().parse_args(words)
    clusters = [c for c in all_clusters() if re.search(options.only, name_of(c))][::options.every]
    if options.record and (options.only or options.every != 1):
        parser().error("--record writes all clusters: leave out --only and --every")
    if not clusters or not os.access(options.muster, os.X_OK):
        parser().error("no cluster selected" if not clusters else "no muster at %s" % options.muster)
    runner = program.Program(muster=options.muster, timeout=options.timeout)
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        found = list(pool.map(functools.partial(decisions, runner), clusters))
    return write(clusters, found) if options.record else judge(clusters, found, options)


if __name__ == "__main__":
    sys.exit(main())

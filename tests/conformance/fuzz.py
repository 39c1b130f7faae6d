#!/usr/bin/env python3
"""Compares muster, or another scheduler, with the model on freshly generated clusters.

    fuzz.py --profile preempt --seeds 1000-1999 --jobs 2 --shrink --out DIR

The model decides each cluster, the program runs on it, and both are compared per round like in run.py. Left out:
clusters that the model does not support (topology, pod affinity ...) and differing clusters on which the model's own
answer depends on an order that KAI leaves open. Exit status: 0 no difference, 1 otherwise, 2 wrong usage.
"""
import argparse
import collections
import concurrent.futures
import functools
import os
import pathlib
import sys
import time

import cases
import compare
import gen
import program
import run
import shrink
from model import KAI_DEFECTS, Options, OutsideModel, run_rounds

NAMES = ("model", "program")
# nearly always outside the model, or slow
NOT_BY_DEFAULT = ("topology", "scale")


class Judge:
    """Decides a cluster with the model and with the program."""

    def __init__(self, runner, rounds, shuffles):
        self.runner, self.rounds, self.shuffles = runner, rounds, shuffles

    def model(self, case, defects=(), shuffle=None, rounds=None):
        return run_rounds(case["cluster"], case["config"],
                          rounds or self.rounds,
                          Options(frozenset(defects), shuffle))

    def program(self, case, rounds=None):
        return compare.ask(self.runner, case, rounds or self.rounds)

    def is_stable(self, case, answer, rounds=None):
        return all(self.model(case, shuffle=i, rounds=rounds) == answer
                   for i in range(self.shuffles))

    def judge(self, case):
        """{verdict: equal | differs | errored | unstable | outside, ...}"""
        row = {"profile": case["profile"], "seed": case["seed"], "why": ""}
        try:
            want = self.model(case)
        except OutsideModel as e:
            return dict(row, verdict="outside", why=str(e))
        try:
            got = self.program(case)
        except program.Broken as e:
            return dict(row, verdict="errored", why=str(e))
        found = compare.difference(want, got, who=NAMES)
        if not found:
            return dict(row, verdict="equal")
        try:
            if not self.is_stable(case, want):
                return dict(row, verdict="unstable")
        except OutsideModel as e:
            return dict(row, verdict="outside", why=str(e))
        defect = self.explaining_defect(case, got)
        return dict(row, verdict="differs", round=found[1], defect=defect,
                    why=found[0] + ("  [equal with KAI's %s]" % defect
                                    if defect else ""))

    def explaining_defect(self, case, got):
        """The defect of KAI that explains the difference between the program and the model."""
        for defects in [[d] for d in KAI_DEFECTS] + [KAI_DEFECTS]:
            try:
                want = self.model(case, defects, rounds=len(got))
                if not compare.difference(want, got):
                    return " and ".join(defects)
            except OutsideModel:
                pass
        return None

    def still_differs(self, defect, case, rounds):
        """For shrinking: both answer, differently, with the same defect if any, and the model is stable."""
        try:
            want = self.model(case, rounds=rounds)
            got = self.program(case, rounds=rounds)
            return (compare.difference(want, got) is not None
                    and self.explaining_defect(case, got) == defect
                    and self.is_stable(case, want, rounds))
        except Exception:                    # outside, errored, or a cluster that is no longer consistent
            return False                     # that is no longer consistent


def work(judge, opts, item):
    profile, seed = item
    case = gen.generate(seed, profile)
    row = judge.judge(case)
    if row["verdict"] == "differs" and opts.out:
        rounds = opts.rounds
        if opts.shrink:
            case, rounds = shrink.shrink(
                case, row["round"],
                functools.partial(judge.still_differs, row["defect"]))
        row["file"] = write_case(judge, case, rounds, opts.out)
    return row


def write_case(judge, case, rounds, folder):
    """A case file for run.py; its answer is the model's, not KAI's."""
    want = judge.model(case, rounds=rounds)
    got = judge.program(case, rounds=rounds)
    found = compare.difference(want, got, who=NAMES)
    for answer in got:
        answer.pop("groups", None)
    path = pathlib.Path(folder) / case["profile"] / ("%05d.yaml" % case["seed"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(cases.drawn_text({
        "tags": ["fuzz"], "answer_of": "model", "difference": found[0], "groups_stable": False,
        "cluster": case["cluster"], "config": case["config"], "rounds": want, "program": got}))
    return str(path)


# --------------------------------------------------------------------- report
def report(rows, show, seconds):
    kinds = ("equal", "differs", "errored", "unstable", "outside")
    counts = collections.defaultdict(collections.Counter)
    outside = collections.Counter()
    for r in rows:
        counts[r["profile"]][r["verdict"]] += 1
        if r["verdict"] == "outside":
            outside[r["why"]] += 1
    print("%-16s" % "profile" + "".join("%10s" % k for k in kinds))
    for name in sorted(counts):
        print("%-16s" % name + "".join("%10d" % counts[name][k]
                                       for k in kinds))
    if outside:
        print("outside the model: " + ", ".join(
            "%s %d" % x for x in outside.most_common()))
    bad = [r for r in rows if r["verdict"] in ("differs", "errored")]
    if bad:
        print("\nfirst differences:")
    for r in bad[:show or None]:
        print("  %s/%05d: %s" % (r["profile"], r["seed"], r["why"]))
        if r.get("file"):
            print("    written to %s" % r["file"])
    if show and len(bad) > show:
        print("  ... %d more (--show 0)" % (len(bad) - show))
    total = collections.Counter(r["verdict"] for r in rows)
    print("\n%d equal, %d differ, %d errored, %d left out of %d; %.1f/s" % (
        total["equal"], total["differs"], total["errored"],
        total["unstable"] + total["outside"], len(rows),
        len(rows) / max(seconds, 1e-9)))
    return not bad


def parse(argv):
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--muster", default=run.MUSTER, help="the program (default: %(default)s)")
    ap.add_argument("--cmd", help="another program: a command with the placeholders " + program.PLACEHOLDERS)
    ap.add_argument("--profile", action="append", metavar="P", help="one of "
                    "%s; repeatable; default: all but %s" % (
                        ", ".join(sorted(gen.PROFILES)),
                        " and ".join(NOT_BY_DEFAULT)))
    ap.add_argument("--seeds", required=True, metavar="A-B", help="first and "
                    "last seed, from %d (lower ones are not generated)"
                    % gen.FIRST_SEED)
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    ap.add_argument("--timeout", type=float, default=60.0,
                    help="seconds per call (default 60)")
    ap.add_argument("--shuffles", type=int, default=5, help="how often the "
                    "model is asked again with other arbitrary orders before "
                    "a difference counts (default 5)")
    ap.add_argument("--shrink", action="store_true", help="reduce differing "
                    "clusters before they are written")
    ap.add_argument("--out", metavar="DIR", help="write differing clusters as "
                    "case files (with --shrink default: fuzz-out)")
    ap.add_argument("--show", type=int, default=10, help="differences to "
                    "print (default 10, 0 = all)")
    opts = ap.parse_args(argv)
    opts.profile = opts.profile or [p for p in sorted(gen.PROFILES)
                                    if p not in NOT_BY_DEFAULT]
    for p in opts.profile:
        if p not in gen.PROFILES:
            ap.error("unknown profile %s" % p)
    first, _, last = opts.seeds.partition("-")
    try:
        opts.seeds = range(int(first), int(last or first) + 1)
    except ValueError:
        ap.error("--seeds wants A-B")
    if opts.seeds.start < gen.FIRST_SEED:
        ap.error("seeds start at %d" % gen.FIRST_SEED)
    if opts.shrink and not opts.out:
        opts.out = "fuzz-out"
    return opts


def main(argv=None, runner=None):
    opts = parse(argv)
    runner = runner or program.Program(opts.cmd, opts.muster, opts.timeout)
    judge = Judge(runner, opts.rounds, opts.shuffles)
    items = [(p, s) for s in opts.seeds for p in opts.profile]
    start = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(max(1, opts.jobs)) as pool:
        rows = list(pool.map(functools.partial(work, judge, opts), items,
                             chunksize=4))
    return 0 if report(rows, opts.show, time.monotonic() - start) else 1


if __name__ == "__main__":
    sys.exit(main())

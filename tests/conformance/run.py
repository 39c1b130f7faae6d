#!/usr/bin/env python3
"""Runs muster, or another scheduler, on the conformance cases and compares with the expectations.

    run.py                                  all sets
    run.py mission kai-tests/reclaim        these directories, or single files
    run.py --same-as OTHER_MUSTER           both builds must decide the same on every case; with --identical, print the same

The last line is "N passed, N failed". Exit status: 0 nothing failed, 1 something did, 2 wrong usage.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import sys

import cases
import judging
import program
import same
import text

MUSTER = cases.HERE.parent.parent / "build/release/src/muster"
VERDICTS = (judging.PASSED, judging.FAILED, judging.ERRORED, judging.KNOWN)


# --------------------------------------------------------------------------------------------------------- selecting
def is_selected(case, options):
    tags = set(case["tags"])
    return ((not options.only or re.search(options.only, case["name"])) and
            (not options.tag or tags & set(options.tag)) and not tags & set(options.skip_tag))


def known_differences(places):
    """{case: reason} of the sets that the paths belong to. Each must name a case."""
    found = {}
    for name in sorted({cases.set_of(path) for path in places} - {""}):
        path = cases.HERE / name / cases.KNOWN_DIFFERENCES
        for case, reason in (cases.read_yaml(path) if path.exists() else {}).items():
            if not (cases.HERE / name / case).with_suffix(".yaml").exists():
                raise cases.BadCase("%s names %s, which is not a case" % (path, case))
            found["%s/%s" % (name, case)] = reason
    return found


# --------------------------------------------------------------------------------------------------------- reporting
def print_table(title, counts):
    print("%-34s" % title + "".join("%18s" % v for v in VERDICTS))
    for name in sorted(counts):
        print("%-34s" % name + "".join("%18d" % counts[name][v] for v in VERDICTS))
    print()


def print_rows(title, rows, show):
    if not rows:
        return
    print(title)
    for row in rows[:show or None]:
        print("  %s %s: %s" % (row["verdict"], row["case"], row["why"]))
    if show and len(rows) > show:
        print("  ... %d more (--show 0)" % (len(rows) - show))
    print()


def report(rows, options):
    suites, tags = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for row in rows:
        suites[row["case"].rpartition("/")[0]][row["verdict"]] += 1
        for tag in row["tags"]:
            tags[tag][row["verdict"]] += 1
    bad = [row for row in rows if row["verdict"] in (judging.FAILED, judging.ERRORED)]
    print_table("suite", suites)
    if bad:
        print_table("tag", tags)
    print_rows("known differences:", [row for row in rows if row["verdict"] == judging.KNOWN], 0)
    print_rows("failures:", bad, options.show)
    passed = sum(row["verdict"] == judging.PASSED for row in rows)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(
            {"passed": passed, "failed": len(bad), "results": rows}, indent=1) + "\n")
    print("%d passed, %d failed" % (passed, len(bad)))
    return 1 if bad else 0


# ----------------------------------------------------------------------------------------------------------- modes
def list_cases(selected):
    for case in selected:
        print("%s  [%s]  %s" % (case["name"], " ".join(case["tags"]), case["about"]))
    return 0


def expand(selected, folder):
    """The inputs of each case and its expectation, for `muster simulate` by hand."""
    for case in selected:
        where = pathlib.Path(folder) / case["name"]
        program.write_inputs(case, where)
        expected = case.get("expect", {"rounds": case.get("rounds")})
        (where / "expected.yaml").write_text(text.block({"now": program.now_of(case), **expected}))
        print("muster simulate %s --config %s --cycles %d --now %s %s" % (
            where / "cluster.yaml", where / "config.yaml", same.rounds_of(case), program.now_of(case),
            " ".join(cases.set_for(case).flags)))
    return 0


def each(work, selected, jobs):
    with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
        return list(pool.map(work, selected))


def judge_all(selected, runner, options):
    known = known_differences(options.paths)
    compared = judging.Options(options.check_gpu_groups, not options.no_annotations)
    return report(each(lambda case: judging.row(case, runner, compared, known), selected, options.jobs), options)


def compare_builds(selected, options):
    found = each(lambda case: list(same.differences(case, options.muster, options.same_as, options)),
                 selected, options.jobs)
    differing = [(case["name"], why) for case, texts in zip(selected, found) for why in texts]
    for name, why in differing[:options.show or None]:
        print("%s, %s" % (name, why))
    bad = len({name for name, _ in differing})
    print("%d passed, %d failed" % (len(selected) - bad, bad))
    return 1 if bad else 0


# -------------------------------------------------------------------------------------------------------------- main
def parser():
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = found.add_argument
    add("places", nargs="*", metavar="PLACE", help="sets, directories or case files; default: all sets")
    add("--muster", type=pathlib.Path, default=MUSTER, help="the program (default: %(default)s)")
    add("--cmd", help="another program: a command with the placeholders %s" % program.PLACEHOLDERS)
    add("--same-as", type=pathlib.Path, metavar="MUSTER", help="compare the decisions of --muster with this build's")
    add("--identical", action="store_true", help="with --same-as: compare all that both print, byte for byte")
    add("--only", metavar="REGEX", help="cases whose name matches")
    add("--tag", action="append", help="cases with this tag; repeat for any of several")
    add("--skip-tag", action="append", default=[], metavar="TAG", help="no cases with this tag; repeatable")
    add("--check-gpu-groups", action="store_true",
        help="compare which shared pods sit on the same GPU also where a set does not do so by itself")
    add("--no-annotations", action="store_true", help="do not compare annotations and nominations")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="cases at the same time (default: %(default)s)")
    add("--timeout", type=float, default=60.0, metavar="S", help="seconds per call (default: %(default)g)")
    add("--show", type=int, default=40, metavar="N", help="failures to print (default: %(default)s; 0: all)")
    add("--json", metavar="OUT", help="write the results to a file")
    add("--list", action="store_true", help="only list the cases")
    add("--expand", metavar="DIR", help="only write cluster.yaml, config.yaml and expected.yaml of each case")
    return found


def run(options):
    options.paths = cases.find(options.places)
    selected = [case for case in map(cases.read, options.paths) if is_selected(case, options)]
    if not selected:
        raise cases.BadCase("no case selected")
    if options.list:
        return list_cases(selected)
    if options.expand:
        return expand(selected, options.expand)
    for muster in [] if options.cmd else [options.muster] + ([options.same_as] if options.same_as else []):
        if not os.access(muster, os.X_OK):
            raise cases.BadCase("no muster at %s: build it with ./test, or name one with --muster" % muster)
    if options.same_as:
        return compare_builds(selected, options)
    return judge_all(selected, program.Program(options.cmd, options.muster, options.timeout), options)


def main(words=None):
    try:
        return run(parser().parse_args(words))
    except cases.BadCase as error:
        print("run.py: %s" % error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Decides the cluster of a case file with the model.

    decide.py CASE [--trace]

prints the decisions per round, followed by those of KAI if the file has them and they differ; -o json prints them in
the format of a scheduler under test.
"""
import argparse
import json
import signal
import sys

import cases
from model import KAI_DEFECTS, Options, OutsideModel, Trace, run_rounds


def as_output(answers):
    """The JSON object that a program prints for these decisions."""
    def placed(kind, answer):
        return [{"pod": pod, "node": node} for pod, node in sorted(answer[kind].items())]
    return {"rounds": [{"cycle": i, "binds": placed("binds", a), "pipelined": placed("pipelined", a),
                        "evictions": [{"pod": pod} for pod in a["evictions"]]} for i, a in enumerate(answers, 1)]}


def lines(answer):
    yield "binds      " + _pairs(answer["binds"])
    yield "evictions  " + (" ".join(answer["evictions"]) or "none")
    yield "pipelined  " + _pairs(answer["pipelined"])


def _pairs(placed):
    return " ".join("%s@%s" % x for x in sorted(placed.items())) or "none"


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("case", help="case file")
    ap.add_argument("--rounds", type=int, help="default: as in the file, or 3")
    ap.add_argument("--trace", action="store_true", help="say for each action "
                    "and contender what was tried")
    ap.add_argument("--kai-defects", default="", metavar="NAMES", help="copy "
                    "defects of KAI: comma separated, or all: " +
                    ", ".join(KAI_DEFECTS))
    ap.add_argument("--shuffle", metavar="SEED", help="random order wherever "
                    "KAI has none")
    ap.add_argument("-o", choices=("text", "json"), default="text")
    args = ap.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)    # | head
    defects = KAI_DEFECTS if args.kai_defects == "all" else [
        d for d in args.kai_defects.split(",") if d]
    if set(defects) - set(KAI_DEFECTS):
        ap.error("unknown defect in %s" % args.kai_defects)
    case = cases.read(args.case)
    rounds = args.rounds or len(case.get("rounds") or []) or 3
    options = Options(frozenset(defects), args.shuffle)
    trace = Trace(sys.stdout if args.o == "text" else sys.stderr) \
        if args.trace else Trace()
    try:
        answers = run_rounds(case["cluster"], case["config"], rounds, options,
                             trace)
    except OutsideModel as e:
        print("outside the model: %s" % e, file=sys.stderr)
        return 3
    if args.o == "json":
        json.dump(as_output(answers), sys.stdout)
        print()
        return 0
    recorded = case.get("rounds") or []
    for i, answer in enumerate(answers):
        print("round %d" % (i + 1))
        theirs = lines(recorded[i]) if i < len(recorded) else lines(answer)
        for mine, kai in zip(lines(answer), theirs):
            print("  " + mine)
            if mine != kai:
                print("    KAI:     " + kai[11:])
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs two builds of muster on every case and compares their decisions, or their whole output byte for byte."""
import json

import program

EXACT = "--kai-exact"
DECISIONS = ("binds", "evictions", "pipelined", "patches")


def rounds_of(case):
    expect = case.get("expect")
    return expect.get("after", 1) + expect.get("unchanged", 0) if expect is not None else len(case["rounds"])


def printed(runner, muster, case, flags):
    try:
        return runner.output(case, rounds_of(case), [str(muster), *program.SIMULATE, *flags]).decode("utf-8", "replace")
    except program.Broken as error:
        return "broken: %s" % error


def decisions_in(answer):
    """The decisions of all rounds as text, because different versions may explain them differently."""
    try:
        return json.dumps([{key: entry[key] for key in DECISIONS} for entry in json.loads(answer)["rounds"]])
    except (ValueError, KeyError):
        return answer


def first_difference(a, b):
    """The text around the first character that differs."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    around = slice(max(0, at - 40), at + 40)
    return "at %d: %r, %r" % (at, a[around], b[around])


def differences(case, mine, other, options):
    """What differs, with and without --kai-exact."""
    runner = program.Program(timeout=options.timeout)
    for flags in ([], [EXACT]):
        a, b = (printed(runner, muster, case, flags) for muster in (mine, other))
        if not options.identical:
            a, b = decisions_in(a), decisions_in(b)
        if a != b:
            yield "%s: %s" % (" ".join(flags) or "without %s" % EXACT, first_difference(a, b))

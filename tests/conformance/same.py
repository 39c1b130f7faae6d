"""Runs two builds of muster on every case and compares all that they decide, byte for byte."""
import json

import program

EXACT = "--kai-exact"
DECISIONS = ("binds", "evictions", "pipelined", "patches")


def rounds_of(case):
    expect = case.get("expect")
    return expect.get("after", 1) + expect.get("unchanged", 0) if expect is not None else len(case["rounds"])


def decided(runner, muster, case, flags):
    """The decisions of all rounds as text; builds may tell more or less about them."""
    try:
        printed = json.loads(runner.output(case, rounds_of(case), [str(muster), *program.SIMULATE, *flags]))
    except (program.Broken, ValueError) as error:
        return "broken: %s" % error
    return json.dumps([{key: entry[key] for key in DECISIONS} for entry in printed["rounds"]])


def first_difference(a, b):
    """The text around the first character that differs."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    around = slice(max(0, at - 40), at + 40)
    return "at %d: %r, %r" % (at, a[around], b[around])


def differences(case, mine, other, timeout):
    """What differs, with and without --kai-exact."""
    runner = program.Program(timeout=timeout)
    for flags in ([], [EXACT]):
        a, b = (decided(runner, muster, case, flags) for muster in (mine, other))
        if a != b:
            yield "%s: %s" % (" ".join(flags) or "without %s" % EXACT, first_difference(a, b))

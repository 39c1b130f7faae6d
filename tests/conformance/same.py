"""Runs two builds of muster on every case and compares everything they print, byte for byte."""
import program

EXACT = "--kai-exact"


def rounds_of(case):
    expect = case.get("expect")
    return expect.get("after", 1) + expect.get("unchanged", 0) if expect is not None else len(case["rounds"])


def printed(runner, muster, case, flags):
    try:
        return runner.output(case, rounds_of(case), [str(muster), *program.SIMULATE, *flags])
    except program.Broken as error:
        return ("broken: %s" % error).encode()


def first_difference(a, b):
    """The text around the first byte that differs."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    around = slice(max(0, at - 40), at + 40)
    return "byte %d: %r, %r" % (at, a[around].decode("utf-8", "replace"), b[around].decode("utf-8", "replace"))


def differences(case, mine, other, timeout):
    """What differs, with and without --kai-exact. Without --timing the output holds nothing that is measured."""
    runner = program.Program(timeout=timeout)
    for flags in ([], [EXACT]):
        a, b = (printed(runner, muster, case, flags) for muster in (mine, other))
        if a != b:
            yield "%s: %s" % (" ".join(flags) or "without %s" % EXACT, first_difference(a, b))

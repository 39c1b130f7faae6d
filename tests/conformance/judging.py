"""One verdict per case: runs the program as often as the case requires and compares as its expectation says."""
import dataclasses
import time

import cases
import compare
import placement
import program
import requeue

PASSED, FAILED, ERRORED, KNOWN = "passed", "failed", "errored", "known difference"


@dataclasses.dataclass(frozen=True)
class Options:
    """What is compared besides placements; GPU groups are always compared if the set says so."""
    check_gpu_groups: bool = False
    annotations: bool = True


def compare_places(case, runner, options):
    until, unchanged = placement.cycles(case["expect"])
    for count in [until, until + unchanged] if unchanged else [until]:
        answer = program.ask(runner, case, count)
        placement.judge(case, answer, options.check_gpu_groups)
        if options.annotations:
            requeue.judge(case, answer)


def compare_rounds(case, runner, options):
    with_groups = case.get("groups_stable", True) and (options.check_gpu_groups or cases.set_for(case).gpu_groups)
    found = compare.difference(case["rounds"], compare.ask(runner, case, len(case["rounds"])), with_groups)
    if found:
        raise placement.Mismatch(found[0])


def verdict(case, runner, options):
    """(verdict, why)"""
    try:
        (compare_rounds if "rounds" in case else compare_places)(case, runner, options)
        return PASSED, ""
    except placement.Mismatch as error:
        return FAILED, str(error)
    except (program.Broken, cases.BadCase) as error:
        return ERRORED, str(error)
    except Exception as error:  # an answer of an unexpected shape
        return ERRORED, "%s: %s" % (type(error).__name__, error)


def with_known(known, name, found):
    """The verdict for a case that is known to differ and must still differ."""
    result, why = found
    if name not in known or result == ERRORED:
        return found
    if result == FAILED:
        return KNOWN, known[name]
    return FAILED, "passes, but %s lists it: %s" % (cases.KNOWN_DIFFERENCES, known[name])


def row(case, runner, options, known):
    start = time.monotonic()
    result, why = with_known(known, case["name"], verdict(case, runner, options))
    return {"case": case["name"], "tags": case["tags"], "verdict": result, "why": why,
            "seconds": round(time.monotonic() - start, 3)}

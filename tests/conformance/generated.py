#!/usr/bin/env python3
"""Checks the invariants of every cycle (tests/invariants.cpp) on clusters that gen.py generates: for example, nominations
never exceed the capacity of a node, and no gang is left in part.

    generated.py --invariants PROGRAM [--clusters N] [--first-seed S]     N of each profile

Four clusters that once violated an invariant come first. The last line is "N passed, N failed".
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import gen
import program

ONCE_WRONG = [("fairshare", 700260), ("subgroups", 703293), ("consolidation", 700014), ("mixed", 700459)]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--invariants", required=True)
    parser.add_argument("--clusters", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=800000)
    options = parser.parse_args(argv)
    wanted = ONCE_WRONG + [(profile, options.first_seed + i) for profile in sorted(gen.PROFILES) for i in range(options.clusters)]
    with tempfile.TemporaryDirectory() as directory:
        folders = []
        for profile, seed in wanted:
            folders.append(str(pathlib.Path(directory) / f"{profile}-{seed}"))
            program.write_inputs(gen.generate(seed, profile), folders[-1])
        done = subprocess.run([options.invariants, *folders], check=False, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1):  # the program could not read them
            print(done.stderr, file=sys.stderr)
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())

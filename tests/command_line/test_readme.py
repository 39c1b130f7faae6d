#!/usr/bin/env python3
"""What some pages show is what muster prints. --update writes what it prints now into them.

Runs the first line of each block of code that begins with `$ muster`, and compares the rest with everything that appears
on the terminal: output, notes and warnings. A line `…` matches any number of lines.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {"README.md": 2, "docs/tour.md": 6, "docs/search.md": 1}  # and the minimum number of blocks
BLOCK = re.compile(r"^```\n(\$ muster [^\n]*)\n(.*?)^```$", re.M | re.S)


def printed_by(command):
    path = f"{pathlib.Path(os.environ['MUSTER']).resolve().parent}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-c", command], cwd=ROOT, env=dict(os.environ, PATH=path), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def is_abridged(shown, printed):
    """Whether every stretch of lines between two `…` is in the output, in this order."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line) + r"\n" for line in shown.splitlines())
    return re.fullmatch(pattern, printed) is not None


def check(name, expected_blocks, update):
    """Returns how many blocks passed and failed."""
    path = ROOT / name
    text = path.read_text()
    passed, failed = 0, 0
    for found in BLOCK.finditer(path.read_text()):
        command, shown = found.groups()
        printed = printed_by(command[2:])
        if is_abridged(shown, printed):
            passed += 1
            continue
        failed += 1
        print(f"{name}: {command}\nprints:\n{printed}")
        if update and not re.search(r"^\s*…$", shown, re.M):
            text = text.replace(found[0], f"```\n{command}\n{printed}```")
    if update:
        path.write_text(text)
    if passed + failed < expected_blocks:
        print(f"{name}: only {passed + failed} blocks begin with $ muster")
        failed += 1
    return passed, failed


def main():
    counts = [check(name, blocks, "--update" in sys.argv) for name, blocks in PAGES.items()]
    passed, failed = map(sum, zip(*counts))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

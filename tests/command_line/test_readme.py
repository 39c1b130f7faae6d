#!/usr/bin/env python3
"""What the README shows is what the program prints. --update writes what it prints now into the README.

Of each block of code that begins with `$ muster`, the first line is run and the rest compared; a line `…` stands for any
number of lines. The block that begins with a minus sign is the difference that a larger quota makes.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
TOUR = "muster simulate examples/tour --cycles 2 --now 2025-06-01T12:00:00Z"
SERVING = re.compile(r"(name: serving.*?gpu: \{quota: )8", re.S)


def run(command, directory=ROOT):
    path = f"{pathlib.Path(os.environ['MUSTER']).resolve().parent}:{os.environ['PATH']}"
    ran = subprocess.run(["bash", "-c", command], cwd=directory, env=dict(os.environ, PATH=path), text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return ran.stdout.splitlines()


def tour_with_a_larger_quota():
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(ROOT / "examples", f"{directory}/examples")
        queues = pathlib.Path(f"{directory}/examples/tour/queues.yaml")
        text, changes = SERVING.subn(r"\g<1>10", queues.read_text())
        assert changes == 1, "examples/tour/queues.yaml has another form than this test knows"
        queues.write_text(text)
        return run(TOUR, directory)


def difference():
    """Lines of before and after, as the README has them."""
    with tempfile.TemporaryDirectory() as directory:
        for name, lines in (("before", run(TOUR)), ("after", tour_with_a_larger_quota())):
            pathlib.Path(f"{directory}/{name}").write_text("\n".join(lines) + "\n")
        return [f"{line[0]} {line[1:]}" for line in run("diff -U0 before after | tail -n +3", directory)
                if line[0] in "+-" and line[1:].strip()]


def is_abridged(shown, printed):
    """Whether every stretch of lines between two `…` stands in what is printed, in this order."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def printed_for(block):
    if block.startswith("$ muster"):
        return run(block.split("\n", 1)[0][2:])
    return difference() if block.startswith("- ") else None


def main():
    text, problems, checked = README.read_text(), 0, 0
    for language, block in BLOCK.findall(text):
        printed = None if language else printed_for(block)
        if printed is None:
            continue
        checked += 1
        head = block.split("\n", 1)[0] + "\n" if block.startswith("$") else ""
        shown = block[len(head):].splitlines()
        if is_abridged(shown, printed):
            continue
        problems += 1
        if "--update" in sys.argv and "…" not in (line.strip() for line in shown):
            text = text.replace(block, head + "".join(line + "\n" for line in printed))
        print(f"{(head or 'the difference of a larger quota').strip()} prints:")
        print("\n".join(printed))
    if "--update" in sys.argv:
        README.write_text(text)
    print(f"{checked - problems} passed, {problems} failed")
    return 1 if problems or checked < 3 else 0


if __name__ == "__main__":
    sys.exit(main())

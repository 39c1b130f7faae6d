#!/usr/bin/env python3
"""Runs muster on every case in this directory and compares the result with what the case expects."""
import argparse
import fnmatch
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NOW = "2025-06-01T12:00:00Z"


def expectations(case):
    for number, line in enumerate(case.read_text().splitlines(), 1):
        if line.startswith("#:"):
            word, *rest = line[2:].split()
            yield number, word, rest


class Answer:
    def __init__(self, muster, case, options):
        options = [option.replace("DIR", str(HERE)) for option in options]
        if "--now" not in options:
            options += ["--now", NOW]
        ran = subprocess.run([muster, "simulate", str(case), *options, "-o", "json"], capture_output=True, text=True)
        self.exit_code, self.said = ran.returncode, ran.stderr.replace(str(HERE) + "/", "").splitlines()
        result = json.loads(ran.stdout) if ran.stdout else {"pods": [], "jobs": [], "rounds": []}
        self.pods = {short(pod["name"]): pod for pod in result["pods"]}
        self.jobs = {short(job["name"]): job for job in result["jobs"]}
        self.pipelined = {short(p["pod"]): p["node"] for r in result["rounds"] for p in r["pipelined"]}
        self.evicted = {short(e["pod"]) for r in result["rounds"] for e in r["evictions"]}

    def named(self, pattern):
        return fnmatch.filter(self.pods, pattern) or [pattern]

    def node_of(self, pod):
        return self.pods.get(pod, {}).get("node") or self.pipelined.get(pod)

    def reasons_of(self, pod):
        group = self.pods.get(pod, {}).get("podGroup", "")
        return {reason["reason"] for reason in self.jobs.get(short(group), {}).get("reasons", [])}


def short(name):
    return name.removeprefix("default/")


def check_runs(answer, words, seen):
    *patterns, on, node = words
    for pod in (p for pattern in patterns for p in answer.named(pattern)):
        seen.add(pod)
        found = answer.node_of(pod)
        if on != "on" or not found or not fnmatch.fnmatch(found, node):
            yield f"{pod} is on {found or 'no node'}"


def check_waits(answer, words, seen):
    *patterns, reason = words
    for pod in (p for pattern in patterns for p in answer.named(pattern)):
        seen.add(pod)
        if pod not in answer.pods:
            yield f"{pod} does not exist"
        elif answer.node_of(pod):
            yield f"{pod} is on {answer.node_of(pod)}"
        elif reason != "-" and reason not in answer.reasons_of(pod):
            yield f"{pod} waits for {sorted(answer.reasons_of(pod))}"


def check_gone(answer, words, seen):
    for pod in (p for pattern in words for p in answer.named(pattern)):
        seen.add(pod)
        if pod not in answer.evicted:
            yield f"{pod} was not evicted"


def check_group(answer, words, _seen):
    name, *fields = words
    job = answer.jobs.get(name)
    if job is None:
        yield f"there is no job {name}, but {sorted(answer.jobs)}"
        return
    for field in fields:
        key, wanted = field.split("=")
        value = job.get(key)
        value = value.get("value") if isinstance(value, dict) else value
        if str(value) != wanted:
            yield f"{name}: {key} is {value}"


def check_groups(answer, words, _seen):
    if len(answer.jobs) != int(words[0]):
        yield f"there are {len(answer.jobs)} jobs: {sorted(answer.jobs)}"


CHECKS = {"runs": check_runs, "waits": check_waits, "gone": check_gone, "group": check_group, "groups": check_groups}


def problems_of(muster, case):
    lines = list(expectations(case))
    answer = Answer(muster, case, [word for _, what, rest in lines if what == "with" for word in rest])
    if answer.exit_code != 0:
        yield f"exit code {answer.exit_code}"
    seen, silent = set(), list(answer.said)
    for number, what, rest in lines:
        if what in CHECKS:
            yield from (f"line {number}: {problem}" for problem in CHECKS[what](answer, rest, seen))
        elif what == "says":
            text = " ".join(rest)
            if not any(text in line for line in answer.said):
                yield f"line {number}: no such message"
            silent = [line for line in silent if text not in line]
        elif what != "with":
            yield f"line {number}: unknown word {what}"
    yield from (f"unexpected message: {line}" for line in silent)
    yield from (f"no line expects anything of pod {pod}" for pod in sorted(set(answer.pods) - seen))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--muster", required=True, help="the program")
    parser.add_argument("names", nargs="*", help="cases (default: all)")
    options = parser.parse_args()
    cases = sorted(case for case in HERE.glob("*.yaml") if not options.names or case.stem in options.names)
    failed = 0
    for case in cases:
        problems = list(problems_of(options.muster, case))
        failed += bool(problems)
        for problem in problems:
            print(f"{case.name}: {problem}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs a scheduler on a case: writes its cluster and configuration, runs the command and reads the answer."""
import json
import os
import pathlib
import shlex
import subprocess
import tempfile

import cases
import configuration
import manifests
import text

PLACEHOLDERS = "{cluster} {config} {rounds} {now} {case}"
SIMULATE = ["simulate", "{cluster}", "--config", "{config}", "--cycles", "{rounds}", "--now", "{now}", "-o", "json"]


class Broken(Exception):
    """The program could not be judged: it crashed, or its output contains no decisions."""


def need(condition, message):
    if not condition:
        raise Broken(message)


def now_of(case):
    return case["cluster"].get("now", manifests.NOW)


def write_inputs(case, folder):
    """cluster.yaml and config.yaml for the program, case.yaml in short form for the model."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = cases.set_for(case)
    documents = manifests.expand(case["cluster"], settings.habits)
    config = configuration.expand(case["config"], settings.config)
    (folder / "cluster.yaml").write_text("".join("---\n" + text.block(d) for d in documents))
    (folder / "config.yaml").write_text("---\n" + text.block(config))
    (folder / "case.yaml").write_text(cases.drawn_text({**case, "rounds": []}))


class Program:
    """A command with placeholders; by default `muster simulate` with the flags of the case's set."""

    def __init__(self, command=None, muster=None, timeout=60.0):
        self.words = shlex.split(command) if command else None
        self.muster, self.timeout = muster, timeout

    def command(self, case):
        return self.words or [str(self.muster), *SIMULATE, *cases.set_for(case).flags]

    def output(self, case, rounds, words=None):
        """The output of the command, as bytes."""
        with tempfile.TemporaryDirectory(prefix="conformance.") as folder:
            write_inputs(case, folder)
            values = {"{%s}" % name: os.path.join(folder, name + ".yaml") for name in ("cluster", "config", "case")}
            values.update({"{rounds}": str(rounds), "{now}": now_of(case)})
            return self.call([filled(word, values) for word in words or self.command(case)])

    def call(self, words):
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            raise Broken("no answer within %gs" % self.timeout) from None
        except OSError as error:
            raise Broken("cannot start: %s" % error) from error
        last_words = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        need(done.returncode == 0, "exit status %d %s" % (done.returncode, " ".join(last_words)))
        return done.stdout

    def answer(self, case, count):
        try:
            return json.loads(self.output(case, count))
        except ValueError as error:
            raise Broken("output is not JSON: %s" % error) from error


def ask(runner, case, count):
    """The answer. Its rounds must be as many as requested, and numbered from 1."""
    answer = runner.answer(case, count)
    need(isinstance(answer, dict) and isinstance(answer.get("rounds"), list), 'no list "rounds" in the output')
    need(len(answer["rounds"]) == count, "%d rounds in the output, asked for %d" % (len(answer["rounds"]), count))
    for number, decided in enumerate(answer["rounds"], 1):
        need(isinstance(decided, dict), "round %d is not an object" % number)
        told = decided.setdefault("cycle", number)
        need(told == number, "round %d is numbered %s" % (number, told))
    return answer


def filled(word, values):
    for placeholder, value in values.items():
        word = word.replace(placeholder, value)
    return word

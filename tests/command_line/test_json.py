"""The output of `muster -o json` fits its JSON schemas. docs/schema/make writes docs/json.md from the schemas.

MUSTER names the program.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
NOW = ["--now", "2025-06-01T12:00:00Z"]

# Each part of the output is in one of them: fractions and topology, requeue, evictions, searches, workloads, filters.
RUNS = {
    "tour": ["tour", "--cycles", "2"],
    "tour, timed and filtered": ["tour", "--timing", "--queue", "research", "--state", "waiting", "--sort", "gpus",
                                 "-n", "default"],
    "requeue": ["requeue", "--cycles", "4", "--interval", "10m"],
    "racks": ["racks"],
    "usage": ["usage/cluster.yaml", "--usage", "usage/usage.yaml"],
    "workloads": ["workloads"],
    "search": ["search", "--cycles", "2"],
    "search, one job": ["search", "--job", "default/train-a"],
}
# Over simulated time: examples/time contains every kind of event.
OVER_TIME = ["time", "--until", "2h", "--seed", "1", *NOW]
DRY_RUN = "actions: allocate, requeue\nactionArguments: {requeue: {dryRun: \"true\"}}\n"


def muster(*arguments):
    return subprocess.run([os.environ["MUSTER"], *arguments], cwd=EXAMPLES, capture_output=True)


def schema(command):
    return json.loads((ROOT / "docs/schema" / f"{command}-v1.json").read_text())


def objects(part, path=""):
    """The paths of objects whose keys are named, with their schemas."""
    if part.get("properties") is not None:
        yield path, part
    for key in ("properties", "$defs"):
        for name, value in part.get(key, {}).items():
            yield from objects(value, f"{path}.{name}")
    if "items" in part:
        yield from objects(part["items"], path + "[]")


class Schemas(unittest.TestCase):
    def setUp(self):
        self.schemas = {name: schema(name) for name in ("simulate", "explain", "what-if", "top", "validate", "simulation",
                                                        "comparison", "record")}

    def check(self, command, *arguments, expected_exit=(0,), name=None):
        ran = muster(command, *arguments, "-o", "json")
        self.assertIn(ran.returncode, expected_exit, ran.stderr)
        validator = jsonschema.Draft202012Validator(self.schemas[name or command])
        problems = [f"{e.json_path}: {e.message}" for e in validator.iter_errors(json.loads(ran.stdout))]
        self.assertEqual(problems, [])
        return json.loads(ran.stdout)

    def test_are_schemas(self):
        for one in self.schemas.values():
            jsonschema.Draft202012Validator.check_schema(one)

    def test_know_no_field_that_they_do_not_name(self):
        for one in self.schemas.values():
            for path, part in objects(one):
                self.assertIs(part["additionalProperties"], False, path)

    def test_fit_simulations(self):
        for name, arguments in RUNS.items():
            with self.subTest(name):
                self.check("simulate", *arguments, *NOW)

    def test_fit_a_dry_run(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write(DRY_RUN)
            config.flush()
            output = self.check("simulate", "requeue", "--config", config.name, *NOW)
        self.assertTrue(output["rounds"][0]["requeue"]["dryRun"])

    def test_fit_runs_over_time(self):
        output = self.check("simulate", *OVER_TIME, name="simulation")
        self.assertGreater(len(output["jobs"]), 0)

    def test_fit_records(self):
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as record:
            self.assertEqual(muster("simulate", *OVER_TIME, "--record", record.name).returncode, 0)
            output = self.check("simulate", "--replay", record.name, name="record")
        self.assertEqual((output["run"]["kind"], output["run"]["seed"]), ("run", 1))
        self.assertIn("evict", {event["kind"] for event in output["happenings"]})

    def test_fit_comparisons(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("actions: allocate\n")
            config.flush()
            output = self.check("simulate", *OVER_TIME, "--compare", config.name, name="comparison")
        self.assertEqual([run["config"] for run in output["runs"]], ["", config.name])

    def test_fit_explanations(self):
        for job in ("ranker-large", "h200-only", "chat-api", "eval-3", "nightly"):
            with self.subTest(job):
                self.check("explain", job, "tour", *NOW)

    def test_fit_evictions(self):
        found = self.check("explain", "old", "min-runtime", *NOW)
        self.assertEqual((found["state"], found["eviction"]["action"]), ("evicted", "reclaim"))

    def test_fit_what_ifs(self):
        self.check("what-if", "tour", *NOW, "--set", "queue/serving.gpu.quota=10", "--drain", "gpu-1", "--add",
                   "1:like=gpu-2", "--advance", "1h", "--delete", "job/default/giant")

    def test_fit_a_glance(self):
        self.check("top", "tour", *NOW)

    def test_fit_validations(self):
        for name in ("tour", "workloads", "broken"):
            with self.subTest(name):
                self.check("validate", name, expected_exit=(1,) if name == "broken" else (0,))

    def test_refuse_what_is_not_described(self):
        output = self.check("simulate", "racks", *NOW)
        output["jobs"][0]["surprise"] = 1
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(self.schemas["simulate"]).validate(output)


if __name__ == "__main__":
    unittest.main()

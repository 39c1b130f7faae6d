"""`muster explain` over simulated time: at a time of a recorded run, and its estimates compared with the run.

MUSTER names the program.
"""
import json
import pathlib
import random
import subprocess
import tempfile
import unittest

from timed import HOUR, MUSTER, START, at, flat, job, node, queue


class Recorded(unittest.TestCase):
    """A job borrows both GPUs of another queue, loses them after ten minutes, and gets them back an hour later."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)
        self.cluster, self.record = self.folder / "cluster.json", str(self.folder / "run.jsonl")
        self.write(job("owner", queue="a", gpus=2, created=600, duration="1h"))
        self.muster("simulate", str(self.cluster), "--now", START, "--until", "5h", "--record", self.record)

    def write(self, *jobs):
        objects = [node("n1", 2), queue("a", 2), queue("b", 0), job("guest", queue="b", gpus=2, duration="2h"),
                   job("late", queue="b", created=2 * HOUR, duration="1h"), *jobs]
        self.cluster.write_text("\n".join(json.dumps(o) for o in flat(objects)))

    def muster(self, *arguments, exits=0):
        ran = subprocess.run([MUSTER, *arguments], capture_output=True, text=True, timeout=120)
        self.assertEqual(ran.returncode, exits, ran.stderr)
        return ran.stdout if exits == 0 else ran.stderr

    def ask(self, name, moment):
        return json.loads(self.muster("explain", name, "--record", self.record, "--at", moment, "-o", "json"))

    def test_a_job_that_runs(self):
        self.assertEqual(self.ask("guest", "5m")["state"], "running")
        self.assertEqual(self.ask("guest-0", at(300))["state"], "running")

    def test_a_job_that_was_evicted_before(self):
        found = self.ask("guest", "30m")
        self.assertEqual((found["state"], found["eviction"]["action"], found["eviction"]["for"], found["eviction"]["at"]),
                         ("evicted", "reclaim", "default/owner", at(600)))
        starts = [json.loads(line) for line in pathlib.Path(self.record).read_text().splitlines()]
        again = [line["at"] for line in starts if line["kind"] == "start" and line.get("job") == "default/guest"][1]
        self.assertEqual(found["recordedStart"], again)
        self.assertNotIn("start", found)
        self.assertIn("In the recorded run: " + again, self.muster("explain", "guest", "--record", self.record, "--at", "30m"))
        self.assertEqual(self.ask("guest", "2h")["state"], "running")

    def test_jobs_that_are_not_there(self):
        ask = lambda name, moment: self.muster("explain", name, "--record", self.record, "--at", moment, exits=1)
        self.assertIn("default/late is submitted at " + at(2 * HOUR), ask("late", "1h"))
        self.assertIn("default/owner ended at ", ask("default/owner", "2h"))
        self.assertIn('no job or pod "gest"', ask("gest", "1h"))

    def test_mistakes(self):
        for arguments, code, words in (
                (["--at", "1h"], 2, "must be given together"),
                (["--record", self.record], 2, "must be given together"),
                (["--record", self.record, "--at", "soon"], 2, "neither a timestamp"),
                (["--record", self.record, "--at", "-1h"], 2, "neither a timestamp"),
                (["--record", self.record, "--at", "6h"], 2, "after the run, which ends at " + at(5 * HOUR)),
                (["--record", self.record, "--at", at(-1)], 2, "before the run"),
                (["--record", str(self.folder / "none"), "--at", "1h"], 3, "cannot be read"),
                (["--record", str(self.cluster), "--at", "1h"], 1, "not a record of a run"),
                (["--record", self.record, "--at", "1h", "--now", START], 2, "cannot be combined with --now")):
            with self.subTest(arguments):
                self.assertIn(words, self.muster("explain", "guest", *arguments, exits=code))

    def test_files_that_changed_since(self):
        self.write(job("owner", queue="a", gpus=2, created=900, duration="1h"))
        said = self.muster("explain", "guest", "--record", self.record, "--at", "30m", exits=1)
        self.assertIn("have changed since", said)
        self.assertIn(self.record + ":", said)

    def test_a_record_that_was_cut(self):
        lines = pathlib.Path(self.record).read_text().splitlines(keepends=True)
        pathlib.Path(self.record).write_text("".join(lines[:4]))
        self.assertIn("the record is incomplete", self.muster("explain", "guest", "--record", self.record, "--at", "3h", exits=1))

    def test_files_that_are_elsewhere_now(self):
        moved = self.cluster.rename(self.folder / "moved.json")
        self.muster("explain", "guest", "--record", self.record, "--at", "1h", exits=3)
        self.muster("explain", "guest", str(moved), "--record", self.record, "--at", "1h")


class Foretold(unittest.TestCase):
    """If nothing is random, an estimate matches the run, however many jobs are pending."""

    def test_starts(self):
        for seed in range(3):
            draw = random.Random(seed)
            jobs = [job(f"j{i:03}", queue=draw.choice("ab"), pods=draw.choice([1, 1, 2, 4]), gpus=draw.choice([1, 1, 2, 4]),
                        created=-i - 1, duration=f"{draw.randint(5, 90)}m") for i in range(80)]
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                objects = [node("n1", 8), node("n2", 8), queue("a", 4), queue("b", 8), *jobs]
                file.write("\n".join(json.dumps(o) for o in flat(objects)))
                file.flush()
                ask = lambda *words: json.loads(subprocess.run([MUSTER, *words, "--now", START, "-o", "json"], check=True,
                                                               capture_output=True, timeout=120).stdout)
                run = ask("simulate", file.name, "--until", "idle")
                starts = {j["name"]: j["firstStart"] for j in run["jobs"]}
                for name in draw.sample(sorted(starts), 8):
                    start = ask("explain", name, file.name).get("start")
                    if start:
                        with self.subTest(seed=seed, job=name):
                            self.assertEqual(start["p50"], starts[name])


if __name__ == "__main__":
    unittest.main()

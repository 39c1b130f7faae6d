"""muster trace: generates and checks traces.

MUSTER names the program.
"""
import csv
import gzip
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

MUSTER = os.environ["MUSTER"]
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/schema/trace-v1.json"


def muster(*arguments, stdin=None):
    return subprocess.run([MUSTER, *arguments], input=stdin, capture_output=True, text=True, timeout=120)


class InADirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = pathlib.Path(directory.name)

    def file(self, name, text):
        path = self.home / name
        path.write_text(text)
        return str(path)


class Make(unittest.TestCase):
    def rows(self, *options):
        made = muster("trace", "make", *options)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        return list(csv.DictReader(io.StringIO(made.stdout)))

    def test_writes_what_was_asked_for(self):
        rows = self.rows("--jobs", "200", "--days", "2", "--seed", "7", "--queues", "a:1,b:3", "--gangs", "4",
                         "--checkpoint-every", "1h")
        self.assertEqual(len(rows), 200)
        self.assertEqual({row["queue"] for row in rows}, {"a", "b"})
        self.assertEqual({row["pods"] for row in rows}, {"4"})
        self.assertEqual({row["checkpoint_every"] for row in rows}, {"3600"})
        self.assertEqual(len({row["job"] for row in rows}), 200)
        times = [int(row["submit"]) for row in rows]
        self.assertEqual(times, sorted(times))
        self.assertTrue(0 <= times[0] and times[-1] <= 2 * 86400)

    def test_is_the_same_for_the_same_seed(self):
        self.assertEqual(self.rows("--jobs", "50", "--seed", "3"), self.rows("--jobs", "50", "--seed", "3"))
        self.assertNotEqual(self.rows("--jobs", "50", "--seed", "3"), self.rows("--jobs", "50", "--seed", "4"))

    def test_writes_json_lines(self):
        made = muster("trace", "make", "--jobs", "3", "-o", "json")
        self.assertEqual([set(json.loads(line)) >= {"submit", "job", "queue", "duration"}
                          for line in made.stdout.splitlines()], [True] * 3)

    def test_refuses_what_makes_no_sense(self):
        for options, message in [(["--jobs", "0"], "--jobs: must be 1 to"),
                                 (["--gangs", "1:x"], "is not a value and weight such as 8:25"),
                                 (["--duration", "2h", "--duration-p90", "1h"], "--duration-p90: must not be less"),
                                 (["--job", "5"], 'unknown option "--job"; did you mean "--jobs"?')]:
            refused = muster("trace", "make", *options)
            self.assertEqual(refused.returncode, 2, options)
            self.assertIn(message, refused.stderr)


class Check(InADirectory):
    def test_says_what_is_in_a_trace(self):
        trace = self.file("t.csv", "submit,job,queue,pods,gpus,duration,user\n0,a,x,2,4,1h,u\n7200,b,y,1,0.5,2h,v\n")
        nodes = self.file("n.csv", "gpus,cpu,memory,count\n8,64,512,2\n")
        checked = muster("trace", "check", trace, "--trace-nodes", nodes)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.assertEqual(checked.stdout,
                         "QUEUE  JOBS  PODS  USERS  LARGEST  GPU-HOURS\n"
                         "x         1     2      1        8          8\n"
                         "y         1     1      1      0.5          1\n"
                         "total     2     3      2        8          9\n"
                         "2 jobs submitted in 120m; average load 28 % of 16 GPUs on 2 nodes\n"
                         "2 rows: 0 skipped\n")

    def test_as_json(self):
        trace = self.file("t.csv", "submit,job,queue,gpus,duration\n2025-06-01T12:00:00Z,a,x,1,60\n")
        printed = json.loads(muster("trace", "check", trace, "-o", "json").stdout)
        jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(printed)
        self.assertEqual(printed, {
            "schema": "muster.dev/trace/v1", "rows": 1, "skipped": 0, "from": "2025-06-01T12:00:00Z", "spanSeconds": 0,
            "endless": 0, "drawn": 0, "nodes": 0, "gpus": 0, "load": None,
            "all": {"jobs": 1, "pods": 1, "users": 0, "gpusOfLargestJob": 1, "gpuSeconds": 60},
            "queues": [{"name": "x", "jobs": 1, "pods": 1, "users": 0, "gpusOfLargestJob": 1, "gpuSeconds": 60}]})

    def test_reports_bad_rows_with_line_and_column(self):
        trace = self.file("t.csv", "submit,job,duration\n0,a,x\n1,b,60\n-1,c,60\n")
        checked = muster("trace", "check", trace)
        self.assertEqual(checked.returncode, 0)
        self.assertEqual(checked.stderr,
                         f'warning: {trace}:2: duration: "x" is not a duration such as 3600 (seconds) or 1h30m\n'
                         f'warning: {trace}:4: submit: "-1" is negative\n'
                         f"warning: {trace}: skipped 2 of 3 rows\n")
        self.assertIn("3 rows: 2 skipped", checked.stdout)
        strict = muster("trace", "check", trace, "--strict")
        self.assertEqual((strict.returncode, strict.stdout), (1, ""))
        self.assertIn("error: ", strict.stderr)

    def test_many_bad_rows_are_counted(self):
        trace = self.file("t.csv", "job,duration\n" + "a,x\n" * 5000)
        checked = muster("trace", "check", trace)
        self.assertIn("warning: … and 4,975 more rows\n", checked.stderr)
        self.assertLess(len(checked.stderr.splitlines()), 40)

    def test_reads_what_is_compressed_and_standard_input(self):
        text = "submit,job,duration\n0,a,60\n"
        (self.home / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
        for result in (muster("trace", "check", str(self.home / "t.csv.gz")), muster("trace", "check", "-", stdin=text)):
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("1 row: 0 skipped", result.stdout)

    def test_says_what_is_wrong_with_the_file_or_the_map(self):
        trace = self.file("t.csv", "created,job\n0,a\n")
        for arguments, code, message in [
                ([str(self.home / "none.csv")], 3, "No such file or directory"),
                ([self.file("empty.csv", "")], 1, "is empty"),
                ([trace, "--trace-map", "submit=create"], 1, 'did you mean "created"?'),
                ([trace, "--trace-map", "submit=created*"], 2, "--trace-map: character 16, at the end: expected a column"),
                ([trace, "--trace-format", "opnb"], 2, 'did you mean "openb"?')]:
            result = muster("trace", "check", *arguments)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(message, result.stderr)


class CommandLine(unittest.TestCase):
    def test_names_the_nearest_command(self):
        result = muster("trace", "mak")
        self.assertEqual(result.returncode, 2)
        self.assertIn('unknown subcommand of trace "mak"; did you mean "make"?', result.stderr)

    def test_help_has_examples(self):
        for arguments in (["trace"], ["trace", "make"], ["trace", "check"]):
            self.assertIn("Examples:", muster(*arguments, "--help").stdout)

    def test_completes_options_of_both(self):
        script = muster("completion", "bash").stdout
        for word in ("make", "check", "--jobs", "--trace-map"):
            self.assertRegex(script, rf'\n    trace\) COMPREPLY=.*{word}[ "]')
        self.assertIn('trace:--trace-format) COMPREPLY=($(compgen -W "openb philly helios alibaba-spot tiresias"', script)


if __name__ == "__main__":
    unittest.main()

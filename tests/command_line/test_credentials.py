"""Commands that read a live cluster, and `serve`, with a kubeconfig whose credentials come from a program
(users[].user.exec). MUSTER names the program.
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from fake_api_server import CORE, RUN_AI, FakeApiServer

MUSTER = os.environ["MUSTER"]
PATIENCE = 90  # seconds

AMOUNTS = {resource: {"quota": -1, "limit": -1, "overQuotaWeight": 1} for resource in ("cpu", "memory", "gpu")}

# Prints "token-1" at its first run, then "token-2" and so on, after the given number of seconds.
PROGRAM = """#!/bin/sh
echo run >> "$RUNS"
sleep "$1"
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"token-%s"}}' \
  "$(wc -l < "$RUNS" | tr -d ' ')"
"""


def node(name):
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}
    return {"metadata": {"name": name}, "spec": {},
            "status": {"allocatable": amounts, "capacity": amounts, "conditions": [{"type": "Ready", "status": "True"}]}}


def queue(name, parent=None):
    return {"metadata": {"name": name}, "spec": {"resources": AMOUNTS, **({"parentQueue": parent} if parent else {})}}


def group(name):
    return {"metadata": {"namespace": "default", "name": name}, "spec": {"minMember": 1, "queue": "team"}}


def pod(name, job, gpus):
    return {"metadata": {"namespace": "default", "name": name, "annotations": {"pod-group-name": job}},
            "spec": {"schedulerName": "kai-scheduler",
                     "containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}, "limits": {"nvidia.com/gpu": str(gpus)}}}]},
            "status": {"phase": "Pending"}}


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what} does not come")
        time.sleep(0.05)
    return found


class Credentials(unittest.TestCase):
    """One node, one queue, a job that fits and a job that never will."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.runs_file = self.folder / "runs"
        self.program = self.folder / "program"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)
        self.api = FakeApiServer(self.folder, ["token-1"])
        self.addCleanup(self.api.close)
        self.api.add(f"{CORE}/nodes", node("node-1"))
        for item in (queue("company"), queue("team", "company")):
            self.api.add(f"{RUN_AI}/v2/queues", item)
        self.submit("small", 1)
        self.submit("huge", 16)

    def submit(self, job, gpus):
        self.api.add(f"{RUN_AI}/v2alpha2/podgroups", group(job))
        self.api.add(f"{CORE}/pods", pod(f"{job}-0", job, gpus))

    def kubeconfig(self, command, *arguments):
        user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": command, "args": list(arguments),
                         "env": [{"name": "RUNS", "value": str(self.runs_file)}]}}
        file = self.folder / "kubeconfig"
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "tests",
            "clusters": [{"name": "tests", "cluster": {"server": self.api.url, "certificate-authority": str(self.api.certificate)}}],
            "users": [{"name": "tests", "user": user}],
            "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": "tests"}}]}))
        return ["--kubeconfig", str(file)]

    def runs(self):
        return len(self.runs_file.read_text().splitlines()) if self.runs_file.exists() else 0

    def muster(self, *words):
        return subprocess.run([MUSTER, *words], capture_output=True, text=True, timeout=PATIENCE)

    def assertWorks(self, *words):
        ran = self.muster(*words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.runs(), 1)
        self.assertEqual((self.api.anonymous, self.api.refused), (0, 0))
        return ran.stdout

    def test_top(self):
        self.assertIn("huge", self.assertWorks("top", *self.kubeconfig(str(self.program), "0")))

    def test_snapshot(self):
        file = self.folder / "snapshot.json"
        self.assertWorks("snapshot", str(file), *self.kubeconfig(str(self.program), "0"))
        names = {item["metadata"]["name"] for item in json.loads(file.read_text())["items"] if item["kind"] == "Pod"}
        self.assertEqual(names, {"small-0", "huge-0"})

    def test_explain(self):
        found = json.loads(self.assertWorks("explain", "huge", *self.kubeconfig(str(self.program), "0.3"), "-o", "json"))
        self.assertEqual(found["state"], "waiting")

    def test_what_if(self):
        text = self.assertWorks("what-if", *self.kubeconfig(str(self.program), "0"), "--add", "2:like=node-1", "-o", "json")
        self.assertEqual(json.loads(text)["schema"], "muster.dev/what-if/v1")

    def test_a_program_beside_the_kubeconfig(self):
        self.assertWorks("explain", "huge", *self.kubeconfig("./program", "0"))

    def test_one_run_for_all_commands_requests_when_it_is_slow(self):
        self.assertWorks("explain", "huge", *self.kubeconfig(str(self.program), "1"))

    def test_a_refused_token_is_asked_for_again(self):
        self.api.tokens = {"token-2"}
        ran = self.muster("explain", "huge", *self.kubeconfig(str(self.program), "0"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual((self.runs(), self.api.anonymous, self.api.refused), (2, 0, 1))

    def test_no_request_goes_out_without_credentials(self):
        for command, why in ((["/bin/false"], "/bin/false: the credential program failed"),
                             (["/does/not/exist"], "/does/not/exist: No such file or directory"),
                             (["/bin/echo", "hello"], "the credential program did not print JSON"),
                             (["/usr/bin/yes"], "printed more than 1048576 bytes and was killed")):
            for words in (["explain", "huge"], ["top"], ["snapshot", str(self.folder / "none.json")]):
                with self.subTest(command=command, words=words):
                    ran = self.muster(*words, *self.kubeconfig(*command))
                    self.assertEqual(ran.returncode, 3, ran.stderr)
                    self.assertIn("no credentials: ", ran.stderr)
                    self.assertIn(why, ran.stderr)
        self.assertEqual((self.api.anonymous, self.api.refused), (0, 0))

    # ------------------------------------------------------------ serve

    def serve(self, *words):
        self.log = self.folder / "log"
        with open(self.log, "w") as log:
            process = subprocess.Popen([MUSTER, "serve", *words, "--listen-address", "127.0.0.1:0", "--pod-grouper", "off"],
                                       stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_bound(self, name):
        wait_until(lambda: self.api.written("POST", f"{CORE}/namespaces/default/pods/{name}/binding"), f"the bind of {name}")

    def assertEndsWell(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0, self.log.read_text())

    def test_serve_waits_for_a_slow_program(self):
        process = self.serve(*self.kubeconfig(str(self.program), "1"))
        self.wait_bound("small-0")
        self.assertEqual((self.runs(), self.api.anonymous, self.api.refused), (1, 0, 0))
        self.assertEndsWell(process)

    def test_serve_goes_on_with_the_next_token(self):
        process = self.serve(*self.kubeconfig(str(self.program), "0.2"))
        self.wait_bound("small-0")
        self.api.tokens = {"token-2"}
        self.submit("later", 1)
        self.submit("last", 1)
        self.wait_bound("later-0")
        self.wait_bound("last-0")
        self.assertEqual((self.runs(), self.api.anonymous), (2, 0))
        self.assertEndsWell(process)

    def test_serve_says_that_it_has_no_credentials(self):
        process = self.serve(*self.kubeconfig("/bin/false"))
        wait_until(lambda: "/bin/false: the credential program failed" in self.log.read_text(), "the word about the program")
        self.assertIsNone(process.poll())
        self.assertEqual(self.api.anonymous, 0)
        self.assertEndsWell(process)


if __name__ == "__main__":
    unittest.main()

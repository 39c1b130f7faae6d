"""`muster explain`, `what-if`, `top` and `snapshot` as processes: their output and exit codes.

MUSTER names the program.
"""
import fcntl
import http.server
import json
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOW = ["--now", "2025-06-01T12:00:00Z"]
TOUR = str(ROOT / "examples/tour")


def muster(*arguments, program=None, stdin=None):
    return subprocess.run([program or os.environ["MUSTER"], *arguments], capture_output=True, text=True, input=stdin)


def answer(*arguments, exits=0):
    ran = muster(*arguments, *NOW, "-o", "json")
    assert ran.returncode == exits, (ran.returncode, ran.stderr)
    return json.loads(ran.stdout)


# A node with two GPUs, used by a job of random duration; another job is pending.
TWO_JOBS = """
{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 8, memory: 8Gi, pods: 10, nvidia.com/gpu: 2}}}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: q}, spec: {resources: {
  gpu: {quota: 2, limit: -1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}}
---
{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: first, labels: {user: ann}, annotations: {
  muster.dev/duration: "lognormal(median=2h,p90=6h)", kai.scheduler/last-start-timestamp: "2025-06-01T11:00:00Z"}},
 spec: {queue: q, minMember: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: first-0, annotations: {pod-group-name: first}}, spec: {schedulerName: kai-scheduler, nodeName: n,
  containers: [{name: m, resources: {limits: {nvidia.com/gpu: 2}}}]}, status: {phase: Running}}
---
{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: second, labels: {user: bob}}, spec: {queue: q, minMember: 1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: second-0, annotations: {pod-group-name: second}}, spec: {schedulerName: kai-scheduler,
  containers: [{name: m, resources: {limits: {nvidia.com/gpu: 2}}}]}, status: {phase: Pending}}
"""


def changes(explanation):
    return {(h["change"]["kind"], h["change"]["target"]): h["change"] for h in explanation["wouldHelp"]}


class Explain(unittest.TestCase):
    maxDiff = None

    def test_names_the_smallest_limit(self):
        found = answer("explain", "ranker-large", TOUR)
        self.assertEqual((found["schema"], found["job"], found["state"], found["queue"]),
                         ("muster.dev/explain/v1", "default/ranker-large", "waiting", "ads"))
        self.assertEqual(found["reasons"][0]["reason"], "OverLimit")
        self.assertEqual(changes(found)["queueLimit", "ads"],
                         {"kind": "queueLimit", "target": "ads", "resource": "gpu", "from": 10, "to": 12})

    def test_has_the_reasons_of_simulate(self):
        simulated = {j["name"]: j["reasons"] for j in answer("simulate", TOUR)["jobs"]}
        for job in ("default/ranker-large", "default/h200-only", "default/voice-api", "default/giant"):
            self.assertEqual(answer("explain", job, TOUR, "--quick")["reasons"], simulated[job])

    def test_is_quick(self):
        found = answer("explain", "ranker-large", TOUR, "--quick")
        self.assertNotIn("wouldHelp", found)
        self.assertNotIn("start", found)

    def test_knows_a_job_by_its_pods(self):
        self.assertEqual(answer("explain", "ranker-large-0", TOUR, "--quick")["job"], "default/ranker-large")
        self.assertEqual(answer("explain", "default/chat-api", TOUR)["state"], "running")

    def test_says_in_one_sentence_what_is_wrong(self):
        ran = muster("explain", "ranker-large", TOUR, *NOW)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(ran.stdout.startswith(
            "ranker-large is pending: queue ads has a limit of 10 GPUs: 8 in use, 4 more requested.\n"), ran.stdout)
        self.assertLessEqual(max(map(len, ran.stdout.splitlines())), 100)

    def test_of_no_such_job(self):
        ran = muster("explain", "ranker-larg", TOUR, *NOW)
        self.assertEqual(ran.returncode, 1)
        self.assertIn('there is no job or pod "ranker-larg"; did you mean "ranker-large"', ran.stderr)
        self.assertEqual(ran.stdout, "")

    def test_names_the_nearest_however_far(self):
        self.assertIn("; the nearest are ", muster("explain", "zzzzzzzz", TOUR, *NOW).stderr)

    def test_of_a_job_that_runs_nothing_helps(self):
        found = answer("explain", "chat-api", TOUR)
        self.assertEqual((found["state"], found["wouldHelp"]), ("running", []))
        self.assertNotIn("start", found)

    def test_says_when_by_durations_of_the_files(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(TWO_JOBS)
            file.flush()
            found = answer("explain", "second", file.name)
        start = found["start"]
        self.assertEqual((start["basis"], start["never"], start["futures"]), ({"expected": 1, "history": 0, "unknown": 0}, 0, 32))
        self.assertLess("2025-06-01T12:00:00Z", start["p50"])
        self.assertLess(start["p50"], start["p90"])

    def test_without_a_cluster(self):
        self.assertEqual(muster("explain", "x").returncode, 2)
        self.assertEqual(muster("explain").returncode, 2)
        self.assertEqual(muster("explain", "x", "/does/not/exist").returncode, 3)


class WhatIf(unittest.TestCase):
    maxDiff = None

    def test_a_larger_quota(self):
        found = answer("what-if", TOUR, "--set", "queue/serving.gpu.quota=10")
        self.assertEqual(found["schema"], "muster.dev/what-if/v1")
        self.assertEqual(found["changes"],
                         [{"kind": "queueQuota", "target": "serving", "resource": "gpu", "from": 8, "to": 10}])
        self.assertEqual((found["placed"], found["evicted"]), (["default/voice-api"], []))
        self.assertIn("default/eval-2", found["noLongerPlaced"])

    def test_a_drained_node(self):
        found = answer("what-if", TOUR, "--drain", "gpu-1")
        self.assertEqual(found["drained"], ["default/chat-api"])

    def test_what_is_submitted(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            def submit(gpus):
                file.seek(0), file.truncate()
                file.write("""
{apiVersion: batch/v1, kind: Job, metadata: {name: extra, labels: {kai.scheduler/queue: ads}}, spec: {template: {spec: {
  schedulerName: kai-scheduler, containers: [{name: m, resources: {requests: {nvidia.com/gpu: "%d"}}}]}}}}
""" % gpus)
                file.flush()
                return muster("what-if", TOUR, "--submit", file.name, *NOW, "-o", "json")
            fits, does_not = submit(1), submit(16)
        self.assertEqual(fits.returncode, 0, fits.stderr)
        self.assertIn("default/pg-extra-job", json.loads(fits.stdout)["placed"])
        self.assertEqual(does_not.returncode, 1, does_not.stderr)

    def test_names_jobs_whose_start_moves(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(TWO_JOBS.replace("lognormal(median=2h,p90=6h)", "2h"))
            file.flush()
            moved = answer("what-if", file.name, "--advance", "30m")["startsMoved"]
            later = answer("what-if", file.name, "--add", "1:like=n", "--until", "idle")["until"]
        self.assertEqual(moved, [])  # ends at the same time
        self.assertEqual(later["startsMoved"], [{"job": "default/second", "before": "2025-06-01T13:00:00Z",
                                                 "after": "2025-06-01T12:00:00Z"}])

    def test_of_jobs_that_run_no_start_moves(self):
        # augment-sweep runs and could use more pods: in both cases, or in only one of them.
        self.assertEqual(answer("what-if", TOUR, "--advance", "2h")["startsMoved"], [])
        self.assertEqual(answer("what-if", TOUR, "--drain", "gpu-1")["startsMoved"], [])

    def test_says_amounts_with_their_units(self):
        for setting, said in (("memory.limit=-1", "limit unlimited → unlimited GB"), ("gpu.limit=-1", "limit 10 → unlimited GPUs"),
                              ("gpu.quota=1e300", "quota 8 → 1e+300 GPUs")):
            with self.subTest(setting):
                ran = muster("what-if", TOUR, *NOW, "--set", "queue/ads." + setting)
                self.assertIn(f"\n  queue ads: {said}\n", ran.stdout)
        huge = answer("what-if", TOUR, "--set", "queue/ads.gpu.quota=1e300")["changes"][0]
        self.assertEqual((huge["from"], huge["to"]), (8, 1e300))

    def test_rejects_what_is_not_a_change(self):
        for words, said in ((["--add", "0:like=gpu-1"], "must start with a number of nodes"),
                            (["--add", "1000000:like=gpu-1"], "at most 10000 nodes can be added at once"),
                            (["--add", "1:like="], "does not say which"),
                            (["--add", "1:gpus=-8"], '"-8" is not an amount (e.g. 8, 96, 1Ti)'),
                            (["--set", "nonsense"], "has no value"),
                            (["--set", "node/gpu-1.x=1"], "must start with queue/ or job/"),
                            (["--set", "queue/ads.gpu.quota=nan"], '"nan" is not a number'),
                            (["--set", "queue/ads.gpu.quota=-5"], "an amount must not be negative; -1 means unlimited"),
                            (["--set", "queue/product.parentQueue=ads"], "cannot be moved below ads, which is in its own subtree"),
                            (["--set", "job/default/giant.minMember=-1"], "minMember must be a whole number of pods"),
                            (["--advance", "-2h"], '"-2h" is negative; expected zero or more')):
            with self.subTest(words):
                ran = muster("what-if", TOUR, *NOW, *words)
                self.assertEqual((ran.returncode, ran.stdout), (2, ""))
                self.assertIn(said, ran.stderr)

    def test_asks_for_a_change(self):
        ran = muster("what-if", TOUR, *NOW)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("specify at least one change", ran.stderr)

    def test_names_the_nearest(self):
        for words, said in ((["--set", "queue/servng.gpu.quota=1"], 'there is no queue "servng"; did you mean "serving"'),
                            (["--set", "queue/serving.gpu.qota=1"], 'did you mean "quota"'),
                            (["--drain", "gpu-9"], 'there is no node "gpu-9"; did you mean'),
                            (["--delete", "job/default/gaint"], 'did you mean "default/giant"'),
                            (["--set", "job/default/giant.priority=trian"], 'did you mean "train"')):
            with self.subTest(words):
                ran = muster("what-if", TOUR, *NOW, *words)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertIn(said, ran.stderr)

    def test_equals_the_changed_files(self):
        found = answer("what-if", TOUR, "--remove", "gpu-6", "--add", "2:like=gpu-5")
        self.assertEqual(found["after"]["atRest"], True)


class Top(unittest.TestCase):
    def test_prints_once(self):
        ran = muster("top", TOUR, *NOW)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for part in ("Queues", "Waiting (", "Nodes", "ranker-large", "OverLimit", "█"):
            self.assertIn(part, ran.stdout)
        self.assertNotIn("\x1b", ran.stdout)

    def test_shows_what_is_asked_for(self):
        found = answer("top", TOUR, "--queue", "ads")
        self.assertEqual([w["job"] for w in found["waiting"]], ["default/ranker-large"])


    def test_shows_the_jobs_of_a_user(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(TWO_JOBS)
            file.flush()
            self.assertEqual([w["job"] for w in answer("top", file.name, "--user", "bob")["waiting"]], ["default/second"])
            self.assertEqual(answer("top", file.name, "--user", "ann")["waiting"], [])
            jobs = answer("simulate", file.name, "--user", "ann")
            self.assertEqual([j["name"] for j in jobs["jobs"]], ["default/first"])
            self.assertEqual(muster("top", file.name, "--user", "bub", *NOW).returncode, 2)

    def test_counts_pending_jobs_and_shows_the_trend(self):
        queues = {q["name"]: q for q in answer("top", TOUR)["queues"]}
        self.assertEqual(queues["ads"]["waiting"], 1)
        self.assertGreater(queues["research"]["waiting"], queues["ads"]["waiting"])
        self.assertGreater(queues["research"]["trend"], 0)  # the cycle binds a pod of it
        self.assertIn("trend", muster("top", TOUR, *NOW).stdout)


class Terminal:
    """muster in its own terminal of 24 rows and 80 columns."""

    def __init__(self, *arguments):
        self.process, self.screen = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "xterm"
            os.execv(os.environ["MUSTER"], ["muster", *arguments])
        fcntl.ioctl(self.screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.seen = ""

    def wait_for(self, text, seconds=60):
        """The output since the last call, up to the frame that shows the text."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.screen], [], [], max(0, end - time.monotonic()))
            assert ready, "%r never came: %r" % (text, self.seen[-2000:])
            try:
                self.seen += os.read(self.screen, 65536).decode(errors="replace")
            except OSError:
                raise AssertionError("ended without %r: %r" % (text, self.seen[-2000:]))
        seen, self.seen = self.seen, ""
        return seen

    def press(self, keys):
        os.write(self.screen, keys.encode())

    def end(self):
        """The exit code. Remaining output is read, so that the program never blocks."""
        try:
            while os.read(self.screen, 65536):
                pass
        except OSError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def list_of_tour():
    items = []
    for file in sorted(pathlib.Path(TOUR).rglob("*.yaml")):
        for document in yaml.safe_load_all(file.read_text()):
            items += document["items"] if document["kind"] == "List" else [document]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, default=lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ"))


def serve_snapshot(test):
    """The tour in the form in which `muster serve` would provide it; returns the address."""
    body = list_of_tour().encode()

    class Serve(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/api/v1/snapshot" else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Serve)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    test.addCleanup(server.server_close)
    test.addCleanup(server.shutdown)
    return f"http://127.0.0.1:{server.server_port}"


class TopOnATerminal(unittest.TestCase):
    def test_chooses_explains_and_ends(self):
        terminal = Terminal("top", "--server", serve_snapshot(self), *NOW, "--queue", "ads")
        first = terminal.wait_for("ranker-large")
        self.assertIn("\x1b[?1049h", first)
        terminal.press("\x1b[B")
        terminal.press("\r")
        terminal.wait_for("queue ads has a limit of 10 GPUs")
        terminal.press("q")
        terminal.wait_for("Waiting (")
        terminal.press("q")
        self.assertEqual(terminal.end(), 0)


@unittest.skipUnless(shutil.which("tmux"), "there is no tmux")
class TopInTmux(unittest.TestCase):
    """The screen as a person sees it, in a real terminal emulator."""

    def tmux(self, *words):
        return subprocess.run(["tmux", "-L", self.socket, *words], capture_output=True, text=True, check=True).stdout

    def wait_for(self, text):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            shown = self.tmux("capture-pane", "-p", "-t", "top")
            if re.search(text, shown):
                return shown
            time.sleep(0.1)
        self.fail("%r never came: %s" % (text, shown))

    def test_by_keys(self):
        self.socket = "muster-test-%d" % os.getpid()
        server = serve_snapshot(self)
        command = [os.path.abspath(os.environ["MUSTER"]), "top", "--server", server, *NOW]
        self.tmux("new-session", "-d", "-s", "top", "-x", "80", "-y", "24", *command)
        self.addCleanup(subprocess.run, ["tmux", "-L", self.socket, "kill-server"], capture_output=True)
        shown = self.wait_for(r">\s+1\s")
        self.assertTrue(all(len(line) <= 80 for line in shown.splitlines()))
        self.tmux("send-keys", "-t", "top", *["Down"] * 8)
        self.wait_for(r">\s+9\s")  # scrolls until the line is visible
        self.tmux("send-keys", "-t", "top", "Enter")
        self.wait_for("is pending: no room for pod h200-only-0")
        self.tmux("send-keys", "-t", "top", "q")
        self.wait_for(r">\s+9\s")
        self.tmux("send-keys", "-t", "top", "Up")
        self.wait_for(r">\s+8\s")


class Plugin(unittest.TestCase):
    def test_asks_the_live_cluster(self):
        with tempfile.TemporaryDirectory() as folder:
            plugin = os.path.join(folder, "kubectl-muster")
            os.symlink(os.path.abspath(os.environ["MUSTER"]), plugin)
            environment = dict(os.environ, KUBECONFIG=os.path.join(folder, "none"))
            ran = subprocess.run([plugin, "explain", "x", "-n", "team"], capture_output=True, text=True, env=environment)
            self.assertEqual(ran.returncode, 3)
            self.assertIn("none", ran.stderr)
            self.assertEqual(muster("explain", "giant", TOUR, *NOW, "--quick", program=plugin).returncode, 0)
            self.assertIn("Usage: kubectl muster explain ", muster("explain", "--help", program=plugin).stdout)

    def test_completes(self):
        with tempfile.TemporaryDirectory() as folder:
            companion = os.path.join(folder, "kubectl_complete-muster")
            os.symlink(os.path.abspath(os.environ["MUSTER"]), companion)
            self.assertIn("explain\t", muster("ex", program=companion).stdout)
            self.assertTrue(muster("explain", "--qu", program=companion).stdout.startswith("--quick\t"))
            self.assertTrue(muster("explain", "", program=companion).stdout.endswith(":0\n"))


# One job borrows GPUs that another queue is entitled to.
BORROWED = TWO_JOBS.replace("queue: q", "queue: lender", 1).replace("name: q}", "name: lender}").replace("gpu: {quota: 2", "gpu: {quota: 0, overQuotaWeight: 1") \
    .replace("metadata: {name: second, labels: {user: bob}}, spec: {queue: q", "metadata: {name: second}, spec: {queue: owner") + """---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: owner}, spec: {resources: {
  gpu: {quota: 2, limit: -1}, cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}}}}
"""


class Snapshot(unittest.TestCase):
    def decided(self, state, *arguments):
        """Pods that the first cycle after the snapshot binds and evicts."""
        state = {"apiVersion": "muster.dev/v1", "kind": "SchedulerState", "at": "2025-06-01T12:00:00Z", **state}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "s.json"
            path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*yaml.safe_load_all(BORROWED), state]}))
            ran = muster("simulate", str(path), "--cycles", "1", "-o", "json", *arguments)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.said = ran.stderr.replace(folder + "/", "")
            self.explained = json.loads(muster("explain", "second", str(path), "--quick", "-o", "json", *arguments).stdout)
        decided = json.loads(ran.stdout)["rounds"][0]
        return [b["pod"] for b in decided["binds"]], [e["pod"] for e in decided["evictions"]]

    def test_is_decided_under_its_configuration(self):
        self.assertEqual(self.decided({}), ([], ["default/first-0"]))
        self.assertEqual(self.said, "")
        self.assertEqual(self.decided({"config": {"actions": ["allocate"]}}), ([], []))
        self.assertEqual(self.said, "note: using the configuration in s.json; --config overrides it\n")
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("actions: 'allocate, reclaim'\n")
            config.flush()
            self.assertEqual(self.decided({"config": {"actions": ["allocate"]}}, "--config", config.name),
                             ([], ["default/first-0"]))
            self.assertEqual(self.said, "note: the configuration in s.json is not used: --config replaces it with "
                             f"{config.name}\n")

    def test_spares_pods_that_the_live_scheduler_could_not_evict(self):
        protected = lambda until: {"protectedJobs": [{"job": "default/first", "rule": "disruption budget", "until": until}]}
        self.assertEqual(self.decided(protected("2025-06-01T12:00:20Z")), ([], []))
        self.assertIn("disruption budget", json.dumps(self.explained["tried"]))
        self.assertEqual(self.decided(protected("2025-06-01T12:00:00Z")), ([], ["default/first-0"]))

    def test_keeps_refused_pods_waiting(self):
        refused = lambda until: {"refusedBinds": [{"job": "default/second", "pod": "second-0", "why": "no", "until": until}]}
        self.assertEqual(self.decided(refused("2025-06-01T12:00:20Z")), ([], []))
        self.assertEqual(self.explained["reasons"][0]["reason"], "BindRefused")
        self.assertEqual(self.decided(refused("2025-06-01T11:59:59Z")), ([], ["default/first-0"]))

    def test_what_is_no_such_row_counts_as_absent(self):
        state = {"refusedBinds": [3, {"job": 1}, {"job": "default/second"}], "protectedJobs": {"a": 1}, "config": 7}
        self.assertEqual(self.decided(state), ([], ["default/first-0"]))

    def test_says_which_cluster(self):
        self.assertEqual(muster("snapshot", "x.json").returncode, 2)
        self.assertEqual(muster("snapshot", "x.json", "--kubeconfig", "/does/not/exist").returncode, 3)
        self.assertEqual(muster("snapshot", "x.json", "--server", "http://127.0.0.1:1").returncode, 3)


if __name__ == "__main__":
    unittest.main()

"""Questions about a live cluster, on a real control plane: explain, what-if, top and snapshot of muster, and the HTTP
API of muster serve. Run by ctest; by hand: test_answers.py [Class[.test]]."""
import contextlib
import http.client
import json
import os
import pathlib
import ssl
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ADMIN_TOKEN, ApiError, free_port, is_bound, wait_until
import test_trouble
from test_serve import BINARY, KubeTest
from workloads import POD_GROUPS, PODS, pod

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
SECRET = "s3cr3t-of-the-tests"
REPLAYS = int(os.environ.get("REPLAYS", "8"))  # different cycles


class Questions:
    """Asks the program or its HTTP API."""

    def muster(self, *arguments, exits=0):
        ran = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.returncode, exits, ran.stderr)
        return ran.stdout

    def ask(self, *arguments):
        return json.loads(self.muster(*arguments, "-o", "json"))

    def from_kubeconfig(self):
        return ["--kubeconfig", str(self.plane.kubeconfig)]

    def web(self, *flags):
        port = free_port()
        self.serve("--web-address", f"127.0.0.1:{port}", *flags)
        return port

    def get(self, port, path, token=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def replay(self, port, decided_at):
        """Decides a cycle again from its snapshot, which may be one that was decided before."""
        status, body = self.get(port, "/api/v1/snapshot")
        self.assertEqual(status, 200)
        state = next(item for item in body["items"] if item["kind"] == "SchedulerState")
        if state["at"] in decided_at:
            return
        file = self.plane.directory / "cycle.json"
        file.write_text(json.dumps(body))
        again = self.ask("simulate", str(file), "--cycles", "1")["rounds"][0]
        decided = state["decided"]
        self.assertEqual(again["now"], state["at"])
        self.assertEqual(json.dumps({key: again[key] for key in decided}), json.dumps(decided))
        decided_at[state["at"]] = bool(decided["binds"] or decided["evictions"] or decided["pipelined"])


class Answers(Questions, KubeTest):
    """One node with eight GPUs; each team has a quota of four."""
    NODES = 1

    def fill(self):
        self.submit_gang("first", 8)
        self.wait_running(8, "first")
        self.submit_gang("second", 2)

    def test_explain_asks_the_api_server_or_muster(self):
        port = self.web("--web-auth", "none")
        self.fill()
        by_api_server = self.ask("explain", "second", *self.from_kubeconfig())
        by_muster = self.ask("explain", "default/second", "--server", f"http://127.0.0.1:{port}")
        status, by_http = self.get(port, "/api/v1/jobs/default/second")
        self.assertEqual(status, 200)
        for answer in (by_api_server, by_muster, by_http):
            self.assertEqual((answer["state"], answer["reasons"][0]["reason"]), ("waiting", "PodSchedulingErrors"))
            self.assertIn("addNodes", [h["change"]["kind"] for h in answer["wouldHelp"]])
        self.assertEqual(self.get(port, "/api/v1/jobs/default/sceond")[0], 404)
        self.assertEqual(self.get(port, "/api/v2")[0], 404)
        self.assertIn("second", self.muster("top", *self.from_kubeconfig()))
        changed = self.ask("what-if", *self.from_kubeconfig(), "--add", "1:like=node-000")
        self.assertEqual(changed["placed"], ["default/second"])

    def test_a_snapshot_decides_as_the_live_scheduler(self):
        self.api.post("/api/v1/namespaces/default/secrets", {"metadata": {"name": "hidden"}, "stringData": {"key": SECRET}})
        self.submit_gang("first", 3, gpus=2)
        variable = pod("lonely", 1, queue="team-b")
        variable["spec"]["containers"][0]["env"] = [{"name": "KEY", "value": SECRET}]
        self.api.post(PODS, variable)
        files = [self.plane.directory / name for name in ("s.json.zst", "s.json", "s.yaml")]
        for file in files:
            self.muster("snapshot", str(file), *self.from_kubeconfig())
        self.assertNotIn(SECRET, files[1].read_text())
        self.assertNotIn("Secret", {item["kind"] for item in json.loads(files[1].read_text())["items"]})
        rounds = [self.ask("simulate", str(file), "--cycles", "1")["rounds"][0]["binds"] for file in files]
        self.assertEqual(len(rounds[0]), 4)
        self.assertEqual(rounds[0], rounds[1])
        self.assertEqual(rounds[0], rounds[2])
        self.muster("validate", str(files[0]))
        self.muster("snapshot", str(files[1]), "--redact", *self.from_kubeconfig())
        redacted = files[1].read_text()
        self.assertNotIn("lonely", redacted)
        self.assertEqual(len(self.ask("simulate", str(files[1]), "--cycles", "1")["rounds"][0]["binds"]), 4)

        self.serve()
        bound = wait_until(lambda: len([p for p in self.plane.pods() if is_bound(p)]) == 4 and self.plane.pods(), 20, "binds")
        self.assertEqual({f"default/{p['metadata']['name']}": p["spec"]["nodeName"] for p in bound},
                         {b["pod"]: b["node"] for b in rounds[0]})

    def test_eviction_records_outlive_muster(self):
        m = self.serve()
        self.submit_gang("greedy", 8)
        self.wait_running(8, "greedy")
        self.submit_gang("entitled", 4, "team-b")
        self.wait_running(4, "entitled")
        kept = wait_until(lambda: self.annotations("greedy").get("muster.dev/last-eviction"), 10, "the receipt")
        self.assertEqual(json.loads(kept)["for"], "default/entitled")
        self.assertEqual(m.stop(), 0)
        for name in range(8):  # as their owner would have done
            if not any(p["metadata"]["name"] == f"greedy-{name}" for p in self.plane.pods()):
                self.api.post(PODS, pod(f"greedy-{name}", 1, group="greedy"))
        self.serve()
        answer = self.ask("explain", "greedy", "--quick", *self.from_kubeconfig())
        self.assertEqual((answer["state"], answer["eviction"]["action"], answer["eviction"]["for"]),
                         ("evicted", "reclaim", "default/entitled"))

    def token_of(self, account):
        self.api.post(ACCOUNTS, {"metadata": {"name": account}})
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        return self.api.post(f"{ACCOUNTS}/{account}/token", request)["status"]["token"]

    def test_only_those_may_read_whom_the_api_server_lets(self):
        port = self.web()
        self.submit_gang("mine", 1)
        path = "/api/v1/jobs/default/mine"
        self.assertEqual(self.get(port, path)[0], 401)
        self.assertEqual(self.get(port, path, "made-up")[0], 401)
        self.assertEqual(self.get(port, path, self.token_of("nobody"))[0], 403)
        self.assertEqual(self.get(port, "/api/v1/snapshot", self.token_of("noone"))[0], 403)
        self.assertEqual(self.get(port, path, ADMIN_TOKEN)[0], 200)
        self.assertIn("error", self.get(port, path)[1])

    def test_speaks_tls_with_the_newest_certificate(self):
        folder = self.plane.directory

        def make(name):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={name}",
                            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "new.key", "-out", folder / "new.crt"],
                           check=True, capture_output=True)
            for end in ("key", "crt"):
                (folder / f"new.{end}").replace(folder / f"web.{end}")

        make("first")
        port = self.web("--web-auth", "none", "--web-cert", str(folder / "web.crt"), "--web-key", str(folder / "web.key"))

        def status():
            context = ssl.create_default_context(cafile=folder / "web.crt")
            connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=context)
            connection.request("GET", "/api/v2")
            return connection.getresponse().status

        self.assertEqual(wait_until(status, 20, "an answer"), 404)
        old = (folder / "web.crt").read_bytes()
        make("second")
        self.assertEqual(status(), 404)
        self.assertNotEqual(old, (folder / "web.crt").read_bytes())
        self.submit_gang("mine", 1)
        self.wait_running(1, "mine")
        address = ["--server", f"https://127.0.0.1:{port}"]
        self.muster("explain", "mine", *address, exits=3)  # a certificate of an unknown authority
        self.muster("explain", "mine", *address, "--server-ca", str(folder / "web.crt"))
        ran = subprocess.run([BINARY, "serve", "--web-address", "127.0.0.1:1", "--web-cert", "x"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2, ran.stderr)

    def test_a_cycle_is_decided_again_from_its_snapshot(self):
        """Gangs of two queues come, evict each other and go."""
        port = self.web("--web-auth", "none")
        is_over = threading.Event()

        def churn():
            number = 0
            while not is_over.is_set():
                self.submit_gang(f"g{number}", 1 + number % 4, "team-a" if number % 3 else "team-b")
                for p in self.plane.pods() if number >= 6 else []:
                    if p["metadata"]["name"].startswith(f"g{number - 6}-"):
                        with contextlib.suppress(ApiError):  # evicted in the meantime
                            self.api.delete(f"{PODS}/{p['metadata']['name']}")
                number += 1

        thread = threading.Thread(target=churn)
        thread.start()
        try:
            decided = {}  # whether it decided anything, by the time of the cycle
            end = time.monotonic() + 90
            while (len(decided) < REPLAYS or sum(decided.values()) < 3) and time.monotonic() < end:
                self.replay(port, decided)
                time.sleep(0.1)
        finally:
            is_over.set()
            thread.join()
        self.assertGreaterEqual(len(decided), REPLAYS)
        self.assertGreaterEqual(sum(decided.values()), 3, "too few cycles decided anything")

    def test_without_tokens_only_on_loopback(self):
        ran = subprocess.run([BINARY, "serve", "--web-address", ":1", "--web-auth", "none"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2, ran.stderr)


class WhatOnlyALiveSchedulerKnows(Questions, test_trouble.TroubleTest):
    """A snapshot contains the configuration, refused binds and refused evictions, and leads to the same decisions."""
    NODES = 1

    def state(self, port):
        return next(item for item in self.get(port, "/api/v1/snapshot")[1]["items"] if item["kind"] == "SchedulerState")

    def serve_with_config(self):
        config = self.plane.directory / "config.yaml"
        config.write_text("actions: 'allocate, reclaim'\nschedulerParams: {maxConsolidationPreemptees: 3}\n")
        return self.web("--web-auth", "none", "--eviction", "api", "--config", str(config))

    def test_refused_binds(self):
        self.refuse_binding("refused")
        port = self.serve_with_config()
        self.submit_gang("refused", 1)
        known = wait_until(lambda: self.state(port)["refusedBinds"], 30, "a refusal in the snapshot", 0.3)
        self.assertEqual((known[0]["job"], known[0]["pod"]), ("default/refused", "refused-0"))
        state = self.state(port)
        self.assertEqual(state["config"]["actions"], ["allocate", "reclaim"])
        self.assertEqual(state["config"]["schedulerParams"]["maxNumberConsolidationPreemptees"], 3)
        self.replay_some(port, lambda state: state["refusedBinds"])
        answer = self.ask("explain", "refused", "--server", f"http://127.0.0.1:{port}", "--quick")
        self.assertIn(answer["state"], ("waiting", "running"))  # running: its waiting time was just over

    def test_protected_jobs(self):
        port = self.serve_with_config()
        for i in range(8):
            self.api.post(PODS, pod(f"greedy-{i}", 1, queue="team-b"))
        self.wait_running(8, "greedy")
        self.api.post(test_trouble.BUDGETS, {
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "keep"},
            "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"keep": "yes"}}}})
        self.addCleanup(self.api.delete, f"{test_trouble.BUDGETS}/keep")
        for i in range(8):
            self.api.patch(f"{PODS}/greedy-{i}", {"metadata": {"labels": {"keep": "yes"}}})
        wait_until(lambda: self.api.get(f"{test_trouble.BUDGETS}/keep").get("status", {}).get("currentHealthy") == 8, 20,
                   "the budget to count its pods")
        self.submit_gang("owed", 2, "team-a")
        known = wait_until(lambda: self.state(port)["protectedJobs"], 30, "a protection in the snapshot", 0.3)
        self.assertEqual(known[0]["rule"], "disruption budget")
        self.replay_some(port, lambda state: state["protectedJobs"])

    def replay_some(self, port, is_wanted):
        """Three different cycles with pending pods."""
        decided, end = {}, time.monotonic() + 60
        while len(decided) < 3 and time.monotonic() < end:
            if is_wanted(self.state(port)):
                self.replay(port, decided)
            time.sleep(0.3)
        self.assertGreaterEqual(len(decided), 3)


if __name__ == "__main__":
    unittest.main()

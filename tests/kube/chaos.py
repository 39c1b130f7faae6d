#!/usr/bin/env python3
"""Runs three replicas under load while everything around them breaks, and checks the history afterwards.

    chaos.py --runs N [--seed S] [--seconds S]

The seed determines the faults of a run: replicas are killed, stopped for longer than their lease, or shut down; networks
cut, delay, repeat and refuse requests; watches fall silent; renewals of the lease fail; tokens are replaced or expire; the
server shows a wrong certificate; clocks are wrong by minutes and are set back; the API server is killed; etcd is compacted;
nodes, pods and namespaces are deleted in between. Then the faults end, and within two minutes everything must be right:
every pod runs, every gang is whole, no pod was bound twice, no replica wrote without the lease, no node was ever
over-committed, and every eviction was recorded before it happened. MUSTER names the program. The logs and the audit log of a
failed run are kept; the output says where.
"""
import argparse
import contextlib
import glob
import json
import pathlib
import random
import signal
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ApiError, ControlPlane, Muster, is_running, wait_until
from history import History
from proxy import FaultyProxy
from test_serve import BINARY, ROOT
from workloads import POD_GROUPS, PODS, QUEUES, group, pod, queue

REPLICAS, NODES, GPUS = 3, 4, 8
GUESTS = 24  # so many that all others need their GPUs
LONG_STOP = 60  # seconds
LEASE = "kai-scheduler"
NAMESPACE = "/api/v1/namespaces/kai-scheduler"
RBAC = "/apis/rbac.authorization.k8s.io/v1"


def fake_time():
    """The library that shows a program a time other than that of the machine."""
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not found:
        sys.exit("chaos.py needs Debian's package libfaketime")
    return found[0]


class Token:
    """A token in a file, valid as long as its Secret exists."""

    def __init__(self, plane, account):
        self.api, self.account, self.number, self.is_good = plane.api, account, 0, False
        self.file = plane.directory / f"{account}.token"
        self.replace()

    def secret(self):
        return f"{NAMESPACE}/secrets/{self.account}-{self.number}"

    def expire(self):
        with contextlib.suppress(ApiError):
            self.api.delete(self.secret())
        self.is_good = False

    def replace(self):
        old, self.number = self.secret(), self.number + 1
        bound_to = self.api.post(f"{NAMESPACE}/secrets", {"metadata": {"name": f"{self.account}-{self.number}"}})["metadata"]
        made = self.api.post(f"{NAMESPACE}/serviceaccounts/{self.account}/token", {"spec": {
            "expirationSeconds": 3600,
            "boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": bound_to["name"], "uid": bound_to["uid"]}}})
        new = self.file.with_suffix(".new")
        new.write_text(made["status"]["token"])
        new.rename(self.file)
        self.is_good = True
        with contextlib.suppress(ApiError):
            self.api.delete(old)


class Replica:
    """A muster with its own name at the API server, and its own network, token and clock."""

    def __init__(self, plane, number, seed):
        self.account = f"muster-{number}"
        self.user = f"system:serviceaccount:kai-scheduler:{self.account}"
        self.make_account(plane)
        self.proxy = FaultyProxy(plane, faults=0, seed=seed + number)
        self.token = Token(plane, self.account)
        kubeconfig = plane.write_kubeconfig(f"{self.account}.kubeconfig", None, port=self.proxy.port,
                                            tokenFile=str(self.token.file))
        self.clock = plane.directory / f"{self.account}.clock"
        self.set_clock(0)
        environment = {"LD_PRELOAD": fake_time(), "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                       "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_CACHE_DURATION": "1"}
        self.muster = Muster(plane, BINARY, "--leader-elect", kubeconfig=kubeconfig, name=self.account, environment=environment)
        self.is_stopped, self.stopped_until, self.pids = False, 0, []

    def make_account(self, plane):
        subject = [{"kind": "ServiceAccount", "name": self.account, "namespace": "kai-scheduler"}]
        with contextlib.suppress(ApiError):
            plane.api.post(f"{NAMESPACE}/serviceaccounts", {"metadata": {"name": self.account}})
            plane.api.post(f"{RBAC}/clusterrolebindings", {
                "metadata": {"name": self.account}, "subjects": subject,
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "muster"}})
            for role in ("muster-lease", "muster-usage"):
                plane.api.post(f"{RBAC}/namespaces/kai-scheduler/rolebindings", {
                    "metadata": {"name": f"{self.account}-{role}"}, "subjects": subject,
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role}})

    def set_clock(self, seconds):
        self.clock.write_text(f"{seconds:+d}\n")

    def is_up(self):
        return self.muster.process is not None and self.muster.process.poll() is None

    def begin(self):
        if not self.is_up():
            self.sweep()
            self.muster.process = None
            self.muster.start()
            self.pids.append(self.muster.process.pid)

    def sweep(self):
        """Removes what the fake clocks of killed processes left behind; it would stop a new process of the same number.
        """
        for pid in self.pids:
            for left in (f"faketime_shm_{pid}", f"sem.faketime_sem_{pid}"):
                pathlib.Path("/dev/shm", left).unlink(missing_ok=True)
        self.pids.clear()

    def stop(self, seconds):
        """Runs for at least this long, unless everything ends."""
        self.muster.process.send_signal(signal.SIGSTOP)
        self.is_stopped, self.stopped_until = True, time.monotonic() + seconds

    def may_go_on(self):
        return not self.is_stopped or time.monotonic() >= self.stopped_until

    def resume(self):
        if self.is_stopped:
            self.muster.process.send_signal(signal.SIGCONT)
            self.is_stopped = False

    def heal(self):
        proxy = self.proxy
        proxy.faults = 0
        proxy.refuses, proxy.delay, proxy.mutes = (lambda m, p: False), (lambda m, p: 0), (lambda p: False)
        proxy.pretend(False)
        self.set_clock(0)
        if not self.token.is_good:
            self.token.replace()
        self.resume()
        self.begin()

    def end(self):
        self.resume()
        if self.is_up():
            self.muster.kill()
        self.sweep()
        self.proxy.stop()


class Run:
    def __init__(self, plane, seed, seconds):
        self.plane, self.api, self.seconds = plane, plane.api, seconds
        self.chance = random.Random(seed)
        self.replicas = [Replica(plane, i, seed) for i in range(REPLICAS)]
        self.number, self.faults, self.expected, self.evictions = 0, [], {}, 0

    # ---- load

    def submit(self):
        self.number += 1
        name, size = f"gang-{self.number}", self.chance.choice([1, 2, 4])
        self.api.post(POD_GROUPS, group(name, self.chance.choice(["team-a", "team-b"]), size, stalenessGracePeriod="5s"))
        for i in range(size):
            self.api.post(PODS, pod(f"{name}-{i}", 1, group=name))
            self.expected[f"{name}-{i}"] = name

    def take_away(self):
        """A whole gang; its remaining pods must run."""
        gangs = sorted(set(self.expected.values()))
        if len(gangs) < 5:
            return
        gone = self.chance.choice(gangs)
        for name in [n for n, of in self.expected.items() if of == gone]:
            with contextlib.suppress(ApiError):
                self.api.request("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})
            del self.expected[name]
        with contextlib.suppress(ApiError):
            self.api.delete(f"{POD_GROUPS}/{gone}")

    def invite(self):
        """Pods of a queue without quota: they are evicted when others need their GPUs."""
        for _ in range(GUESTS - len(self.guests())):
            self.number += 1
            name = f"guest-{self.number}"
            self.api.post(POD_GROUPS, group(name, "guests", 1))
            self.api.post(PODS, pod(f"{name}-0", group=name))

    def guests(self):
        return [p for p in self.plane.pods() if p["metadata"]["name"].startswith("guest-")]

    def send_guests_home(self):
        for p in self.guests():
            with contextlib.suppress(ApiError):
                self.api.request("DELETE", f"{PODS}/{p['metadata']['name']}", {"gracePeriodSeconds": 0})

    # ---- faults, each with its name

    def kill(self, r):
        if r.is_up() and r.may_go_on():
            r.resume()
            r.muster.kill()
        r.begin()

    def end_in_order(self, r):
        if r.is_up() and not r.is_stopped:
            r.muster.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(Exception):
                r.muster.process.wait(20)
        r.begin()

    def stop(self, r):
        if r.is_up() and not r.is_stopped:
            r.stop(self.chance.choice([0, 0, LONG_STOP]))

    def go_on(self, r):
        if r.may_go_on():
            r.resume()

    def bad_network(self, r):
        r.proxy.faults = self.chance.choice([0, 0.1, 0.3])

    def slow_network(self, r):
        seconds = self.chance.choice([0, 0.05, 0.5])
        r.proxy.delay = lambda method, path: seconds if method != "GET" else 0

    def no_renewal(self, r):
        refuses = self.chance.random() < 0.5
        r.proxy.refuses = lambda method, path: refuses and "leases" in path

    def silent_watch(self, r):
        mutes = self.chance.random() < 0.5
        kind = self.chance.choice(["/pods", "/podgroups", "/nodes"])
        r.proxy.mutes = lambda path: mutes and kind in path

    def new_token(self, r):
        r.token.replace()

    def token_runs_out(self, r):
        r.token.expire()

    def wrong_certificate(self, r):
        r.proxy.pretend(self.chance.random() < 0.5)

    def wrong_clock(self, r):
        r.set_clock(self.chance.choice([-300, 0, 300, 600]))

    def kill_api_server(self, _):
        self.plane.restart_api_server()

    def compact(self, _):
        revision = int(self.api.get("/api/v1/nodes?limit=1")["metadata"]["resourceVersion"])
        request = urllib.request.Request(f"http://127.0.0.1:{self.plane.etcd_port}/v3/kv/compaction", method="POST",
                                         data=json.dumps({"revision": str(revision)}).encode())
        with contextlib.suppress(Exception):
            urllib.request.urlopen(request, timeout=5).read()

    def lose_node(self, _):
        nodes = [n["metadata"]["name"] for n in self.api.items("/api/v1/nodes") if n["metadata"]["name"].startswith("spare")]
        if nodes:
            self.api.delete(f"/api/v1/nodes/{nodes[0]}")
        else:
            self.plane.add_nodes(1, prefix="spare")

    def same_name_again(self, _):
        singles = [n for n, of in self.expected.items() if list(self.expected.values()).count(of) == 1]
        if singles:
            name = self.chance.choice(singles)
            with contextlib.suppress(ApiError):
                self.api.request("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})
            with contextlib.suppress(ApiError):
                self.api.post(PODS, pod(name, 1, group=self.expected[name]))

    def lose_namespace(self, _):
        ns = f"short-lived-{self.number}-{self.chance.randrange(10**6)}"
        self.api.post("/api/v1/namespaces", {"metadata": {"name": ns}})
        there = lambda path: path.replace("/default/", f"/{ns}/")
        self.api.post(there(POD_GROUPS), group("gang", "team-a", 3))
        for i in range(3):
            self.api.post(there(PODS), pod(f"gang-{i}", 1, group="gang"))
        time.sleep(self.chance.uniform(0, 0.3))
        self.api.delete(f"/api/v1/namespaces/{ns}")

    FAULTS = [(kill, 4), (end_in_order, 2), (stop, 3), (go_on, 3), (bad_network, 4), (slow_network, 3), (no_renewal, 3),
              (silent_watch, 2), (new_token, 2), (token_runs_out, 1), (wrong_certificate, 2), (wrong_clock, 3),
              (kill_api_server, 1), (compact, 1), (lose_node, 2), (same_name_again, 2), (lose_namespace, 1)]

    # ---- the run

    def go(self):
        for r in self.replicas:
            r.begin()
        wait_until(lambda: any(r.muster.is_ready() for r in self.replicas if r.is_up()), 60, "a replica to be ready", 0.2)
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            self.trouble()
            if len(self.expected) < 24:
                self.submit()
            elif self.chance.random() < 0.5:
                self.take_away()
            self.invite()
            time.sleep(self.chance.uniform(0.1, 0.6))
        for r in self.replicas:
            r.heal()
        self.send_guests_home()
        return self.verdict()

    def trouble(self):
        fault = self.chance.choices([f for f, _ in self.FAULTS], [w for _, w in self.FAULTS])[0]
        self.faults.append(fault.__name__)
        with contextlib.suppress(ApiError, OSError):
            fault(self, self.chance.choice(self.replicas))

    def verdict(self):
        """What is wrong, line by line."""
        wrong = []
        try:
            wait_until(self.is_well, 120, "all pods to run", 0.5)
        except AssertionError:
            wrong.append(f"do not run: {sorted(set(self.expected) - self.running())}")
        pods = self.api.items("/api/v1/pods")
        history = History(self.plane.audit_entries(), pods)
        wrong += [f"bound twice: {name}" for name in history.bound_twice()]
        wrong += [f"broken gang: {text}" for text in history.broken_gangs(self.api.items(POD_GROUPS), pods)]
        wrong += [f"without lease: {w}" for w in history.writes_without_lease(LEASE, {r.user for r in self.replicas})]
        wrong += [f"evicted without eviction record: {name}" for name in history.evictions_without_receipt()]
        nodes = {node for *_, node in history.bindings()}
        wrong += [f"overfull: {node} held {count}" for node, count in history.overfull_nodes(dict.fromkeys(nodes, GPUS), lambda _: 1)]
        self.evictions = len(history.evictions())
        return wrong

    def running(self):
        return {p["metadata"]["name"] for p in self.plane.pods() if is_running(p)}

    def is_well(self):
        self.make_lost_pods_again()
        return set(self.expected) <= self.running()

    def make_lost_pods_again(self):
        """Like the controllers that pods have elsewhere: creates pods again whose node was removed or that were
        evicted."""
        there = {p["metadata"]["name"]: p for p in self.plane.pods()}
        for name in self.expected:
            with contextlib.suppress(ApiError):
                if name not in there:
                    self.api.post(PODS, pod(name, 1, group=self.expected[name]))
                elif there[name]["status"].get("phase") in ("Succeeded", "Failed"):
                    self.api.request("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})

    def end(self):
        for r in self.replicas:
            r.end()


def make_strangers_certificate(directory):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=stranger", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "stranger.key",
                    "-out", "stranger.crt"], cwd=directory, check=True, capture_output=True)


def one_run(seed, seconds):
    """(what happened, what is wrong), on its own control plane, so that the history contains only this run."""
    with ControlPlane(audit=True) as plane:
        plane.install(ROOT / "deploy")
        plane.kubectl("delete", "deployment", "muster", "-n", "kai-scheduler")
        plane.add_nodes(NODES)
        make_strangers_certificate(plane.directory)
        owed = GPUS * NODES // 2
        for made in (queue("department", 2 * owed, parent=""), queue("team-a", owed), queue("team-b", owed), queue("guests", 0)):
            plane.api.post(QUEUES, made)
        run = Run(plane, seed, seconds)
        try:
            wrong = run.go()
            plane.is_kept |= bool(wrong)
            return f"{len(run.faults)} faults, {run.evictions} evictions", wrong
        finally:
            run.end()
            if plane.is_kept:
                print(f"kept: {plane.directory}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=25, help="of trouble in each run")
    options = parser.parse_args()
    failed = 0
    for seed in range(options.seed, options.seed + options.runs):
        begin = time.monotonic()
        happened, wrong = one_run(seed, options.seconds)
        failed += bool(wrong)
        told = "; ".join(wrong[:10]) + (f"; and {len(wrong) - 10} more" if len(wrong) > 10 else "")
        print(f"seed {seed}: {happened}, {time.monotonic() - begin:.0f} s: {told or 'good'}", flush=True)
    print(f"{options.runs - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

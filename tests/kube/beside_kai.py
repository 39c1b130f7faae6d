"""muster in the place of KAI-Scheduler's scheduler, with its real binder and podgrouper, and beside its scheduler. Run by
hand, because it builds a checkout of KAI-Scheduler (v0.13 or later):

    MUSTER=build/release/src/muster python3 -B tests/kube/beside_kai.py DIRECTORY [Class[.test]]
"""
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import programs
from cluster import Api, ControlPlane, free_port, is_bound, wait_until
from test_serve import KubeTest
from test_shared_gpus import DEVICE, RESERVATIONS, DevicePlugin
from workloads import DEPLOYMENTS, JOBS, POD_GROUPS, PODS, QUEUES, deployment, group, job, pod, queue

PARTS = ("binder", "podgrouper", "scheduler")
BIND_REQUESTS = "/apis/scheduling.run.ai/v1alpha2/namespaces/default/bindrequests"
EVENTS = "/api/v1/namespaces/default/events"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
# As KAI's operator writes them for its scheduler.
OPERATORS_FLAGS = ("--schedule-period=1s", "--partition-label-value=", "--resource-reservation-app-label=kai-resource-reservation",
                   "--nodepool-label-key=kai.scheduler/node-pool", "--queue-label-key=kai.scheduler/queue",
                   "--scheduler-name=kai-scheduler", "--namespace=kai-scheduler", "--metrics-namespace=kai",
                   "--full-hierarchy-fairness=true", "--use-scheduling-signatures=true")
INSTEAD_OF_KAI = (*OPERATORS_FLAGS, "--binding=bindrequest", "--pod-grouper=off")
CHECKOUT = None


def build_kai():
    """The directory with the programs. The first time takes minutes."""
    version = hashlib.sha256((CHECKOUT / "go.sum").read_bytes() + (CHECKOUT / "go.mod").read_bytes()).hexdigest()[:16]
    target = programs.cache_directory().parent / f"kai-{version}"
    target.mkdir(parents=True, exist_ok=True)
    go = programs.find_go(programs.cache_directory())
    for part in PARTS:
        if not (target / part).exists():
            print(f"building KAI's {part}", file=sys.stderr, flush=True)
            subprocess.run([go, "build", "-trimpath", "-ldflags=-s -w", "-o", target / f"{part}.new", f"./cmd/{part}"],
                           cwd=CHECKOUT, env=dict(os.environ, CGO_ENABLED="0", GOFLAGS="-buildvcs=false -mod=mod"), check=True)
            (target / f"{part}.new").rename(target / part)
    return target


def knows(folder, word):
    """Whether this version of KAI has the word."""
    return any(word in file.read_text() for file in (CHECKOUT / folder).rglob("*.go"))


def flags_of(part, *flags):
    """The flags that this version of KAI has."""
    return [flag for flag in flags if knows(f"cmd/{part}", flag.lstrip("-").split("=")[0])]


class BesideKai(KubeTest):
    """A control plane with KAI's CRDs, binder and podgrouper."""

    @classmethod
    def setUpClass(cls):
        cls.kai = build_kai()
        cls.plane = ControlPlane().__enter__()
        cls.addClassCleanup(cls.plane.__exit__)
        cls.api = cls.plane.api
        crds = CHECKOUT / "deployments/kai-scheduler/crds"
        cls.plane.kubectl("create", *(f"--filename={file}" for file in sorted(crds.glob("*.yaml"))))
        cls.plane.wait_established(*(f"{crd}.scheduling.run.ai" for crd in ("queues", "podgroups", "bindrequests")))
        for name in ("kai-scheduler", "kai-resource-reservation", "kai-scale-adjust"):
            cls.api.post("/api/v1/namespaces", {"metadata": {"name": name}})
        for name, value in (("train", 50), ("build-preemptible", 75), ("build", 100), ("inference", 125)):
            cls.api.post("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": value})
        cls.plane.add_nodes(cls.NODES, labels={"nvidia.com/gpu.memory": "40000", "nvidia.com/gpu.count": "8"})
        cls.api.post(QUEUES, queue("department", 32, parent=""))
        for name in ("team-a", "team-b"):
            cls.api.post(QUEUES, queue(name, 16))
        cls.start_kai("podgrouper", *flags_of("podgrouper", "--generic-karta-fallback=false"))
        cls.start_binder()

    @classmethod
    def start_kai(cls, part, *flags):
        cls.plane.start(part, cls.kai / part, *flags, f"--metrics-bind-address=127.0.0.1:{free_port()}",
                        f"--health-probe-bind-address=127.0.0.1:{free_port()}",
                        env=dict(os.environ, KUBECONFIG=str(cls.plane.kubeconfig)))

    @classmethod
    def start_binder(cls):
        cls.start_kai("binder", "--resource-reservation-allocation-timeout=5")

    @classmethod
    def start_kais_scheduler(cls):
        cls.plane.start("scheduler", cls.kai / "scheduler", *OPERATORS_FLAGS, f"--listen-address=127.0.0.1:{free_port()}",
                        f"--plugin-server-port={free_port()}", env=dict(os.environ, KUBECONFIG=str(cls.plane.kubeconfig)))

    def setUp(self):
        super().setUp()
        self.addCleanup(self.clean_bind_requests)
        for part in ("binder", "podgrouper"):
            self.assertIsNone(self.plane.processes[part].poll(), self.plane.log(part)[-2000:])

    def tearDown(self):
        if self._outcome is not None and not self._outcome.success:
            for part in ("binder", "podgrouper", "scheduler"):
                if part in self.plane.processes:
                    print(f"---- {part}\n{self.plane.log(part)[-3000:]}", file=sys.stderr)
        super().tearDown()

    def clean_bind_requests(self):
        self.api.delete(BIND_REQUESTS)

    def empty_queues(self):
        pass  # KAI's CRD of queues has no such field, and no controller writes their status here

    def serve(self, *flags):
        return super().serve(*INSTEAD_OF_KAI, *flags)

    def bind_requests(self):
        return {r["metadata"]["name"]: r for r in self.api.items(BIND_REQUESTS)}


class Work(BesideKai):
    def test_jobs_gangs_and_deployments_run(self):
        m = self.serve()
        self.api.post(JOBS, job("train", 4, queue="team-a", annotations={"kai.scheduler/batch-min-member": "4"}))
        self.api.post(DEPLOYMENTS, deployment("web", 3, queue="team-b"))
        self.submit_gang("gang", 4, "team-a")
        self.wait_running(11, seconds=40)
        groups = {g["metadata"]["name"]: g["spec"] for g in self.api.items(POD_GROUPS)}
        train = next(spec for name, spec in groups.items() if name.startswith("pg-train-"))
        minimum = 4 if knows("pkg/podgrouper", "batch-min-member") else 1
        self.assertEqual((train["minMember"], train["queue"]), (minimum, "team-a"))
        self.assertEqual(sum(name.startswith("pg-web-") for name in groups), 3)
        wait_until(lambda: {r["status"].get("phase") for r in self.bind_requests().values()} == {"Succeeded"}, 20,
                   "all BindRequests to succeed")
        self.assertEqual(m.metric("kai_muster_leader"), 1, "the operator's flags are understood")

    def test_reclaim(self):
        self.serve()
        for i in range(32):
            self.api.post(PODS, pod(f"greedy-{i}", queue="team-b"))
        self.wait_running(32, "greedy", 60)
        self.submit_gang("owed", 8, "team-a")
        self.wait_running(8, "owed", 40)
        self.assertEqual(len(self.running("greedy")), 24)

    def test_an_elastic_contender_takes_pod_after_pod_of_an_elastic_victim(self):
        self.serve()
        self.api.post(POD_GROUPS, group("victim", "team-b", 1))
        for i in range(32):
            self.api.post(PODS, pod(f"victim-{i}", group="victim"))
        self.wait_running(32, "victim", 60)
        self.api.post(POD_GROUPS, group("elastic", "team-a", 1))
        for i in range(6):
            self.api.post(PODS, pod(f"elastic-{i}", group="elastic"))
        start = time.monotonic()
        wait_until(lambda: len(self.running("elastic")) >= 3, 20, "three of them")
        print(f"three pods by reclaim after {time.monotonic() - start:.1f} s", file=sys.stderr)
        self.wait_running(6, "elastic", 30)

    def test_what_arrives_together_is_decided_together(self):
        self.api.post(QUEUES, queue("team-c", 4))
        self.addCleanup(self.plane.delete_queue, "team-c")
        m = self.serve()
        apis = [Api(self.plane.port, self.plane.directory / "ca.crt") for _ in range(4)]
        of = lambda i: "team-a" if i < 26 else "team-b" if i < 38 else "team-c"
        create = lambda i: apis[i % 4].post(PODS, pod(f"burst-{i}", queue=of(i)))
        workers = [threading.Thread(target=lambda j=j: [create(i) for i in range(j, 50, 4)]) for j in range(4)]
        start = time.monotonic()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        took = time.monotonic() - start
        wait_until(lambda: sum(map(is_bound, self.plane.pods())) == 32, 60, "a full cluster")
        time.sleep(12)
        short_lived = m.metric("kai_muster_short_lived_pods_total")
        print(f"50 pods were made in {took:.2f} s; evicted within 10 s: {short_lived:.0f}", file=sys.stderr)
        if short_lived and took > 0.4:
            self.skipTest("this machine is too busy to create 50 pods in 0.4 s")
        self.assertEqual(short_lived, 0)


class Shares(BesideKai):
    """With a stand-in that reports devices, and pods in the form in which KAI's admission leaves them."""

    def share(self, name, **annotations):
        made = pod(name, gpus=0, queue="team-a")
        made["metadata"]["annotations"] = {"runai/shared-gpu-configmap": f"{name}-shared-gpu", **annotations}
        made["spec"]["containers"][0]["resources"] = {}
        made["spec"]["containers"][0]["envFrom"] = [{"configMapRef": {"name": f"{name}-shared-gpu-0-evar", "optional": False}}]
        self.api.post(PODS, made)

    def environment(self, name):
        """The portion is in one ConfigMap, the device in the other."""
        return {**self.api.get(f"{CONFIG_MAPS}/{name}-shared-gpu-0")["data"],
                **self.api.get(f"{CONFIG_MAPS}/{name}-shared-gpu-0-evar")["data"]}

    def plugin(self):
        plugin = DevicePlugin(self.plane)
        plugin.start()
        self.addCleanup(plugin.stop)
        return plugin

    def test_fractions_and_memory(self):
        self.plugin()
        self.serve()
        self.share("half", **{"gpu-fraction": "0.5"})
        self.wait_running(1, "half", 40)
        self.share("other", **{"gpu-memory": "20000"})
        self.wait_running(1, "other", 40)
        label = lambda name: self.api.get(f"{PODS}/{name}")["metadata"]["labels"]["runai-gpu-group"]
        self.assertEqual(label("half"), label("other"))
        held = self.api.items(RESERVATIONS)
        self.assertEqual(len(held), 1)
        for name in ("half", "other"):
            self.assertEqual(self.environment(name)["GPU_PORTION"], "0.50")
            self.assertEqual(self.environment(name)["NVIDIA_VISIBLE_DEVICES"], held[0]["metadata"]["annotations"][DEVICE])
        self.share("part", **{"gpu-memory": "10200"})
        self.wait_running(1, "part", 40)
        self.assertEqual(self.environment("part")["GPU_PORTION"], "0.26")

    def test_a_bind_that_fails_is_not_tried_again_and_again(self):
        """No program reports the device, so KAI's binder gives up after 5 s."""
        self.serve()
        seen, end = set(), time.monotonic() + 20
        self.share("lost", **{"gpu-fraction": "0.5"})
        while time.monotonic() < end:
            seen |= {r["metadata"]["uid"] for r in self.bind_requests().values()}
            time.sleep(0.05)
        print(f"BindRequests in 20 s of failure: {len(seen)}", file=sys.stderr)
        self.assertLessEqual(len(seen), 4)
        self.plugin()
        self.wait_running(1, "lost", 90)


class Trouble(BesideKai):
    def test_requests_for_nodes_that_are_gone_go(self):
        self.plane.add_nodes(1, gpus=16, prefix="brief")
        self.serve()
        self.plane.stop("binder")
        self.addCleanup(self.start_binder)
        self.api.post(PODS, pod("wide", gpus=16, queue="team-a"))
        wait_until(lambda: "wide" in self.bind_requests(), 30, "a BindRequest")
        self.api.delete("/api/v1/nodes/brief-000")
        wait_until(lambda: "wide" not in self.bind_requests(), 30, "the BindRequest to go")

    def test_another_scheduler_is_reported(self):
        m = self.serve()
        for i in range(4):
            self.api.post(PODS, pod(f"filler-{i}", gpus=8, queue="team-a"))
        self.wait_running(4, "filler", 40)
        for i in range(4):
            self.api.post(PODS, pod(f"contended-{i}", queue="team-a"))
        wait_until(lambda: m.metric("kai_muster_waiting_jobs") == 4, 30, "muster to know them")
        time.sleep(11)  # earlier binds may be those of the previous leader
        os.kill(m.process.pid, signal.SIGSTOP)  # else it is faster every time
        try:
            self.start_kais_scheduler()
            self.addCleanup(self.plane.stop, "scheduler")
            self.api.delete(f"{PODS}/filler-0")
            self.wait_running(4, "contended", 60)
        finally:
            os.kill(m.process.pid, signal.SIGCONT)
        wait_until(lambda: m.metric("kai_muster_rival_decisions_total") > 0, 30, "KAI's decisions to be noticed")
        self.assertIn("another scheduler named kai-scheduler", m.log())

    def test_to_kai_and_back_under_load(self):
        """One scheduler after the other: no pod is bound twice, and none is left pending."""
        m = self.serve()
        for i in range(8):
            self.api.post(PODS, pod(f"first-{i}", queue="team-a"))
        self.assertEqual(m.stop(), 0)
        self.musters.clear()
        self.start_kais_scheduler()
        for i in range(8):
            self.api.post(PODS, pod(f"second-{i}", queue="team-b"))
        wait_until(lambda: len(self.running()) == 16, 60, "what both were to place")
        self.plane.stop("scheduler")
        self.serve()
        for i in range(8):
            self.api.post(PODS, pod(f"third-{i}", queue="team-a"))
        wait_until(lambda: len(self.running()) == 24, 60, "the rest")
        used = {}
        for p in self.running():
            used[p["spec"]["nodeName"]] = used.get(p["spec"]["nodeName"], 0) + 1
        self.assertLessEqual(max(used.values()), 8)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not (pathlib.Path(sys.argv[1]) / "cmd/binder").is_dir():
        sys.exit(__doc__)
    CHECKOUT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2, warnings="ignore")
